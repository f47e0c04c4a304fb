package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/merchant"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/monero"
)

// forkedPayouts are two merchants' payouts on a chain that is superseded: one is
// spent otherwise on the other chain, one is in another block of it.
type forkedPayouts struct {
	f             *forked
	lost, moved   *shop
	lostP, movedP merchant.Payout
}

func (f *forked) openForkedPayouts(t *testing.T) *forkedPayouts {
	t.Helper()
	p := &forkedPayouts{f: f, lost: openShop(t, f.merchants), moved: openShop(t, f.merchants)}
	p.lost.payable(t, "0.2")
	p.moved.payable(t, "0.3")
	return p
}

// send has both payouts wait in the pool.
func (p *forkedPayouts) send(t *testing.T) {
	t.Helper()
	p.lostP, p.movedP = p.lost.payOut(t), p.moved.payOut(t)
	p.f.merchants.awaitPassedOn(t, *p.lostP.TxHash)
	p.f.merchants.awaitPassedOn(t, *p.movedP.TxHash)
}

func (p *forkedPayouts) takeBack(t *testing.T, to string) (made []string) {
	t.Helper()
	made, err := p.f.copyOf("live").TakeBack(within(t), *p.lostP.TxHash, to)
	require.NoError(t, err)
	return made
}

// check says that what was lost is neither paid again nor forgotten.
func (p *forkedPayouts) check(t *testing.T) {
	t.Helper()
	p.moved.awaitConfirmedPayout(t, p.movedP.PayoutID)
	p.moved.requireOnePayout(t)
	p.f.awaitNotice(t, alert.PayoutStuck, p.lostP.PayoutID)
	p.lost.mine(t, forkConfirmations+2)
	p.lost.requireNoSweep(t, "the payout has the charge, lost or not")
	now, err := p.lost.payout(within(t), p.lostP.PayoutID)
	require.NoError(t, err)
	require.Equal(t, "broadcast", now.Status)
	require.Equal(t, *p.lostP.TxHash, *now.TxHash)
	p.lost.requireOnePayout(t)
	p.lost.void[*p.lostP.TxHash] = true
}

// requireMined says that a transaction is in a block.
func (f *forked) requireMined(t *testing.T, txHash string) {
	t.Helper()
	eventually(t, "it is mined", func(ctx context.Context) error {
		found, err := f.chain.Where(ctx, txHash)
		if err == nil && found.State != monero.Mined {
			err = fmt.Errorf("%+v", found)
		}
		return err
	})
}
