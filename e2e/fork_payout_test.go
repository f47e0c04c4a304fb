package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/monero"
)

// forkedPayout is a merchant's payout on a chain that is superseded.
type forkedPayout struct {
	*shop
	clients.Payout

	f *forked
}

// openForkedPayout is a merchant to whom an amount can be paid out.
func (f *forked) openForkedPayout(t *testing.T, amount string) *forkedPayout {
	t.Helper()
	p := &forkedPayout{f: f, shop: openShop(t, f.merchants)}
	p.payable(t, amount)
	return p
}

// send has the payout wait in the pool.
func (p *forkedPayout) send(t *testing.T) {
	t.Helper()
	p.Payout = p.payOut(t)
	p.f.merchants.awaitPassedOn(t, *p.TxHash)
}

// takeBack has the other chain spend otherwise what the payout spends.
func (p *forkedPayout) takeBack(t *testing.T, to string) (made []string) {
	t.Helper()
	made, err := p.f.copyOf("live").TakeBack(within(t), *p.TxHash, to)
	require.NoError(t, err)
	return made
}

// checkKept requires that the payout is mined deep, and that there is no other.
func (p *forkedPayout) checkKept(t *testing.T) {
	t.Helper()
	p.awaitConfirmedPayout(t, p.PayoutID)
	p.requireSame(t, "confirmed")
}

// checkLost requires that a payout whose coins another transaction spends is
// neither paid again nor forgotten. An operator gives it up once it can never be
// mined. Its charge is not paid out then, because its coins are spent.
func (p *forkedPayout) checkLost(t *testing.T) {
	t.Helper()
	p.f.awaitNotice(t, alert.PayoutStuck, p.PayoutID)
	release := func() error { return p.f.merchants.follow(t, "double-spend.md", "payouts release po_…", p.PayoutID) }
	require.ErrorContains(t, release(), "ask again in")
	p.mine(t, forkConfirmations+2)
	p.requireNoSweep(t, "the payout has the charge, lost or not")
	p.requireSame(t, "broadcast")
	p.void[*p.TxHash] = true
	eventually(t, "an operator may give the payout up", func(context.Context) error { return release() })
	p.released[p.PayoutID] = true
	require.NoError(t, release(), "twice changes nothing")
	p.requireSame(t, "failed")
	p.f.awaitNoNotice(t, alert.PayoutStuck, p.PayoutID)
	p.requireNoSweep(t, "what its charge was paid with is spent")
}

// requireSame requires that the merchant has one payout, with the transaction that
// it was sent with.
func (p *forkedPayout) requireSame(t *testing.T, status string) {
	t.Helper()
	p.requireOnePayout(t)
	now, err := p.payout(within(t), p.PayoutID)
	require.NoError(t, err)
	require.Equal(t, status, now.Status)
	require.Equal(t, *p.TxHash, *now.TxHash)
}

// requireMined waits until a transaction is in a block.
func (f *forked) requireMined(t *testing.T, txHash string) {
	t.Helper()
	eventually(t, "it is mined", func(ctx context.Context) error {
		found, err := f.Chain.Where(ctx, txHash)
		if err == nil && found.State != monero.Mined {
			err = fmt.Errorf("%+v", found)
		}
		return err
	})
}
