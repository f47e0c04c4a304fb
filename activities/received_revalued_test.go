package activities_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/postgres/db"
)

// TestPaymentThatAPayoutTookIsRevaluedOnce shows another amount in the block of a payment
// that a payout has taken. Its charge gets one signal, the payout's reservation stays
// unchanged, and the payment counts with its real amount once it is free again.
func TestPaymentThatAPayoutTookIsRevaluedOnce(t *testing.T) {
	t.Parallel()
	a := tillOf(t, 100)
	c := a.create(t, a.request())
	a.mineBlocks(1)
	a.show(c, "p", 100)
	a.mineBlocks(12)
	require.NoError(t, a.scan(t.Context()))
	require.Equal(t, charge.Confirmed, a.advance(t, c.ID).Status)
	a.payTo(t)
	in := a.sweep()
	reserved, err := a.payouts().ReservePayout(t.Context(), in)
	require.NoError(t, err)
	for _, shown := range []uint64{uint64(c.AmountXMR) / 2, 0, uint64(c.AmountXMR), uint64(c.AmountXMR) / 4} {
		a.listed[0].amount, a.signaled = shown, nil
		for range 5 {
			a.restart(t)
			require.NoError(t, a.scan(t.Context()))
			a.mineBlocks(1)
		}
		require.Equal(t, []string{c.ID}, a.signaled)
		rows, err := a.store.PayoutPayments(t.Context(), in.PayoutID)
		require.NoError(t, err)
		require.Equal(t, reserved.Gross, rows[0].Amount)
	}
	_, err = a.payouts().FailPayout(t.Context(), payouts.FailPayout{PayoutID: in.PayoutID})
	require.NoError(t, err)
	payments, err := a.store.ChargePayments(t.Context(), c.ID)
	require.NoError(t, err)
	require.Equal(t, c.AmountXMR/4, payments[0].Amount)
	require.Nil(t, payments[0].ShownAmount)
}

// TestDepositThatWasAnsweredIsRevaluedOnce: nothing is built for it, and its trade gets
// one signal.
func TestDepositThatWasAnsweredIsRevaluedOnce(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row, task := b.ready(t)
	for _, amount := range []uint64{500_000_000_000, 0, 250_000_000_000} {
		b.look(t)
		b.xmr.show(chain.Deposit{TxHash: "deposit of " + row.ID, Address: row.DepositAddress, Amount: amount, Height: 101, Confirmations: b.xmr.tip + 2 - 101})
		b.look(t)
		b.signals = nil
		for range 5 {
			b.look(t)
		}
		require.Empty(t, b.signals)
		deposits, err := b.store.TradeDeposits(t.Context(), row.ID)
		require.NoError(t, err)
		require.Equal(t, "1", deposits[0].Amount.String())
		rows, err := b.store.FindReceivedPayments(t.Context(), db.FindReceivedPaymentsParams{WalletIds: []string{"xmr"}, TxHashes: []string{"deposit of " + row.ID}})
		require.NoError(t, err)
		require.EqualValues(t, amount, *rows[0].ShownAmount)
	}
	require.Error(t, b.payments.SendTradePayment(t.Context(), task))
	require.Zero(t, b.ltc.builds)
}
