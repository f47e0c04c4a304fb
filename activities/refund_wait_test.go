package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
)

// TestClaimThatWasTooSmallIsTriedWithMore: the wallet takes the fee of a busy chain, so
// the chosen payments leave nothing for the merchant. The next payout chooses more.
func TestClaimThatWasTooSmallIsTriedWithMore(t *testing.T) {
	t.Parallel()
	s, wallet := open(t, 9), &minedWallet{height: 140, outputs: map[string]walletOutput{}, spenders: map[string]int{}}
	a := s.payouts()
	wallet.spending(t, a)
	s.payToAddress(t, buyer)
	charge := s.earn(t, 100)
	s.pay(t, s.earn(t, 101), money.OneXMR/20, 101)
	s.mine(t, 140)
	id, err := s.refund(t, charge, "0.009915999999")
	require.NoError(t, err)
	claim := s.claim(t, id, 0)
	first, err := s.reserveClaim(t, claim)
	require.NoError(t, err)
	require.Len(t, s.paymentsOf(t, first), 1)
	p, err := s.store.GetPayout(t.Context(), first)
	require.NoError(t, err)
	require.Equal(t, earned, p.Gross)
	for range 2 {
		require.Equal(t, refusals.TooSmall, reason(t, step(t, a, a.BuildPayout, first, nil)))
		require.Equal(t, earned+1, s.claimRow(t, claim).Needs)
	}
	_, err = s.payouts().FailPayout(t.Context(), payouts.FailPayout{PayoutID: first})
	require.NoError(t, err)
	for range 2 { // the daemon is away meanwhile, and the learnt amount is kept
		require.NoError(t, s.payouts().DelayClaim(t.Context(), payouts.DelayClaim{ClaimID: claim, Now: start}))
	}
	second, err := s.reserveClaim(t, claim)
	require.NoError(t, err)
	p, err = s.store.GetPayout(t.Context(), second)
	require.NoError(t, err)
	require.Greater(t, p.Gross, earned)
}

// TestMoneyInTooManyPiecesIsSaid: the balance covers the claim, but no transaction of 146
// inputs does. The claim's row has that reason, and no block starts a run before the next
// try.
func TestMoneyInTooManyPiecesIsSaid(t *testing.T) {
	t.Parallel()
	s := open(t, 9)
	s.payTo(t)
	charge := s.earn(t, 100)
	for range 200 { // the one charge was paid on, in pieces of 0.001
		s.pay(t, charge, money.OneXMR/1000, 101)
	}
	s.mine(t, 140)
	id, err := s.refund(t, charge, "0.18")
	require.NoError(t, err)
	claim := s.claim(t, id, 0)
	s.waitsFor(t, claim, refund.ForPieces)
	require.Empty(t, s.payable(t))
	require.Equal(t, start.Add(10*time.Minute), s.claimRow(t, claim).NextAt.UTC())
	require.NoError(t, s.cancelRefund(t.Context(), chargestore.RefundDecision{RefundID: id, ClaimID: claim, Now: start}))
	part := s.claim(t, id, money.OneXMR/10)
	_, err = s.reserveClaim(t, part)
	require.NoError(t, err, "in parts")
}

// TestMoneyThatSufficesInNoChoiceWakesNoRefund: two payments suffice for one input's fee, and
// not for two.
func TestMoneyThatSufficesInNoChoiceWakesNoRefund(t *testing.T) {
	t.Parallel()
	s := open(t, 9)
	s.payTo(t)
	charge := s.earn(t, 100)
	s.pay(t, charge, money.OneXMR/100, 101)
	s.mine(t, 140)
	id, err := s.refund(t, charge, "0.019910000000") // one input takes 0.000084, two take 0.000098
	require.NoError(t, err)
	claim := s.claim(t, id, 0)
	s.waitsFor(t, claim, refund.ForMoney)
	require.Empty(t, s.payable(t))
	s.earn(t, 102)
	s.mine(t, 140)
	require.Equal(t, []string{claim}, s.payable(t))
}

// TestPausesGrowWithWhatWasBuilt: a wallet that is away builds nothing, and may be back at
// any time.
func TestPausesGrowWithWhatWasBuilt(t *testing.T) {
	t.Parallel()
	s := open(t, 9)
	s.payTo(t)
	charge := s.earn(t, 100)
	s.earn(t, 101)
	id, err := s.refund(t, charge, "0.005")
	require.NoError(t, err)
	claim := s.claim(t, id, 0)
	for range 6 {
		po, err := s.reserveClaim(t, claim)
		require.NoError(t, err)
		_, err = s.payouts().FailPayout(t.Context(), payouts.FailPayout{PayoutID: po})
		require.NoError(t, err)
	}
	require.Equal(t, start.Add(10*time.Minute), s.claimRow(t, claim).NextAt.UTC())
	for n, hash := range []string{"aa", "bb", "cc"} {
		po, err := s.reserveClaim(t, claim)
		require.NoError(t, err)
		s.builtOf(t, po, hash, "a")
		s.failed(t, po)
		require.Equal(t, start.Add(10*time.Minute<<n), s.claimRow(t, claim).NextAt.UTC())
	}
}

// TestClaimOfAChargeThatIsGoneIsNotPaid: a reorganization after retention can restart a
// refund whose charge was removed.
func TestClaimOfAChargeThatIsGoneIsNotPaid(t *testing.T) {
	t.Parallel()
	s, n := open(t, 9), &node{}
	a := s.payouts()
	n.daemon(t, a)
	_, id, claim, po := s.builtRefund(t, "0.005")
	s.exec(t, "UPDATE refunds SET charge_id = 'ch_gone'")
	require.Equal(t, refusals.Refund, reason(t, step(t, a, a.RelayPayout, po, nil)))
	_, err := a.FailPayout(t.Context(), payouts.FailPayout{PayoutID: po})
	require.NoError(t, err)
	s.waitsFor(t, claim, refund.ForCharge)
	require.NoError(t, s.cancelRefund(t.Context(), chargestore.RefundDecision{RefundID: id, Now: start}))
}

// TestARefundIsWokenByWhatChangesIt: the run of a refund would otherwise look after an hour.
// A decision that changes nothing wakes no run.
func TestARefundIsWokenByWhatChangesIt(t *testing.T) {
	t.Parallel()
	s := open(t, 5)
	id, err := s.refund(t, s.earn(t, 100), "0.004")
	require.NoError(t, err)
	requireWoken := func(what string, want ...string) {
		t.Helper()
		require.ElementsMatch(t, want, s.woken(t, "refunds"), what)
		_, err := s.store.Pool().Exec(t.Context(), "DELETE FROM wakeups WHERE kind = 'refunds'")
		require.NoError(t, err)
	}
	requireWoken("made", id)
	claimed, err := s.refunds().ClaimRefund(t.Context(), payouts.ClaimRefund{RefundID: id, ClaimID: secret.NewID("rc_"), Address: buyer, Now: start})
	require.NoError(t, err)
	whole := chargestore.RefundDecision{RefundID: id, Now: start}
	claim := chargestore.RefundDecision{RefundID: id, ClaimID: claimed.ClaimID, Now: start}
	for _, step := range []struct {
		what   string
		decide func() error
	}{
		{"approved", func() error { return s.approveRefund(t.Context(), claim) }},
		{"its claim cancelled", func() error { return s.cancelRefund(t.Context(), claim) }},
		{"cancelled", func() error { return s.cancelRefund(t.Context(), whole) }},
	} {
		require.NoError(t, step.decide())
		requireWoken(step.what, id)
		require.NoError(t, step.decide())
		requireWoken(step.what + " again")
	}
}
