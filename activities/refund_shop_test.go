package activities_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/monero/scan/scantest"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/webhook"
)

// ownShop is a shop whose charges are paid to its own wallet, with a daemon.
type ownShop struct {
	*shop

	node *scantest.Daemon
	a    *payouts.Handler
}

func openOwn(t *testing.T) *ownShop {
	t.Helper()
	s := &ownShop{shop: open(t, 9), node: scantest.NewDaemon(t)}
	s.webhook(t, "https://shop.example", webhook.EventRefundClaimed, webhook.EventRefundSent, webhook.EventRefundConfirmed)
	s.a = s.refunds()
	s.a.Daemon = s.node.Client(t)
	return s
}

// owes makes a refund of a charge that was paid to the shop's own wallet, and its claim.
func (s *ownShop) owes(t *testing.T) (refundID, claimID string) {
	t.Helper()
	charge, own := s.earn(t, 100), secret.NewID("own_")
	s.exec(t, `INSERT INTO wallets (id, chain_id, role, primary_address, merchant_id, view_key_index)
		SELECT $1, chain_id, 'own', $1, $2, sha256(convert_to($1, 'UTF8')) FROM wallets WHERE id = $3`, own, s.merchant, walletID)
	s.exec(t, "UPDATE charges SET wallet_id = $2 WHERE id = $1", charge, own)
	refundID, err := s.refund(t, charge, "0.01")
	require.NoError(t, err)
	made, err := s.a.ClaimRefund(t.Context(), payouts.ClaimRefund{RefundID: refundID, ClaimID: secret.NewID("rc_"), Address: s.node.Address, Now: start})
	require.NoError(t, err)
	return refundID, made.ClaimID
}

func (s *ownShop) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := s.store.Pool().Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

func (s *ownShop) give(t *testing.T, refundID, claimID string, p scantest.Payment) error {
	t.Helper()
	return s.a.GivePayment(t.Context(), payouts.GivePayment{RefundID: refundID, ClaimID: claimID, TxHash: p.Hash, TxKey: p.Key, Now: start})
}

// looks has the daemon asked at a moment, and returns the state that follows. Each step runs
// twice, as after a worker's death between the step and its record.
func (s *ownShop) looks(t *testing.T, refundID string, at time.Time) payouts.RefundState {
	t.Helper()
	var state payouts.RefundState
	for range 2 {
		require.NoError(t, s.a.FollowPayments(t.Context(), payouts.FollowPayments{RefundID: refundID, Now: at}))
		var err error
		state, err = s.a.AdvanceRefund(t.Context(), payouts.AdvanceRefund{RefundID: refundID, Waiting: true, Now: at})
		require.NoError(t, err)
		require.Empty(t, state.PayClaim, "no payout pays it")
	}
	return state
}

// dropped returns how many notices the shop has of payments that left the chain.
func (s *ownShop) dropped(t *testing.T) int {
	t.Helper()
	return s.number(t, "SELECT count(*) FROM business_notices WHERE kind = 'refund_dropped' AND merchant_id = $1", s.merchant)
}

// TestAShopPaysAClaimFromItsOwnWallet walks a claim from the buyer's form to a payment that no
// reorganization takes back.
func TestAShopPaysAClaimFromItsOwnWallet(t *testing.T) {
	t.Parallel()
	s := openOwn(t)
	id, claim := s.owes(t)
	row := s.claimRow(t, claim)
	require.Equal(t, []string{string(refund.AwaitingPayment), string(refund.ForShopPayment)}, []string{row.Status, *row.WaitsFor})
	require.Nil(t, row.AddressSealed, "the key of payouts has no part in it")
	address, err := s.box.Unseal(row.OwnAddressSealed, secret.OwnClaimPlace.Of(claim))
	require.NoError(t, err)
	require.Equal(t, s.node.Address, string(address))
	require.Equal(t, 1, s.announced(t, webhook.EventRefundClaimed))
	again, err := s.a.ClaimRefund(t.Context(), payouts.ClaimRefund{RefundID: id, ClaimID: secret.NewID("rc_"), Address: s.node.Address, Now: start})
	require.NoError(t, err)
	require.Equal(t, claim, again.ClaimID, "the form that is sent twice makes one claim")

	// Nothing of the service pays it, or holds a balance for it.
	s.payTo(t)
	require.Empty(t, s.payable(t))
	_, err = s.reserveClaim(t, claim)
	require.Equal(t, refusals.Refund, reason(t, err))
	require.Equal(t, refusals.Refund, reason(t, s.approveRefund(t.Context(), chargestore.RefundDecision{RefundID: id, Now: start})))
	held, err := s.store.InRefunds(t.Context(), db.InRefundsParams{MerchantID: s.merchant, Now: start})
	require.NoError(t, err)
	require.Zero(t, held)
	refunded, err := s.store.GetRefund(t.Context(), id)
	require.NoError(t, err)
	require.Zero(t, refunded.FeeRate.Sign(), "and takes no fee")
	s.exec(t, "DELETE FROM wakeups WHERE kind = 'refunds'")
	require.NoError(t, s.store.WakeUnsettledRefunds(t.Context(), walletID))
	require.Empty(t, s.woken(t, "refunds"), "there is nothing to follow")

	s.node.Pool(s.node.Paid)
	for range 2 {
		require.NoError(t, s.give(t, id, claim, s.node.Paid))
		require.Equal(t, 1, s.announced(t, webhook.EventRefundSent))
	}
	s.node.Away(true)
	require.NoError(t, s.give(t, id, claim, s.node.Paid), "what was given is given, without the daemon")
	require.Error(t, s.a.FollowPayments(t.Context(), payouts.FollowPayments{RefundID: id, Now: start}))
	s.node.Away(false)
	require.Equal(t, refusals.Refund, reason(t, s.give(t, id, claim, s.node.Again)), "it is paid")
	for _, step := range []struct {
		height int64
		want   refund.Status
	}{{1000, refund.InProgress}, {1008, refund.InProgress}, {1009, refund.Completed}, {1058, refund.Completed}} {
		s.node.Grow(step.height)
		if step.height > 1000 {
			s.node.Mine(999, s.node.Paid)
		}
		state := s.looks(t, id, start)
		require.Equal(t, step.want, state.Status)
		require.True(t, state.Unsettled)
		require.NoError(t, s.store.WakeUnsettledRefunds(t.Context(), walletID))
		require.Equal(t, []string{id}, s.woken(t, "refunds"), "each block wakes it")
	}
	require.Equal(t, 1, s.announced(t, webhook.EventRefundConfirmed))
	row = s.claimRow(t, claim)
	require.NotNil(t, row.ApprovedAt)
	require.NotNil(t, row.SentAt)
	text, err := s.box.Unseal(row.ProofSealed, secret.ClaimProofPlace.Of(claim))
	require.NoError(t, err)
	var proof refund.Proof
	require.NoError(t, json.Unmarshal(text, &proof))
	require.Equal(t, s.node.Paid.Key, proof.TxKey)
	require.True(t, strings.HasPrefix(proof.TxProof, "OutProofV2"))
	require.Equal(t, refusals.Refund, reason(t, s.cancelRefund(t.Context(), chargestore.RefundDecision{RefundID: id, ClaimID: claim, Now: start})))

	s.node.Grow(1059)
	require.False(t, s.looks(t, id, start).Unsettled, "60 blocks")
	s.node.Drop(s.node.Paid)
	require.Equal(t, refund.Completed, s.looks(t, id, start).Status)
	require.Zero(t, s.dropped(t))
}

// TestPaymentsThatProveNothing gives transactions that do not pay a claim. Each refusal says why,
// and changes nothing.
func TestPaymentsThatProveNothing(t *testing.T) {
	t.Parallel()
	s := openOwn(t)
	id, claim := s.owes(t)
	n := s.node
	require.ErrorContains(t, s.give(t, id, claim, n.Paid), "is not known")
	n.Pool(n.Paid, n.Again, n.Both, n.Less, n.Locked, n.Elsewhere, n.SameKey)
	wrong := func(p scantest.Payment, key string) scantest.Payment {
		p.Key = key
		return p
	}
	for text, p := range map[string]scantest.Payment{
		"0.009 XMR reach the address, the claim is 0.01 XMR":  n.Less,
		"it has nothing for the claim's":                      n.Elsewhere,
		"locked":                                              n.Locked,
		"the key is not this transaction's":                   wrong(n.Paid, n.Again.Key),
		"tx_key is not":                                       wrong(n.Paid, n.Paid.Key[:62]),
		"tx_hash is not the hash":                             {Hash: "aa", Key: n.Paid.Key},
		"compare the hash, or wait until the network has it.": {Hash: strings.Repeat("a", 64), Key: n.Paid.Key},
	} {
		err := s.give(t, id, claim, p)
		require.Equal(t, refusals.Refund, reason(t, err), text)
		require.ErrorContains(t, err, strings.TrimSuffix(text, "."))
	}
	n.Away(true)
	err := s.give(t, id, claim, n.Paid)
	require.Error(t, err)
	require.False(t, isRefusal(err), "the daemon may be back: the shop tries again")
	n.Away(false)
	require.Equal(t, refusals.Missing, reason(t, s.give(t, id, secret.NewID("rc_"), n.Paid)))
	require.Equal(t, refusals.Missing, reason(t, s.give(t, secret.NewID("rf_"), claim, n.Paid)))
	require.Equal(t, 0, s.number(t, "SELECT count(*) FROM refund_payments"))
	require.Equal(t, string(refund.AwaitingPayment), s.claimRow(t, claim).Status)

	// An output proves one claim, and so does its one-time key.
	require.NoError(t, s.give(t, id, claim, n.Paid))
	second, secondClaim := s.owes(t)
	require.Equal(t, refusals.Missing, reason(t, s.give(t, id, secondClaim, n.Again)), "a claim of another refund")
	for _, p := range []scantest.Payment{n.Paid, n.SameKey} {
		require.ErrorContains(t, s.give(t, second, secondClaim, p), "proves another claim already")
	}
	require.NoError(t, s.cancelRefund(t.Context(), chargestore.RefundDecision{RefundID: second, ClaimID: secondClaim, Now: start}))
	require.ErrorContains(t, s.give(t, second, secondClaim, n.Again), "cancelled")
	hosted, err := s.refund(t, s.earn(t, 100), "0.01")
	require.NoError(t, err)
	require.ErrorContains(t, s.give(t, hosted, s.claim(t, hosted, 0), n.Again), "a payout of this service")
}

// TestOneTransactionPaysTwoClaimsAtOnce has many requests give one transaction for three claims at
// the same moment. Its two outputs pay two of them.
func TestOneTransactionPaysTwoClaimsAtOnce(t *testing.T) {
	t.Parallel()
	s := openOwn(t)
	s.node.Pool(s.node.Both)
	claims := map[string]string{}
	for range 3 {
		id, claim := s.owes(t)
		claims[id] = claim
	}
	var wg sync.WaitGroup
	for id, claim := range claims {
		for range 3 {
			wg.Go(func() {
				if err := s.give(t, id, claim, s.node.Both); err != nil {
					assert.ErrorContains(t, err, "proves another claim already")
				}
			})
		}
	}
	wg.Wait()
	require.Equal(t, 2, s.number(t, "SELECT count(DISTINCT one_time_key) FROM refund_payments"))
	require.Equal(t, 2, s.number(t, "SELECT count(*) FROM refund_claims WHERE status = 'in_progress'"))
	require.Equal(t, 2, s.announced(t, webhook.EventRefundSent))
}

// TestAPaymentThatLeavesTheChain takes payments back by reorganizations, before and after a claim
// is completed. The shop gets a mail about each, and may pay with another transaction.
func TestAPaymentThatLeavesTheChain(t *testing.T) {
	t.Parallel()
	s := openOwn(t)
	id, claim := s.owes(t)
	n := s.node
	n.Mine(990, n.Paid)
	require.NoError(t, s.give(t, id, claim, n.Paid))
	require.Equal(t, refund.Completed, s.looks(t, id, start).Status)

	n.Drop(n.Paid)
	require.Equal(t, refund.AwaitingPayment, s.looks(t, id, start).Status)
	row := s.claimRow(t, claim)
	require.Equal(t, string(refund.ForShopPayment), *row.WaitsFor)
	require.Nil(t, row.SentAt)
	require.Nil(t, row.ConfirmedAt)
	require.Equal(t, 1, s.dropped(t))

	n.Pool(n.Paid) // it came back by itself
	require.Equal(t, refund.InProgress, s.looks(t, id, start).Status)
	n.Spend(true) // and a block spends its money otherwise
	require.Equal(t, refund.AwaitingPayment, s.looks(t, id, start).Status)
	require.Equal(t, 2, s.dropped(t))
	require.Equal(t, 1, s.announced(t, webhook.EventRefundSent), "of one transaction once")

	// Another transaction takes its place. The first stays bound to this claim.
	n.Mine(990, n.Again)
	require.NoError(t, s.give(t, id, claim, n.Again))
	require.Equal(t, refund.Completed, s.looks(t, id, start).Status)
	require.Equal(t, 2, s.announced(t, webhook.EventRefundConfirmed))
	second, secondClaim := s.owes(t)
	n.Mine(990, n.Paid)
	require.ErrorContains(t, s.give(t, second, secondClaim, n.Paid), "proves another claim already")
	n.Drop(n.Again)
	require.Equal(t, refund.AwaitingPayment, s.looks(t, id, start).Status)
	require.NoError(t, s.give(t, id, claim, n.Paid), "the first is in the chain again")
	require.Equal(t, refund.Completed, s.looks(t, id, start).Status)
}

// TestADeclinedClaimHoldsItsAmountWhileItsPaymentMayComeBack: a shop declines a claim whose payment
// left the chain. The amount is free after a week, or the payment comes back and counts.
func TestADeclinedClaimHoldsItsAmountWhileItsPaymentMayComeBack(t *testing.T) {
	t.Parallel()
	s := openOwn(t)
	n := s.node
	for name, back := range map[string]bool{"it comes back": true, "it does not": false} {
		paid := map[bool]scantest.Payment{true: n.Paid, false: n.Again}[back]
		id, claim := s.owes(t)
		n.Mine(999, paid)
		require.NoError(t, s.give(t, id, claim, paid))
		n.Drop(paid)
		require.Equal(t, refund.AwaitingPayment, s.looks(t, id, start).Status)
		require.NoError(t, s.cancelRefund(t.Context(), chargestore.RefundDecision{RefundID: id, ClaimID: claim, Now: start}))
		require.True(t, s.looks(t, id, start).Unsettled)
		require.Equal(t, string(refund.Cancelled), s.claimRow(t, claim).Status, "a look undoes no decision of the shop")
		claimAgain := payouts.ClaimRefund{RefundID: id, ClaimID: secret.NewID("rc_"), Address: s.node.Address, Now: start.Add(time.Minute)}
		_, err := s.a.ClaimRefund(t.Context(), claimAgain)
		require.ErrorContains(t, err, "nothing is left of the refund until", name)
		if back {
			n.Mine(985, paid)
			require.Equal(t, refund.Completed, s.looks(t, id, start).Status)
			require.Equal(t, string(refund.Completed), s.claimRow(t, claim).Status)
			continue
		}
		week := start.Add(7 * 24 * time.Hour)
		require.False(t, s.looks(t, id, week).Unsettled)
		claimAgain.Now = week
		_, err = s.a.ClaimRefund(t.Context(), claimAgain)
		require.NoError(t, err)
	}
}
