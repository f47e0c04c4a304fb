package activities_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/trade"
)

// TestWhatWasClaimedIsCheckedAgain lets a worker die after it claimed the wallet, and the
// chain change before the next worker comes. The checks for a payment that was never
// begun apply to this one too.
func TestWhatWasClaimedIsCheckedAgain(t *testing.T) {
	t.Parallel()
	t.Run("the deposit left the chain", func(t *testing.T) {
		t.Parallel()
		b := bureauOf(t)
		row, task := b.ready(t)
		b.claim(t, task.TradePaymentID)
		b.xmr.show(chain.Deposit{TxHash: "deposit of " + row.ID, Address: row.DepositAddress, Amount: 1_000_000_000_000, Missing: true})
		for range 2 {
			require.ErrorIs(t, b.payments.SendTradePayment(t.Context(), task), chain.ErrNotFound)
		}
		require.Zero(t, b.ltc.builds)
		_, other := b.ready(t)
		require.NoError(t, b.payments.SendTradePayment(t.Context(), other), "the wallet is free for others")
		b.deposit(row, "deposit of "+row.ID, "1", 3)
		require.NoError(t, b.payments.SendTradePayment(t.Context(), task))
		require.Len(t, b.ltc.relayed, 2)
	})
	t.Run("the payee is sanctioned now", func(t *testing.T) {
		t.Parallel()
		b := bureauOf(t)
		row, task := b.ready(t)
		b.claim(t, task.TradePaymentID)
		b.listed = []string{"payee"}
		for range 2 {
			require.NoError(t, b.payments.SendTradePayment(t.Context(), task))
		}
		require.Zero(t, b.ltc.builds)
		require.Equal(t, trade.Failed, b.advance(t, row.ID).Status)
	})
}

// TestSequenceOfAWalletOnlyGrows counts the transactions that a wallet signs: abandoned
// and removed ones leave their numbers behind.
func TestSequenceOfAWalletOnlyGrows(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	store := func(purpose string) int64 {
		t.Helper()
		id, err := b.store.ClaimWallet(t.Context(), db.ClaimWalletParams{WalletID: "ltc", Purpose: purpose, TradeIds: []string{}, CreatedAt: start})
		require.NoError(t, err)
		seq, err := b.store.StoreBuilt(t.Context(), db.StoreBuiltParams{
			ID: id, TxHash: "tx " + purpose, Raw: []byte{1}, Inputs: []string{"a"}, BuiltAt: start,
		})
		require.NoError(t, err)
		return seq
	}
	require.EqualValues(t, 1, store("refund"))
	_, err := b.store.Pool().Exec(t.Context(), "DELETE FROM outgoing_transactions")
	require.NoError(t, err)
	require.EqualValues(t, 2, store("trade_payout"))
}

// TestOnlyOneRunStoresItsBytes lets a run that is presumed dead end its build after
// another run has built and sent. The transaction of the first run is never relayed.
func TestOnlyOneRunStoresItsBytes(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row, task := b.ready(t)
	b.ltc.meanwhile = func() { require.NoError(t, b.payments.SendTradePayment(t.Context(), task)) }
	require.NoError(t, b.payments.SendTradePayment(t.Context(), task))
	require.Equal(t, 2, b.ltc.builds)
	require.Len(t, b.ltc.relayed, 1)
	sent, err := b.store.GetTradePayment(t.Context(), task.TradePaymentID)
	require.NoError(t, err)
	require.Contains(t, b.ltc.relayed, *sent.TxHash)
	require.Equal(t, trade.Sending, b.advance(t, row.ID).Status)
	b.now = b.now.Add(time.Hour)
	require.NoError(t, b.payments.CheckTradePayments(t.Context(), trades.TradeTask{TradeID: row.ID}))
	require.Len(t, b.ltc.relayed, 1)
}

// TestAbandonedBytesAreNotRelayed abandons a transaction after it was read and before it
// is relayed. Another transaction then pays its payments.
func TestAbandonedBytesAreNotRelayed(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row, task := b.ready(t)
	b.ltc.found = func() {
		p, err := b.store.GetTradePayment(t.Context(), task.TradePaymentID)
		require.NoError(t, err)
		at := b.now
		n, err := b.store.AbandonOutgoing(t.Context(), db.AbandonOutgoingParams{ID: *p.TransactionID, AbandonedAt: &at, AbandonedBy: "cli:ann"})
		require.NoError(t, err)
		require.EqualValues(t, 1, n)
		require.NoError(t, b.store.FreeTradePayments(t.Context(), *p.TransactionID))
	}
	require.Error(t, b.payments.SendTradePayment(t.Context(), task))
	require.Empty(t, b.ltc.relayed)
	for range 2 {
		require.NoError(t, b.payments.SendTradePayment(t.Context(), task))
	}
	require.Equal(t, 2, b.ltc.builds)
	require.Len(t, b.ltc.relayed, 1)
	sent, err := b.store.GetTradePayment(t.Context(), task.TradePaymentID)
	require.NoError(t, err)
	require.Contains(t, b.ltc.relayed, *sent.TxHash)
	require.Equal(t, trade.Sending, b.advance(t, row.ID).Status)
}

// TestBytesThatWaitedLongAreCheckedBeforeTheyAreSent: the daemon was away for hours after
// a payment was built. The payment gets the checks of a stale claim. If it may not be
// made any more, an operator decides.
func TestBytesThatWaitedLongAreCheckedBeforeTheyAreSent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(b *bureau, deposit chain.Deposit)
		later  time.Duration
		why    string
	}{
		"nothing changed":       {func(*bureau, chain.Deposit) {}, time.Hour, ""},
		"the deposit is gone":   {func(b *bureau, d chain.Deposit) { d.Missing = true; b.xmr.show(d) }, time.Hour, "its deposit is not what it was"},
		"the payee was listed":  {func(b *bureau, _ chain.Deposit) { b.listed = []string{"payee"} }, time.Hour, "the address to pay cannot be used"},
		"it was built just now": {func(b *bureau, _ chain.Deposit) { b.listed = []string{"payee"} }, time.Minute, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := bureauOf(t)
			row := b.create(t, b.request("1"))
			deposit := b.deposit(row, "deposit of "+row.ID, "1", 2)
			task := trades.TradePaymentTask{TradePaymentID: b.advance(t, row.ID).Payments[0].ID}
			b.ltc.relayErr = errors.New("the daemon is away")
			require.Error(t, b.payments.SendTradePayment(t.Context(), task))
			b.now = b.now.Add(c.later)
			c.change(b, deposit)
			b.ltc.relayErr = nil
			for range 2 {
				require.NoError(t, b.payments.SendTradePayment(t.Context(), task))
			}
			p, err := b.store.GetTradePayment(t.Context(), task.TradePaymentID)
			require.NoError(t, err)
			require.Equal(t, 1, b.ltc.builds)
			if c.why == "" {
				require.Equal(t, trade.Sent, trade.PaymentState(p.State))
				require.Len(t, b.ltc.relayed, 1)
				return
			}
			require.Empty(t, b.ltc.relayed)
			require.Equal(t, trade.PaymentFailed, trade.PaymentState(p.State))
			require.Contains(t, *p.TransactionReason, c.why)
			require.Len(t, b.alerts(t), 1, "an operator decides")
			in := trades.RetryTradePayment{TradeID: row.ID, TradePaymentID: task.TradePaymentID, Actor: "cli:ann"}
			requireNotRetried(t, b.payments.RetryTradePayment(t.Context(), in), c.why)
		})
	}
}
