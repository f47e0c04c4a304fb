package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
)

// claimAgain claims the refund once more and returns the buyer's error.
func (s *shop) claimAgain(t *testing.T, refundID string) error {
	t.Helper()
	_, err := s.refunds().ClaimRefund(t.Context(), payouts.ClaimRefund{RefundID: refundID, ClaimID: secret.NewID("rc_"), Address: buyer, Now: start})
	return err
}

// swept is a sweep whose transaction is deep in the chain and spends these key images.
func (s *shop) swept(t *testing.T, hash string, images ...string) {
	t.Helper()
	in := s.sweep()
	_, err := s.payouts().ReservePayout(t.Context(), in)
	require.NoError(t, err)
	s.builtOf(t, in.PayoutID, hash, images...)
	s.exec(t, "UPDATE payouts SET status = 'confirmed', sent_at = now(), confirmed_at = now() WHERE id = $1", in.PayoutID)
	s.exec(t, "UPDATE outgoing_transactions SET state = 'confirmed', sent_at = now(), confirmed_at = now(), height = 130 WHERE payout_id = $1", in.PayoutID)
}

// TestCancelledClaimHoldsWhatItsTransactionMayPay: the bytes of a claim are broadcast
// when the merchant cancels the claim. Its amount cannot be claimed, or used for a new
// refund, before a sweep has spent an input of those bytes, deep in the chain.
func TestCancelledClaimHoldsWhatItsTransactionMayPay(t *testing.T) {
	t.Parallel()
	s, n := open(t, 9), &node{}
	a := s.payouts()
	n.daemon(t, a)
	claim, _, _ := s.releasedClaim(t, n, a)
	row := s.claimRow(t, claim)
	for range 2 {
		require.NoError(t, s.cancelRefund(t.Context(), chargestore.RefundDecision{RefundID: row.RefundID, ClaimID: claim, Now: start}))
	}
	held := func() {
		t.Helper()
		require.Equal(t, refund.InProgress, s.refundStatus(t, row.RefundID))
		require.ErrorContains(t, s.claimAgain(t, row.RefundID), refund.ErrMinable.Error())
		l, err := chargestore.LoadRefund(t.Context(), s.store.Queries, row.RefundID)
		require.NoError(t, err)
		view, err := l.View(start)
		require.NoError(t, err)
		require.Zero(t, view.LeftXMR)
		require.Equal(t, refund.Cancelled, view.Claims[0].Status)
		require.Equal(t, refund.ForChain, *view.Claims[0].WaitsFor)
	}
	held()
	s.mine(t, 150)
	s.swept(t, "a sweep that leaves the output of both in the wallet", "b")
	held()
	s.exec(t, "UPDATE outgoing_transactions SET inputs = '{b,a}' WHERE state = 'confirmed'")
	_, err := s.refunds().AdvanceRefund(t.Context(), payouts.AdvanceRefund{RefundID: row.RefundID, Now: start})
	require.NoError(t, err)
	require.Equal(t, refund.Open, s.refundStatus(t, row.RefundID))
	require.NoError(t, s.claimAgain(t, row.RefundID))
	require.Equal(t, refusals.Refund, reason(t, s.claimAgainFor(t, row.RefundID, 1)), "once")
}

func (s *shop) claimAgainFor(t *testing.T, refundID string, amount money.Piconero) error {
	t.Helper()
	_, err := s.refunds().ClaimRefund(t.Context(), payouts.ClaimRefund{
		RefundID: refundID, ClaimID: secret.NewID("rc_"), Address: buyer, Amount: amount, Now: start,
	})
	return err
}

// TestCancelledRefundHoldsWhatItsTransactionMayPay: the refund was cancelled while a claim
// of it was on its way, and then its transaction was given up. A new refund of the charge
// finds no room until the bytes can never be mined.
func TestCancelledRefundHoldsWhatItsTransactionMayPay(t *testing.T) {
	t.Parallel()
	s, n := open(t, 9), &node{}
	a := s.payouts()
	n.daemon(t, a)
	charge, id, claim, po := s.builtRefund(t, "0.01")
	require.NoError(t, step(t, a, a.RelayPayout, po, nil))
	require.NoError(t, s.cancelRefund(t.Context(), chargestore.RefundDecision{RefundID: id, Now: start}))
	s.release(t, n, a, po)
	require.Equal(t, string(refund.Cancelled), s.claimRow(t, claim).Status)
	require.Equal(t, refund.InProgress, s.refundStatus(t, id))
	unfinished, err := s.store.UnfinishedRefunds(t.Context())
	require.NoError(t, err)
	require.Len(t, unfinished, 1, "its run goes on")
	_, err = s.refund(t, charge, "0.000000000001")
	require.Equal(t, refusals.Refund, reason(t, err))
	held, err := s.store.InRefunds(t.Context(), db.InRefundsParams{MerchantID: s.merchant, Now: start})
	require.NoError(t, err)
	require.Equal(t, earned, held)

	s.exec(t, "UPDATE received_payments SET vanished_at = now() - interval '23 hours', height = NULL, mature_height = NULL, mature = false WHERE charge_id <> $1", charge)
	_, err = s.refund(t, charge, "0.01")
	require.Equal(t, refusals.Refund, reason(t, err), "what it spends may come back where it was")
	s.exec(t, "UPDATE received_payments SET vanished_at = now() - interval '25 hours' WHERE vanished_at IS NOT NULL")
	_, err = s.refunds().AdvanceRefund(t.Context(), payouts.AdvanceRefund{RefundID: id, Now: start})
	require.NoError(t, err)
	require.Equal(t, refund.Cancelled, s.refundStatus(t, id))
	_, err = s.refund(t, charge, "0.01")
	require.NoError(t, err)
}

// TestOtherRefundsOfTheChargeCountWhatMayStillBePaid: a reorganization has removed a part
// of the money of a charge. The amount that an abandoned transaction may still pay is not
// paid twice.
func TestOtherRefundsOfTheChargeCountWhatMayStillBePaid(t *testing.T) {
	t.Parallel()
	s, n := open(t, 9), &node{}
	a := s.payouts()
	n.daemon(t, a)
	charge, id, _, po := s.builtRefund(t, "0.006")
	require.NoError(t, step(t, a, a.RelayPayout, po, nil))
	require.NoError(t, s.cancelRefund(t.Context(), chargestore.RefundDecision{RefundID: id, Now: start}))
	s.release(t, n, a, po)
	second, err := s.refund(t, charge, "0.004")
	require.NoError(t, err)
	claim := s.claim(t, second, 0)
	s.exec(t, "UPDATE received_payments SET amount = amount - 1 WHERE charge_id = $1", charge)
	s.waitsFor(t, claim, refund.ForCharge)
	s.exec(t, "UPDATE received_payments SET amount = amount + 1 WHERE charge_id = $1", charge)
	_, err = s.reserveClaim(t, claim)
	require.NoError(t, err)
}

// TestTheSharedPaymentIsWaitedFor while the chain does not show it, because it may come
// back, and the abandoned transaction with it. Any of the payments that the earlier
// transactions share will do.
func TestTheSharedPaymentIsWaitedFor(t *testing.T) {
	t.Parallel()
	s, n := open(t, 9), &node{}
	a := s.payouts()
	n.daemon(t, a)
	charge, _, claim, po := s.builtRefund(t, "0.01")
	require.NoError(t, step(t, a, a.RelayPayout, po, nil))
	spent := s.paymentsOf(t, po)
	require.Len(t, spent, 2)
	s.release(t, n, a, po)
	s.pay(t, s.earn(t, 121), money.OneXMR/20, 121)
	s.mine(t, 140)
	s.exec(t, "UPDATE received_payments SET mature = false, height = NULL, mature_height = NULL, vanished_at = now() WHERE id = ANY($1) AND charge_id <> $2",
		spent, charge)
	second, err := s.reserveClaim(t, claim)
	require.NoError(t, err)
	shared := s.paymentsOf(t, second)
	require.Contains(t, shared, spent[0], "the other payment of the first")
	s.builtOf(t, second, "bb", "a", "c")
	s.failed(t, second)

	// A third one spends an input of both.
	third, err := s.reserveClaim(t, claim)
	require.NoError(t, err)
	require.Contains(t, s.paymentsOf(t, third), spent[0])
	_, err = a.FailPayout(t.Context(), payouts.FailPayout{PayoutID: third})
	require.NoError(t, err)

	// A sweep takes the shared payment: until it is confirmed, the claim waits.
	s.exec(t, "UPDATE received_payments SET payout_id = 'a sweep' WHERE id = $1", spent[0])
	s.waitsFor(t, claim, refund.ForRetry)
}

// TestBytesWhoseInputsAreSpentDeepHoldNothing: another transaction has spent the inputs
// of a claim's payout, 10 blocks deep, and an operator releases the payout. Then any
// payment may pay the claim.
func TestBytesWhoseInputsAreSpentDeepHoldNothing(t *testing.T) {
	t.Parallel()
	s, n := open(t, 9), &node{spent: true, refuses: true, height: 120}
	a := s.payouts()
	n.daemon(t, a)
	_, id, claim, po := s.builtRefund(t, "0.005")
	gone := s.paymentsOf(t, po)
	require.Len(t, gone, 1)
	require.Error(t, step(t, a, a.RelayPayout, po, nil))
	n.set(func() { n.height = 140 })
	for range 2 {
		require.NoError(t, a.ReleasePayout(t.Context(), payouts.ReleasePayout{PayoutID: po, Actor: "cli:ann", Now: start}))
	}
	minable, err := s.store.MinableOfClaim(t.Context(), claim)
	require.NoError(t, err)
	require.Empty(t, minable)
	s.exec(t, "UPDATE received_payments SET spent_elsewhere = true WHERE id = $1", gone[0]) // as the next build does
	next, err := s.reserveClaim(t, claim)
	require.NoError(t, err)
	require.NotContains(t, s.paymentsOf(t, next), gone[0])
	_, err = a.FailPayout(t.Context(), payouts.FailPayout{PayoutID: next})
	require.NoError(t, err)
	require.NoError(t, s.cancelRefund(t.Context(), chargestore.RefundDecision{RefundID: id, ClaimID: claim, Now: start}))
	require.NoError(t, s.claimAgain(t, id))
}

// TestClaimWithoutAnAddressHoldsWhatItsTransactionMayPay: a restored copy does not know
// where the claim goes, so it is cancelled with its payout.
func TestClaimWithoutAnAddressHoldsWhatItsTransactionMayPay(t *testing.T) {
	t.Parallel()
	s, n := open(t, 9), &node{}
	a := s.payouts()
	n.daemon(t, a)
	charge, _, claim, po := s.builtRefund(t, "0.01")
	require.NoError(t, step(t, a, a.RelayPayout, po, nil))
	s.exec(t, "UPDATE refund_claims SET address_sealed = NULL")
	s.release(t, n, a, po)
	require.Equal(t, string(refund.Cancelled), s.claimRow(t, claim).Status)
	_, err := s.refund(t, charge, "0.000000000001")
	require.Equal(t, refusals.Refund, reason(t, err))
}

// builtRefund is a refund whose one claim is reserved and built, by the payout po.
func (s *shop) builtRefund(t *testing.T, xmr string) (charge, id, claim, po string) {
	t.Helper()
	s.payTo(t)
	charge = s.earn(t, 100)
	s.earn(t, 101)
	id, err := s.refund(t, charge, xmr)
	require.NoError(t, err)
	claim = s.claim(t, id, 0)
	po, err = s.reserveClaim(t, claim)
	require.NoError(t, err)
	s.builtClaim(t, po)
	return charge, id, claim, po
}

// release gives up a payout that a reorganization has dropped and the network refuses.
func (s *shop) release(t *testing.T, n *node, a *payouts.Handler, po string) {
	t.Helper()
	n.set(func() { n.known, n.refuses = false, true })
	require.NoError(t, step(t, a, a.CheckPayout, po, nil))
	s.exec(t, "UPDATE alerts SET opened_at = $1", start)
	require.NoError(t, a.ReleasePayout(t.Context(), payouts.ReleasePayout{PayoutID: po, Actor: "cli:ann", Now: start.Add(time.Hour)}))
	require.Equal(t, payout.Failed, s.payoutStatus(t, po))
}

// failed gives up a payout that was built, as FailPayout does.
func (s *shop) failed(t *testing.T, po string) {
	t.Helper()
	p, err := s.store.GetPayout(t.Context(), po)
	require.NoError(t, err)
	s.exec(t, "UPDATE payouts SET status = 'failed' WHERE id = $1", po)
	s.exec(t, "UPDATE outgoing_transactions SET state = 'abandoned', abandoned_at = now(), abandoned_by = 'durapay' WHERE payout_id = $1", po)
	require.NoError(t, s.store.Tx(t.Context(), func(q *db.Queries) error {
		if err := chargestore.RefundPayoutFailed(t.Context(), q, p, start); err != nil {
			return err
		}
		return q.UnreservePayments(t.Context(), po)
	}))
}
