package e2e

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/alert"
)

// TestDoubleSpendOfADepositWhosePayoutHasNotBegun takes back a deposit that is
// deep while its payout has not begun, because the daemon of the coin that is paid
// out is away. The payout does not begin afterwards either, and an operator ends it.
func TestDoubleSpendOfADepositWhosePayoutHasNotBegun(t *testing.T) {
	t.Parallel()
	f := forkedStacks.take(t)
	held := f.deal(t, "xmr", "0.24")
	require.NoError(t, f.merchants.Stack.Kill("litecoind"))
	require.NoError(t, f.fork.Part(within(t)))
	f.pay(t, held)
	require.NoError(t, f.Chain.MineInto(within(t), held.deposit))
	require.NoError(t, f.Chain.Mine(within(t), deepXMR))
	f.await(t, held, "processing")

	to, err := f.Customer.Address(within(t))
	require.NoError(t, err)
	_, err = f.copyOf("customer").TakeBack(within(t), held.deposit, to)
	require.NoError(t, err)
	require.NoError(t, f.fork.Outgrow(within(t), 1))
	require.NoError(t, f.fork.Join(within(t)))
	f.requireKept(t, held.deposit)
	f.awaitNotice(t, alert.TradeUnbacked, held.TradeID)
	require.NoError(t, f.merchants.Stack.StartPart(within(t), "litecoind"))

	f.mineBoth(t)
	f.awaitScans(t)
	require.Equal(t, "processing", f.look(t, held.TradeID).Status)
	for range 2 {
		require.NoError(t, f.follow(t, "double-spend.md", "trades end TRADE_ID", held.TradeID))
	}
	eventually(t, "the trade has failed", func(context.Context) error {
		if now := f.look(t, held.TradeID); now.Status != "failed" {
			return errors.New(now.Status)
		}
		return nil
	})
	f.awaitNotice(t, alert.TradeFailed, held.TradeID)
	f.mineBoth(t)
	f.awaitScans(t)
	shown, err := f.operate(within(t), "show", held.TradeID)
	require.NoError(t, err)
	require.Len(t, shown.Payments, 1)
	require.Equal(t, "failed", shown.Payments[0].State)
	require.Nil(t, shown.Payments[0].TxHash, "nothing is sent")
}
