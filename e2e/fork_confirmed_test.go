package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/alert"
)

// confirmedPayouts are a merchant's payout and a trade's, deep in a chain that the
// other daemon does not receive.
type confirmedPayouts struct {
	f      *forked
	sweep  *forkedPayout
	deal   *deal
	dealTx string
}

func (f *forked) openConfirmedPayouts(t *testing.T, amount string) *confirmedPayouts {
	t.Helper()
	p := &confirmedPayouts{f: f, sweep: f.openForkedPayout(t, "0.2"), deal: f.deal(t, "ltc", amount)}
	f.pay(t, p.deal)
	require.NoError(t, f.fork.Part(within(t)))

	// Both are built of what both chains have.
	p.sweep.send(t)
	require.NoError(t, f.Coins.Mine(within(t), 2))
	p.dealTx = f.awaitSent(t, p.deal)
	require.NoError(t, f.Chain.MineAll(within(t), *p.sweep.TxHash, p.dealTx))
	p.sweep.checkKept(t)
	f.until(t, p.deal.TradeID, "completed")
	f.requirePaidOnce(t, p.deal)
	return p
}

// supersede has a longer chain without the payouts take the place of the one that
// they are in. Both are noticed, though each was done with.
func (p *confirmedPayouts) supersede(t *testing.T) {
	t.Helper()
	require.NoError(t, p.f.fork.Outgrow(within(t), 1))
	require.NoError(t, p.f.fork.Join(within(t)))
	for _, hash := range []string{*p.sweep.TxHash, p.dealTx} {
		p.f.requireKept(t, hash)
		p.f.awaitNotice(t, alert.SendDropped, hash)
	}
	p.sweep.requireSame(t, "broadcast")
	require.Equal(t, "completed", p.f.look(t, p.deal.TradeID).Status)
}

// TestConfirmedPayoutsThatTheOtherChainDoesNotHold takes back the blocks in which a
// sweep and a trade's payout were confirmed. They come into blocks of the other chain
// and are confirmed there, without an operator.
func TestConfirmedPayoutsThatTheOtherChainDoesNotHold(t *testing.T) {
	t.Parallel()
	f := forkedStacks.take(t)
	p := f.openConfirmedPayouts(t, "0.33")
	p.supersede(t)
	p.sweep.checkKept(t)
	f.untilPaidOnce(t, p.deal)
	now := f.look(t, p.deal.TradeID)
	require.Equal(t, "completed", now.Status)
	require.Equal(t, p.dealTx, *now.Payout)
	for _, hash := range []string{*p.sweep.TxHash, p.dealTx} {
		f.requireMined(t, hash)
		f.awaitNoNotice(t, alert.SendDropped, hash)
	}
}

// TestDoubleSpendsOfConfirmedPayouts is the same, and the other chain spends the inputs of
// both: neither can ever be mined. The service pays nothing again until an operator gives the
// lost payout up.
func TestDoubleSpendsOfConfirmedPayouts(t *testing.T) {
	t.Parallel()
	f := forkedStacks.take(t)
	p := f.openConfirmedPayouts(t, "0.34")
	to, err := f.Customer.Address(within(t))
	require.NoError(t, err)
	foreignTxs := p.sweep.takeBack(t, to)
	made, err := f.copyOf("exchange").TakeBack(within(t), p.dealTx, to)
	require.NoError(t, err)
	p.supersede(t)
	f.recover(t, append(foreignTxs, made...), "live", "exchange-xmr-Mainnet")
	p.sweep.checkLost(t)
	f.checkLostPayout(t, p.deal, p.dealTx, "completed")
}
