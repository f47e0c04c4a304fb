package witness_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/internal/witness"
)

// Another copy of the database has paid 0.3 to a buyer and 0.6 to the merchant.
const (
	refundID    = "rf_aaaaaaaaaaaaaaaaaaaaaaaa"
	claimID     = "rc_aaaaaaaaaaaaaaaaaaaaaaaa"
	againID     = "rc_bbbbbbbbbbbbbbbbbbbbbbbb"
	refundOf    = "ch_aaaaaaaaaaaaaaaaaaaaaaaa"
	otherPayout = "po_bbbbbbbbbbbbbbbbbbbbbbbb"
)

// refunded returns a wallet whose file has an entry of a payout that paid a claim, and a
// database that was restored to an earlier state. known are the statements for its data.
func refunded(t *testing.T, known ...string) (*bench, *witness.Recoverer) {
	t.Helper()
	b := setup(t)
	ctx := t.Context()
	require.NoError(t, b.keeper.Compare(ctx, wallet))
	_, err := b.store.InsertMerchant(ctx, db.InsertMerchantParams{
		MerchantID: merchant, EmailSealed: []byte{1}, EmailIndex: []byte("m"), BusinessName: "Shop", PasswordHash: "x",
		LiveWalletID: wallet, SandboxWalletID: wallet,
	})
	require.NoError(t, err)
	require.NoError(t, b.store.InsertReceivedPayment(ctx, db.InsertReceivedPaymentParams{
		WalletID: wallet, TxHash: "in", SubaddressIndex: 4, Amount: money.OneXMR, Outputs: 1, FirstSeenAt: time.Now(),
	}))
	for _, sql := range known {
		b.exec(t, sql)
	}
	e := entry(1)
	e.Amount, e.Fee = "0.9", "0.01"
	e.Pays = []witness.Reference{{PayoutID: payoutID, MerchantID: merchant, Refund: &witness.RefundPaid{
		RefundID: refundID, ClaimID: claimID, ChargeID: refundOf, Amount: "0.3",
	}}}
	require.NoError(t, b.file.Raise(ctx, witness.Mark{Sends: 1}, &e))
	b.chain.Show(witness.Sent{TxHash: e.TxHash, Height: 9})
	b.chain.Receive(witness.Received{TxHash: "in", SubaddressIndex: 4})
	require.ErrorIs(t, b.keeper.Compare(ctx, wallet), witness.ErrSafeMode)
	return b, b.recoverer()
}

func promised(status string) string {
	return `INSERT INTO refunds (id, merchant_id, charge_id, status, variant, amount, token_hash, created_at, expires_at)
		VALUES ('` + refundID + `', '` + merchant + `', '` + refundOf + `', '` + status + `', 'Custom', 300000000000, 'x', now(), now() + interval '1 day')`
}

func claimedAs(id, status, piconero string) string {
	return `INSERT INTO refund_claims (id, refund_id, status, amount, address_sealed, address_masked, next_at, created_at, approved_at)
		VALUES ('` + id + `', '` + refundID + `', '` + status + `', ` + piconero + `, 'x', '4…x', now(), now(), now())`
}

// TestRecoverKnowsThatAClaimIsPaid, whatever this copy of the database knows about it. A buyer
// who claims a paid amount again gets no second payment.
func TestRecoverKnowsThatAClaimIsPaid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		known     []string
		cancelled []string
		waiting   []string
		amount    money.Piconero
	}{
		"nothing":                   {amount: money.OneXMR / 10 * 3},
		"the refund":                {known: []string{promised("open")}, amount: money.OneXMR / 10 * 3},
		"the claim":                 {known: []string{promised("awaiting_approval"), claimedAs(claimID, "awaiting_approval", "300000000000")}, amount: money.OneXMR / 10 * 3},
		"the claim, waiting":        {known: []string{promised("awaiting_payment"), claimedAs(claimID, "awaiting_payment", "300000000000")}, amount: money.OneXMR / 10 * 3},
		"the claim, cancelled here": {known: []string{promised("open"), claimedAs(claimID, "cancelled", "300000000000")}, amount: money.OneXMR / 10 * 3},
		"claimed again": {
			known:     []string{promised("awaiting_payment"), claimedAs(againID, "awaiting_payment", "300000000000")},
			cancelled: []string{againID}, amount: money.OneXMR / 10 * 3,
		},
		"claimed again in part": {
			known:     []string{promised("awaiting_approval"), claimedAs(againID, "awaiting_approval", "1000000000")},
			cancelled: []string{againID}, amount: money.OneXMR / 10 * 3,
		},
		"cancelled here, and claimed again": {
			known: []string{
				promised("awaiting_payment"), claimedAs(claimID, "cancelled", "300000000000"), claimedAs(againID, "awaiting_payment", "300000000000"),
			},
			cancelled: []string{againID}, amount: money.OneXMR / 10 * 3,
		},
		"another part, which still fits": {
			known: []string{
				promised("awaiting_payment"), "UPDATE refunds SET amount = 400000000000", claimedAs(againID, "awaiting_payment", "100000000000"),
			},
			waiting: []string{againID}, amount: money.OneXMR / 10 * 4,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, r := refunded(t, c.known...)
			for n := range 2 {
				done, err := r.Apply(t.Context(), wallet)
				require.NoError(t, err)
				require.Equal(t, n == 0, done.Ended)
			}
			p, err := b.store.GetPayout(t.Context(), payoutID)
			require.NoError(t, err)
			require.Equal(t, "broadcast", p.Status)
			require.Equal(t, claimID, *p.ClaimID)
			require.Equal(t, []money.Piconero{money.OneXMR / 10 * 6, money.OneXMR / 10 * 3}, []money.Piconero{p.Amount, p.RefundAmount})
			paid, err := b.store.GetClaim(t.Context(), claimID)
			require.NoError(t, err)
			require.Equal(t, "in_progress", paid.Status)
			require.NotNil(t, paid.SentAt)
			refund, err := b.store.GetRefund(t.Context(), refundID)
			require.NoError(t, err)
			require.Equal(t, c.amount, refund.Amount, "no more than was promised")
			for status, ids := range map[string][]string{"cancelled": c.cancelled, "awaiting_payment": c.waiting} {
				for _, id := range ids {
					row, err := b.store.GetClaim(t.Context(), id)
					require.NoError(t, err)
					require.Equal(t, status, row.Status)
				}
			}
			var events int
			require.NoError(t, b.store.Pool().QueryRow(t.Context(), "SELECT count(*) FROM events WHERE resource_id = $1 AND type = $2",
				claimID, webhook.EventRefundSent).Scan(&events))
			require.Equal(t, 1, events)
		})
	}
}

// TestRecoverGivesUpWhatWouldPayTheRefundAgain: the lost copy has paid the whole refund by one
// claim. Here another claim of it has a payout that is reserved and not built, and no worker
// builds it any more.
func TestRecoverGivesUpWhatWouldPayTheRefundAgain(t *testing.T) {
	t.Parallel()
	b, r := refunded(t, promised("in_progress"), claimedAs(againID, "in_progress", "300000000000"), `INSERT INTO payouts (id, merchant_id, wallet_id, status,
		address_sealed, address_masked, gross, fee_rate, charges_paid, outputs, created_at, claim_id, refund_amount)
		VALUES ('`+otherPayout+`', '`+merchant+`', '`+wallet+`', 'building', 'x', '4…x', 1000000000000, 0.005, 1, 1, now(), '`+againID+`', 300000000000)`)
	done, err := r.Apply(t.Context(), wallet)
	require.NoError(t, err)
	other, err := b.store.GetPayout(t.Context(), otherPayout)
	require.NoError(t, err)
	row, err := b.store.GetRefund(t.Context(), refundID)
	require.NoError(t, err)
	require.True(t, done.Ended)
	require.Equal(t, "failed", other.Status)
	again, err := b.store.GetClaim(t.Context(), againID)
	require.NoError(t, err)
	require.Equal(t, "cancelled", again.Status)
	require.Equal(t, money.OneXMR/10*3, row.Amount, "no more than was promised")
}

// TestRecoveredClaimCanBeGivenUp: the copy did not know the claim, so its address is lost.
// When its payout is abandoned, it cannot be paid, so it is cancelled.
func TestRecoveredClaimCanBeGivenUp(t *testing.T) {
	t.Parallel()
	for name, known := range map[string][]string{"nothing is known": nil, "the refund is known": {promised("open")}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, r := refunded(t, known...)
			done, err := r.Apply(t.Context(), wallet)
			require.NoError(t, err)
			require.True(t, done.Ended)
			p, err := b.store.GetPayout(t.Context(), payoutID)
			require.NoError(t, err)
			// This is what chargestore.FailPayout does with it.
			require.NoError(t, b.store.Tx(t.Context(), func(q *db.Queries) error {
				return chargestore.RefundPayoutFailed(t.Context(), q, p, time.Now())
			}))
			claim, err := b.store.GetClaim(t.Context(), claimID)
			require.NoError(t, err)
			require.Equal(t, "cancelled", claim.Status)
		})
	}
}

// TestRecoverForgetsABuiltPayoutOfTheSameRefund that the network does not know, whether an
// operator accepts the transaction or not. A payout that the network knows is left to
// operators.
func TestRecoverForgetsABuiltPayoutOfTheSameRefund(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ accepted, known bool }{"unknown": {}, "accepted": {accepted: true}, "known": {known: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, r := refunded(t, promised("in_progress"), claimedAs(againID, "in_progress", "300000000000"), `INSERT INTO payouts (id, merchant_id, wallet_id,
				status, address_sealed, address_masked, gross, fee_rate, fee, network_fee, amount, charges_paid, outputs, created_at, built_at, tx_hash, claim_id,
				refund_amount) VALUES ('`+otherPayout+`', '`+merchant+`', '`+wallet+`', 'building', 'x', '4…x', 1000000000000, 0, 0, 100000000000, 600000000000, 1, 1,
				now(), now(), 'built', '`+againID+`', 300000000000)`)
			other := otherPayout
			id, err := b.store.ClaimWallet(t.Context(), db.ClaimWalletParams{
				WalletID: wallet, Purpose: "payout", PayoutID: &other, TradeIds: []string{}, CreatedAt: time.Now(),
			})
			require.NoError(t, err)
			_, err = b.store.StoreBuilt(t.Context(), db.StoreBuiltParams{
				ID: id, TxHash: "built", Raw: []byte{0}, Inputs: []string{"image"}, Payments: []int64{1}, Paid: money.MustDecimal("0.9"), Fee: money.MustDecimal("0.1"), BuiltAt: time.Now(),
			})
			require.NoError(t, err)
			if c.known {
				b.chain.Show(witness.Sent{TxHash: "built", Height: 9})
			}
			if c.accepted {
				r.Accept = []string{entry(1).TxHash}
			}
			done, err := r.Apply(t.Context(), wallet)
			require.NoError(t, err)
			p, err := b.store.GetPayout(t.Context(), otherPayout)
			require.NoError(t, err)
			require.Equal(t, !c.known, p.Status == "failed", done.Sends)
			require.Equal(t, !c.known, done.Ended, "safe mode goes on while operators must look")
			if !c.known {
				again, err := b.store.GetClaim(t.Context(), againID)
				require.NoError(t, err)
				require.Equal(t, "cancelled", again.Status)
				l, err := chargestore.LoadRefund(t.Context(), b.store.Queries, refundID)
				require.NoError(t, err)
				claimed, err := l.Rules().Claimed()
				require.NoError(t, err)
				require.Equal(t, money.OneXMR/10*6, claimed, "what was built may have been relayed: it holds its amount")
			}
		})
	}
}
