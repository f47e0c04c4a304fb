package activities_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
)

func (s *shop) paymentsOf(t *testing.T, payoutID string) (ids []int64) {
	t.Helper()
	rows, err := s.store.PayoutPayments(t.Context(), payoutID)
	require.NoError(t, err)
	for _, r := range rows {
		ids = append(ids, r.ID)
	}
	return ids
}

// releasedClaim makes a claim whose transaction was sent, dropped by a reorganization,
// refused since, and released by an operator. It returns the claim, its payout and the
// payments that this spent.
func (s *shop) releasedClaim(t *testing.T, n *node, a *payouts.Handler) (claim string, first string, spent []int64) {
	t.Helper()
	_, _, claim, first = s.builtRefund(t, "0.01")
	spent = s.paymentsOf(t, first)
	require.Len(t, spent, 2)
	require.NoError(t, step(t, a, a.RelayPayout, first, nil))
	s.release(t, n, a, first)
	return claim, first, spent
}

// TestTransactionsOfAClaimSpendTheSamePayment: the first transaction was broadcast; its
// bytes are with the network. The claim is paid again by itself. Should the chain go
// back, no more than one of both is valid.
func TestTransactionsOfAClaimSpendTheSamePayment(t *testing.T) {
	t.Parallel()
	s, n := open(t, 9), &node{}
	a := s.payouts()
	n.daemon(t, a)
	claim, _, spent := s.releasedClaim(t, n, a)
	s.pay(t, s.earn(t, 121), money.OneXMR/20, 121) // an order of 0.05 comes in meanwhile
	s.mine(t, 140)
	second, err := s.reserveClaim(t, claim)
	require.NoError(t, err)
	shared := false
	for _, id := range s.paymentsOf(t, second) {
		for _, before := range spent {
			shared = shared || id == before
		}
	}
	require.True(t, shared, "the first transaction spends %v, the second %v: both can be mined", spent, s.paymentsOf(t, second))
}

// TestEachTransactionOfAClaimIsNotifiedOnce: the first transaction was given up after its
// event. The merchant gets an event about the one that took its place.
func TestEachTransactionOfAClaimIsNotifiedOnce(t *testing.T) {
	t.Parallel()
	s, n := open(t, 9), &node{}
	a := s.payouts()
	n.daemon(t, a)
	claim, first, _ := s.releasedClaim(t, n, a)
	s.mine(t, 140)
	second, err := s.reserveClaim(t, claim)
	require.NoError(t, err)
	s.builtOf(t, second, "bb", "image")
	p, err := s.store.GetPayout(t.Context(), second)
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, s.store.Tx(t.Context(), func(q *db.Queries) error { return chargestore.RefundPayoutSent(t.Context(), q, p, nil, start) }))
	}
	rows, err := s.store.Pool().Query(t.Context(),
		"SELECT part || ' ' || (payload::json #>> '{data,claim,tx_hash}') FROM events WHERE resource_id = $1 AND type = 'refund.sent' ORDER BY id", claim)
	require.NoError(t, err)
	events, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Equal(t, []string{first + " aa", second + " bb"}, events)
}

// TestClaimIsNotSentWhoseChargeLostItsMoney: the buyer's payment is double spent after
// the claim was reserved and before it was relayed. No other money pays it.
func TestClaimIsNotSentWhoseChargeLostItsMoney(t *testing.T) {
	t.Parallel()
	s, n := open(t, 9), &node{}
	a := s.payouts()
	n.daemon(t, a)
	s.payTo(t)
	s.earn(t, 100)
	charge := s.earn(t, 101)
	id, err := s.refund(t, charge, "0.005")
	require.NoError(t, err)
	claim := s.claim(t, id, 0)
	po, err := s.reserveClaim(t, claim)
	require.NoError(t, err)
	s.exec(t, "UPDATE received_payments SET vanished_at = now(), height = NULL, mature_height = NULL, mature = false WHERE charge_id = $1", charge)
	s.exec(t, "UPDATE charges SET unbacked = true WHERE id = $1", charge)
	s.builtClaim(t, po)
	require.Equal(t, refusals.Refund, reason(t, step(t, a, a.RelayPayout, po, nil)))
	require.Equal(t, payout.Building, s.payoutStatus(t, po))
}

// TestRefundAtTheEndOfAnother: a claim that comes in time is written while the
// next refund of the charge is made. Not both are promised.
func TestRefundAtTheEndOfAnother(t *testing.T) {
	t.Parallel()
	s := open(t, 9)
	s.payTo(t)
	charge := s.earn(t, 100)
	s.earn(t, 101)
	s.earn(t, 102)
	first, err := s.refund(t, charge, "0.01")
	require.NoError(t, err)
	end := start.Add(refund.DefaultLife)
	in := chargestore.NewRefund{
		RefundID: secret.NewID("rf_"), MerchantID: s.merchant, ChargeID: charge, TokenHash: []byte{1}, Now: end,
		Ask: refund.Ask{Variant: refund.RateThen}, ExpiresAt: end.Add(time.Hour),
	}
	made := s.createRefund(t.Context(), in) // while the claim below has begun
	_, claimed := s.refunds().ClaimRefund(t.Context(), payouts.ClaimRefund{
		RefundID: first, ClaimID: secret.NewID("rc_"), Address: buyer, Now: end.Add(-time.Millisecond),
	})
	require.Equal(t, refusals.Refund, reason(t, made), "the first may still be claimed in these moments")
	require.NoError(t, claimed)
}

// TestWhatCameTooMuchIsGivenBackOnce however often it is asked for.
func TestWhatCameTooMuchIsGivenBackOnce(t *testing.T) {
	t.Parallel()
	s := open(t, 9)
	charge := s.earn(t, 100)
	s.pay(t, charge, earned/4, 101)
	s.mine(t, 130)
	ask := func() error {
		return s.createRefund(t.Context(), chargestore.NewRefund{
			RefundID: secret.NewID("rf_"), MerchantID: s.merchant, ChargeID: charge, TokenHash: []byte{1}, Now: start,
			Ask: refund.Ask{Variant: refund.OverpaidAmount}, ExpiresAt: start.Add(time.Hour),
		})
	}
	require.NoError(t, ask())
	require.Equal(t, refusals.Refund, reason(t, ask()), "the overpaid amount is given back already")
}

// TestClaimToAnIntegratedAddressIsRefused: a transaction with two destinations cannot
// carry its payment ID.
func TestClaimToAnIntegratedAddressIsRefused(t *testing.T) {
	t.Parallel()
	s := open(t, 9)
	id, err := s.refund(t, s.earn(t, 100), "0.01")
	require.NoError(t, err)
	to, err := monero.ParseAddress(buyer)
	require.NoError(t, err)
	to.Kind, to.PaymentID = monero.KindIntegrated, [8]byte{1, 2, 3, 4, 5, 6, 7, 8}
	_, err = s.refunds().ClaimRefund(t.Context(), payouts.ClaimRefund{RefundID: id, ClaimID: secret.NewID("rc_"), Address: to.String(), Now: start})
	require.Error(t, err, "it cannot be paid beside the payout address")
}

// TestMoneyThatIsNotDeepPaysNothingBack: a sale that was settled at one block is not
// refunded out of other customers' money before its own is ten blocks deep.
func TestMoneyThatIsNotDeepPaysNothingBack(t *testing.T) {
	t.Parallel()
	s := open(t, 9)
	s.payTo(t)
	s.earn(t, 100)
	charge := s.earn(t, 101)
	id, err := s.refund(t, charge, "0.005")
	require.NoError(t, err)
	claim := s.claim(t, id, 0)
	s.exec(t, "UPDATE received_payments t SET height = c.chain_height - 5 FROM wallets w JOIN chains c ON c.id = w.chain_id WHERE w.id = t.wallet_id AND t.charge_id = $1", charge)
	s.waitsFor(t, claim, refund.ForUnlock)
	s.exec(t, "UPDATE received_payments t SET height = c.chain_height - 10 FROM wallets w JOIN chains c ON c.id = w.chain_id WHERE w.id = t.wallet_id AND t.charge_id = $1", charge)
	_, err = s.reserveClaim(t, claim)
	require.NoError(t, err)
}

// TestWhatAnAbandonedTransactionMaySpendIsKnown when the next transaction is built: no
// operator's share stays behind in such an output.
func TestWhatAnAbandonedTransactionMaySpendIsKnown(t *testing.T) {
	t.Parallel()
	s, n := open(t, 9), &node{}
	a := s.payouts()
	n.daemon(t, a)
	risky := func(payout string) bool {
		t.Helper()
		var inputs []string
		require.NoError(t, s.store.Pool().QueryRow(t.Context(), "SELECT inputs FROM outgoing_transactions WHERE payout_id = $1", payout).Scan(&inputs))
		require.NotEmpty(t, inputs)
		is, err := s.store.AbandonedMaySpend(t.Context(), db.AbandonedMaySpendParams{WalletID: walletID, Outputs: inputs[:1]})
		require.NoError(t, err)
		other, err := s.store.AbandonedMaySpend(t.Context(), db.AbandonedMaySpendParams{WalletID: walletID, Outputs: []string{"another"}})
		require.NoError(t, err)
		require.False(t, other)
		return is
	}
	_, _, claim, first := s.builtRefund(t, "0.01")
	require.NotEmpty(t, claim)
	require.False(t, risky(first))
	require.NoError(t, step(t, a, a.RelayPayout, first, nil))
	s.release(t, n, a, first)
	require.True(t, risky(first))
	s.exec(t, "UPDATE outgoing_transactions SET spent_elsewhere_height = 10 WHERE payout_id = '"+first+"'")
	require.False(t, risky(first))
}
