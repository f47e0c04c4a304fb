package activities_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/webhook"
)

// Addresses of foreign wallets.
const (
	buyer      = "48DCHZHFQ2vd1VWZMzvbymBKcPUXYv9vwcgJY7fwe9ouPeuJuXuHKZjd5G5DaqbaHNRzek3wtCvrGM79AcCQF5QGG3FaS4u"
	earned     = money.OneXMR / 100
	claimFloor = refund.MinClaim
)

func (s *shop) refunds() *payouts.Handler {
	return &payouts.Handler{Store: s.store, Secret: s.box}
}

// createRefund, approveRefund and cancelRefund are transactions of the API.
func (s *shop) createRefund(ctx context.Context, in chargestore.NewRefund) error {
	return s.store.Tx(ctx, func(q *db.Queries) error { return chargestore.RefundTerms{Prices: priced{}}.Create(ctx, q, in) })
}

func (s *shop) approveRefund(ctx context.Context, in chargestore.RefundDecision) error {
	return s.store.Tx(ctx, func(q *db.Queries) error {
		_, err := chargestore.ApproveClaims(ctx, q, in)
		return err
	})
}

func (s *shop) cancelRefund(ctx context.Context, in chargestore.RefundDecision) error {
	return s.store.Tx(ctx, func(q *db.Queries) error { return chargestore.CancelRefund(ctx, q, in) })
}

// refund asks for a custom refund of a charge and returns its identifier.
func (s *shop) refund(t *testing.T, chargeID, xmr string) (string, error) {
	t.Helper()
	in := chargestore.NewRefund{
		RefundID: secret.NewID("rf_"), MerchantID: s.merchant, ChargeID: chargeID, TokenHash: secret.HashAPIKey("token"), Leave: refund.WithinSettings,
		Ask:       refund.Ask{Variant: refund.Custom, Amount: money.MustDecimal(xmr), Currency: money.XMR},
		ExpiresAt: start.Add(refund.DefaultLife), Now: start,
	}
	return in.RefundID, s.createRefund(t.Context(), in)
}

// claim claims a part of a refund, all that is left for 0, and has it approved.
func (s *shop) claim(t *testing.T, refundID string, amount money.Piconero) string {
	t.Helper()
	made, err := s.refunds().ClaimRefund(t.Context(), payouts.ClaimRefund{
		RefundID: refundID, ClaimID: secret.NewID("rc_"), Address: buyer, Amount: amount, Now: start,
	})
	require.NoError(t, err)
	require.NoError(t, s.approveRefund(t.Context(), chargestore.RefundDecision{RefundID: refundID, Now: start}))
	return made.ClaimID
}

// reserveClaim tries to pay a claim with a payout of its own.
func (s *shop) reserveClaim(t *testing.T, claimID string) (string, error) {
	t.Helper()
	in := payouts.ReserveClaim{PayoutID: secret.NewID("po_"), ClaimID: claimID, Dust: 14_000_000, Now: start}
	_, err := s.payouts().ReserveClaim(t.Context(), in)
	return in.PayoutID, err
}

func (s *shop) claimRow(t *testing.T, id string) db.RefundClaim {
	t.Helper()
	row, err := s.store.GetClaim(t.Context(), id)
	require.NoError(t, err)
	return row
}

func (s *shop) waitsFor(t *testing.T, id string, want refund.Waits) {
	t.Helper()
	_, err := s.reserveClaim(t, id)
	require.Equal(t, refusals.Waits, reason(t, err))
	row := s.claimRow(t, id)
	require.Equal(t, string(want), *row.WaitsFor)
	require.Equal(t, string(refund.AwaitingPayment), row.Status)
}

func (s *shop) refundStatus(t *testing.T, id string) refund.Status {
	t.Helper()
	row, err := s.store.GetRefund(t.Context(), id)
	require.NoError(t, err)
	return refund.Status(row.Status)
}

// payable returns the refunds that the watcher would signal at a block.
func (s *shop) payable(t *testing.T) []string {
	t.Helper()
	return s.payableAt(t, start)
}

func (s *shop) payableAt(t *testing.T, at time.Time) []string {
	t.Helper()
	rows, err := s.store.PayableClaims(t.Context(), db.PayableClaimsParams{WalletID: walletID, Now: at, ReckonedSince: at.Add(-time.Hour), MaxRows: 10})
	require.NoError(t, err)
	ids := []string{}
	for _, r := range rows {
		ids = append(ids, r.ID)
	}
	return ids
}

func TestRefundsNeverHoldMoreThanWasReceived(t *testing.T) {
	t.Parallel()
	s := open(t, 5)
	id := s.earn(t, 100)
	_, err := s.refund(t, id, "0.010000000001")
	require.Equal(t, refusals.Refund, reason(t, err))
	var wg sync.WaitGroup
	var mu sync.Mutex
	made := []string{}
	for range 6 { // six clicks at once, each for 0.004 of 0.01
		wg.Go(func() {
			r, err := s.refund(t, id, "0.004")
			if err == nil {
				mu.Lock()
				made = append(made, r)
				mu.Unlock()
				return
			}
			assert.True(t, isRefusal(err), err)
		})
	}
	wg.Wait()
	require.Len(t, made, 2)
	_, err = s.refund(t, id, "0.002000000001")
	require.Equal(t, refusals.Refund, reason(t, err))
	_, err = s.refund(t, id, "0.002")
	require.NoError(t, err, "to the piconero")

	// A cancelled refund holds the amount that is claimed and being paid, and no more.
	require.NoError(t, s.cancelRefund(t.Context(), chargestore.RefundDecision{RefundID: made[0], Now: start}))
	require.NoError(t, s.cancelRefund(t.Context(), chargestore.RefundDecision{RefundID: made[0], Now: start}), "twice is once")
	_, err = s.refund(t, id, "0.004")
	require.NoError(t, err)
	_, err = s.refund(t, id, "0.000000000001")
	require.Equal(t, refusals.Refund, reason(t, err))
}

func TestRefundsOfNoChargeNeverHoldMoreThanTheBalance(t *testing.T) {
	t.Parallel()
	s := open(t, 9)
	s.payTo(t)
	_, err := s.refund(t, "", "0.001")
	require.Equal(t, refusals.Refund, reason(t, err), "there is no balance")
	first := s.earn(t, 100)
	_, err = s.store.Pool().Exec(t.Context(), "UPDATE merchants SET refund_auto_up_to = 1000000000000")
	require.NoError(t, err)
	_, err = s.refund(t, first, "0.002")
	require.NoError(t, err, "what refunds of charges hold is held")
	var wg sync.WaitGroup
	var mu sync.Mutex
	made := []string{}
	for range 6 { // six clicks at once, each for 0.003 of 0.008
		wg.Go(func() {
			r, err := s.refund(t, "", "0.003")
			if err == nil {
				mu.Lock()
				made = append(made, r)
				mu.Unlock()
				return
			}
			assert.True(t, isRefusal(err), err)
		})
	}
	wg.Wait()
	require.Len(t, made, 2)
	_, err = s.refund(t, "", "0.002000000001")
	require.Equal(t, refusals.Refund, reason(t, err))
	last, err := s.refund(t, "", "0.002")
	require.NoError(t, err, "to the piconero")
	in := chargestore.NewRefund{
		RefundID: secret.NewID("rf_"), MerchantID: s.merchant, TokenHash: []byte{1}, Ask: refund.Ask{Variant: refund.RateThen},
		ExpiresAt: start.Add(time.Hour), Now: start,
	}
	require.Equal(t, refusals.Refund, reason(t, s.createRefund(t.Context(), in)), "nothing was received for no charge")

	// Its claim waits for the merchant, whatever goes by itself otherwise, and is paid then.
	claimed, err := s.refunds().ClaimRefund(t.Context(), payouts.ClaimRefund{RefundID: last, ClaimID: secret.NewID("rc_"), Address: buyer, Now: start})
	require.NoError(t, err)
	require.Equal(t, string(refund.AwaitingApproval), s.claimRow(t, claimed.ClaimID).Status)
	require.NoError(t, s.approveRefund(t.Context(), chargestore.RefundDecision{RefundID: last, Now: start}))
	_, err = s.reserveClaim(t, claimed.ClaimID)
	require.NoError(t, err)
	require.Equal(t, string(refund.InProgress), s.claimRow(t, claimed.ClaimID).Status)
}

// announced returns how many deliveries of an event the outbox is to start.
func (s *shop) announced(t *testing.T, event string) int {
	t.Helper()
	return s.number(t, `SELECT count(*) FROM wakeups w JOIN deliveries d ON d.id = w.id JOIN events e ON e.id = d.event_id
		WHERE w.kind = 'deliveries' AND w.owner = d.merchant_id AND e.type = $1`, event)
}

func TestRefundIsMadeAndNotifiedOnce(t *testing.T) {
	t.Parallel()
	s := open(t, 5)
	s.webhook(t, "https://shop.example", webhook.EventRefundCreated, webhook.EventRefundClaimed)
	id := s.earn(t, 100)
	in := chargestore.NewRefund{
		RefundID: secret.NewID("rf_"), MerchantID: s.merchant, ChargeID: id, TokenHash: []byte{1}, Now: start,
		Ask: refund.Ask{Variant: refund.RateThen}, ExpiresAt: start.Add(time.Hour),
	}
	for range 2 {
		require.NoError(t, s.createRefund(t.Context(), in))
	}
	state, err := s.refunds().AdvanceRefund(t.Context(), payouts.AdvanceRefund{RefundID: in.RefundID, Now: start})
	require.NoError(t, err)
	require.Equal(t, refund.Open, state.Status)
	require.Equal(t, earned, state.Amount)
	require.Equal(t, 1, s.announced(t, webhook.EventRefundCreated))
	claim := s.claim(t, in.RefundID, 0)
	state, err = s.refunds().AdvanceRefund(t.Context(), payouts.AdvanceRefund{RefundID: in.RefundID, Now: start})
	require.NoError(t, err)
	require.Equal(t, 1, s.announced(t, webhook.EventRefundClaimed))
	require.Equal(t, claim, state.PayClaim)

	late := payouts.AdvanceRefund{RefundID: in.RefundID, Now: start.Add(time.Hour)}
	state, err = s.refunds().AdvanceRefund(t.Context(), late)
	require.NoError(t, err)
	require.Equal(t, refund.AwaitingPayment, state.Status, "what was claimed in time is paid")
}

func TestRefundsAreOfConfirmedLiveCharges(t *testing.T) {
	t.Parallel()
	s := open(t, 5)
	in := s.request()
	s.create(t, in)
	_, err := s.refund(t, in.ChargeID, "0.001")
	require.Equal(t, refusals.Refund, reason(t, err), "not confirmed")
	id := s.earn(t, 100)
	_, err = s.store.Pool().Exec(t.Context(), "UPDATE charges SET unbacked = true WHERE id = $1", id)
	require.NoError(t, err)
	_, err = s.refund(t, id, "0.001")
	require.Equal(t, refusals.Refund, reason(t, err), "its money left the chain")
	_, err = s.refund(t, secret.NewID("ch_"), "0.001")
	require.Equal(t, refusals.Missing, reason(t, err))
}

func TestClaimsAtOnceNeverTakeMoreThanTheRefund(t *testing.T) {
	t.Parallel()
	s := open(t, 5)
	id, err := s.refund(t, s.earn(t, 100), "0.01")
	require.NoError(t, err)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			_, err := s.refunds().ClaimRefund(t.Context(), payouts.ClaimRefund{
				RefundID: id, ClaimID: secret.NewID("rc_"), Address: buyer, Amount: 2*claimFloor + money.Piconero(i), Now: start,
			})
			if err != nil {
				assert.True(t, isRefusal(err), err)
			}
		})
	}
	wg.Wait()
	row, err := s.store.ClaimsOf(t.Context(), []string{id})
	require.NoError(t, err)
	var sum money.Piconero
	for _, c := range row {
		sum += c.RefundClaim.Amount
	}
	require.Len(t, row, 4)
	require.LessOrEqual(t, sum, earned)

	// The same claim again is the same claim, also at the same time.
	again := payouts.ClaimRefund{RefundID: id, Address: buyer, Amount: row[0].RefundClaim.Amount, Now: start}
	for range 4 {
		wg.Go(func() {
			in := again
			in.ClaimID = secret.NewID("rc_")
			made, err := s.refunds().ClaimRefund(t.Context(), in)
			assert.NoError(t, err)
			assert.Equal(t, row[0].RefundClaim.ID, made.ClaimID)
		})
	}
	wg.Wait()
}

func TestAddressesThatRefundsDoNotPay(t *testing.T) {
	t.Parallel()
	s := open(t, 5)
	id, err := s.refund(t, s.earn(t, 100), "0.01")
	require.NoError(t, err)
	_, err = s.store.Pool().Exec(t.Context(), "UPDATE wallets SET primary_address = $1 WHERE id = 'sandbox-1'", buyer)
	require.NoError(t, err)
	for _, address := range []string{buyer, "", "no address", strings.Repeat("4", 95), "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"} {
		_, err := s.refunds().ClaimRefund(t.Context(), payouts.ClaimRefund{RefundID: id, ClaimID: secret.NewID("rc_"), Address: address, Now: start})
		require.Equal(t, refusals.Refund, reason(t, err), address)
	}
}

func TestClaimReservesWholePaymentsThatCoverIt(t *testing.T) {
	t.Parallel()
	s := open(t, 9)
	s.payTo(t)
	first := s.earn(t, 100)
	s.earn(t, 101)
	s.earn(t, 102)
	id, err := s.refund(t, first, "0.004")
	require.NoError(t, err)
	claim := s.claim(t, id, 0)
	require.Equal(t, []string{claim}, s.payable(t))
	po, err := s.reserveClaim(t, claim)
	require.NoError(t, err)
	p, err := s.store.GetPayout(t.Context(), po)
	require.NoError(t, err)
	require.EqualValues(t, 1, p.Outputs, "as few as cover it")
	require.Equal(t, earned, p.Gross)
	require.EqualValues(t, 4_000_000_000, p.RefundAmount)
	require.Equal(t, refund.InProgress, s.refundStatus(t, id))
	require.Empty(t, s.payable(t))
	_, err = s.reserveClaim(t, claim)
	require.Equal(t, refusals.Refund, reason(t, err), "one payout for a claim")
	_, err = s.payouts().ReservePayout(t.Context(), s.sweep())
	require.Equal(t, refusals.InProgress, reason(t, err), "one payout at a time")
	err = s.cancelRefund(t.Context(), chargestore.RefundDecision{RefundID: id, ClaimID: claim, Now: start})
	require.Equal(t, refusals.Refund, reason(t, err), "it is being paid")

	_, err = s.payouts().FailPayout(t.Context(), payouts.FailPayout{PayoutID: po, Reason: "refused"})
	require.NoError(t, err)
	row := s.claimRow(t, claim)
	require.Equal(t, string(refund.AwaitingPayment), row.Status)
	require.Equal(t, string(refund.ForRetry), *row.WaitsFor)
	require.True(t, row.NextAt.After(start))
	require.Equal(t, refund.AwaitingPayment, s.refundStatus(t, id))
	_, err = s.reserveClaim(t, claim)
	require.NoError(t, err, "another payout pays it")
}

func TestReserveOfAClaimAtTheSameTimeIsOnePayout(t *testing.T) {
	t.Parallel()
	s := open(t, 9)
	s.payTo(t)
	first := s.earn(t, 100)
	s.earn(t, 101)
	id, err := s.refund(t, first, "0.004")
	require.NoError(t, err)
	claim := s.claim(t, id, 0)
	same := payouts.ReserveClaim{PayoutID: secret.NewID("po_"), ClaimID: claim, Dust: 14_000_000, Now: start}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			in := same
			if i%2 == 1 { // another run's payout
				in.PayoutID = secret.NewID("po_")
			}
			if _, err := s.payouts().ReserveClaim(t.Context(), in); err != nil {
				assert.True(t, isRefusal(err), err)
			}
		})
	}
	wg.Wait()
	rows, err := s.store.ListPayouts(t.Context(), db.ListPayoutsParams{MerchantID: s.merchant, Limit: 10})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.Nil(t, s.claimRow(t, claim).WaitsFor)
}

func TestClaimWaitsAndSaysForWhat(t *testing.T) {
	t.Parallel()
	s := open(t, 9)
	charge := s.earn(t, 100)
	id, err := s.refund(t, charge, "0.01")
	require.NoError(t, err)
	claim := s.claim(t, id, 0)
	s.waitsFor(t, claim, refund.ForAddress)
	require.Empty(t, s.payable(t))
	s.payTo(t)

	s.waitsFor(t, claim, refund.ForMoney)
	require.Empty(t, s.payable(t), "what was received covers no fee")
	require.Greater(t, s.claimRow(t, claim).Needs, earned)
	s.earn(t, 101)
	require.Equal(t, []string{claim}, s.payable(t), "new money wakes it")
	_, err = s.store.Pool().Exec(t.Context(), "UPDATE chains SET chain_height = 109 WHERE id = $1", liveChain)
	require.NoError(t, err)
	s.waitsFor(t, claim, refund.ForUnlock)
	require.Empty(t, s.payable(t))
	s.mine(t, 120)

	require.NoError(t, s.store.HoldPayouts(t.Context(), db.HoldPayoutsParams{MerchantID: s.merchant, Until: start.Add(time.Hour)}))
	s.waitsFor(t, claim, refund.ForHold)
	require.Empty(t, s.payable(t))
	_, err = s.store.Pool().Exec(t.Context(), "UPDATE merchants SET payout_hold_until = NULL, suspended_at = now()")
	require.NoError(t, err)
	s.waitsFor(t, claim, refund.ForSuspension)
	_, err = s.store.Pool().Exec(t.Context(), "UPDATE merchants SET suspended_at = NULL")
	require.NoError(t, err)

	_, err = s.store.Pool().Exec(t.Context(), "UPDATE witnesses SET safe_since = now(), safe_reason = 'test' WHERE wallet_id = $1", walletID)
	require.NoError(t, err)
	s.waitsFor(t, claim, refund.ForSafeMode)
	_, err = s.store.Pool().Exec(t.Context(), "UPDATE witnesses SET safe_since = NULL, safe_reason = NULL WHERE wallet_id = $1", walletID)
	require.NoError(t, err)

	_, err = s.store.Pool().Exec(t.Context(), "UPDATE charges SET unbacked = true WHERE id = $1", charge)
	require.NoError(t, err)
	s.waitsFor(t, claim, refund.ForCharge)
	_, err = s.store.Pool().Exec(t.Context(), "UPDATE charges SET unbacked = false")
	require.NoError(t, err)

	_, err = s.payouts().ReservePayout(t.Context(), s.sweep())
	require.NoError(t, err)
	_, err = s.store.Pool().Exec(t.Context(), "UPDATE refund_claims SET next_at = $1", start)
	require.NoError(t, err)
	s.earn(t, 121)
	s.earn(t, 122)
	s.waitsFor(t, claim, refund.ForPayout)
	require.Empty(t, s.payable(t))
	_, err = s.payouts().FailPayout(t.Context(), payouts.FailPayout{PayoutID: mustPayout(t, s)})
	require.NoError(t, err)
	require.Equal(t, []string{claim}, s.payable(t), "what was freed wakes it")
	_, err = s.reserveClaim(t, claim)
	require.NoError(t, err)
}

// TestSanctionedAddressWaits shows an address that was listed after it was claimed for.
func TestSanctionedAddressWaits(t *testing.T) {
	t.Parallel()
	s := open(t, 9)
	s.payTo(t)
	s.earn(t, 100)
	id, err := s.refund(t, s.earn(t, 101), "0.01")
	require.NoError(t, err)
	claim := s.claim(t, id, 0)
	a := s.payouts()
	a.Sanctioned = listed
	_, err = a.ReserveClaim(t.Context(), payouts.ReserveClaim{PayoutID: secret.NewID("po_"), ClaimID: claim, Dust: 14_000_000, Now: start})
	require.Equal(t, refusals.Waits, reason(t, err))
	require.Equal(t, string(refund.ForScreening), *s.claimRow(t, claim).WaitsFor)
	r := s.refunds()
	r.Sanctioned = listed
	_, err = r.ClaimRefund(t.Context(), payouts.ClaimRefund{RefundID: id, ClaimID: secret.NewID("rc_"), Address: buyer, Now: start})
	require.Equal(t, refusals.Blocked, reason(t, err))
}

// listed is a sanctions list with every address on it.
func listed(context.Context, ...string) (bool, error) { return true, nil }

// builtClaim stores bytes of a payout that pays a claim, with the books of its own row.
func (s *shop) builtClaim(t *testing.T, id string) {
	t.Helper()
	s.builtOf(t, id, "aa", "a")
}

// builtOf is builtClaim with a hash and the key images of the inputs.
func (s *shop) builtOf(t *testing.T, id, hash string, inputs ...string) {
	t.Helper()
	p, err := s.store.GetPayout(t.Context(), id)
	require.NoError(t, err)
	at, fee := start, money.Piconero(30_000_000)
	n, err := s.store.StoreBuild(t.Context(), db.StoreBuildParams{
		ID: id, TxHash: &hash, Gross: p.Gross, Amount: p.Gross - p.RefundAmount - fee, NetworkFee: fee, Outputs: 1, ChargesPaid: 1, BuiltAt: &at,
	})
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	tx, err := s.store.ClaimWallet(t.Context(), db.ClaimWalletParams{
		WalletID: walletID, Purpose: "payout", PayoutID: &id, TradeIds: []string{}, CreatedAt: at,
	})
	require.NoError(t, err)
	_, err = s.store.StoreBuilt(t.Context(), db.StoreBuiltParams{
		ID: tx, TxHash: hash, Raw: []byte{1}, Inputs: inputs, Payments: s.paymentsOf(t, id), Paid: (p.Gross - fee).Decimal(), Fee: fee.Decimal(),
		BuiltAt: at,
	})
	require.NoError(t, err)
}

// TestClaimFollowsItsPayout walks a claim through relay, confirmation, a reorganization
// and a second confirmation. Each causes one event.
func TestClaimFollowsItsPayout(t *testing.T) {
	t.Parallel()
	s := open(t, 9)
	s.webhook(t, "https://shop.example", webhook.EventPayoutSent, webhook.EventRefundSent, webhook.EventRefundConfirmed)
	s.payTo(t)
	s.earn(t, 100)
	id, err := s.refund(t, s.earn(t, 101), "0.004")
	require.NoError(t, err)
	claim := s.claim(t, id, 0)
	po, err := s.reserveClaim(t, claim)
	require.NoError(t, err)
	s.builtClaim(t, po)
	n := &node{}
	a := s.payouts()
	n.daemon(t, a)
	for range 2 {
		require.NoError(t, step(t, a, a.RelayPayout, po, nil))
		require.Equal(t, 1, s.announced(t, webhook.EventRefundSent))
		require.Equal(t, 1, s.announced(t, webhook.EventPayoutSent))
	}
	require.Equal(t, string(refund.InProgress), s.claimRow(t, claim).Status)
	require.NotNil(t, s.claimRow(t, claim).SentAt)
	require.Equal(t, payout.Broadcast, s.payoutStatus(t, po))
	p, err := s.store.GetPayout(t.Context(), po)
	require.NoError(t, err)
	move := func(change func(q *db.Queries) error) {
		require.NoError(t, s.store.Tx(t.Context(), change))
	}
	for range 2 { // deep, dropped by a reorganization, deep again
		move(func(q *db.Queries) error { return chargestore.RefundPayoutConfirmed(t.Context(), q, p, start) })
		require.Equal(t, refund.Completed, s.refundStatus(t, id))
		move(func(q *db.Queries) error { return chargestore.RefundPayoutDropped(t.Context(), q, claim, start) })
		require.Equal(t, refund.InProgress, s.refundStatus(t, id))
	}
	require.Equal(t, 1, s.announced(t, webhook.EventRefundSent), "once")
	require.Equal(t, 1, s.announced(t, webhook.EventRefundConfirmed), "once")
	err = s.cancelRefund(t.Context(), chargestore.RefundDecision{RefundID: id, ClaimID: claim, Now: start})
	require.Equal(t, refusals.Refund, reason(t, err))
}
