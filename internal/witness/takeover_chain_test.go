package witness_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/witness"
)

// unnoted returns a wallet from which a transaction in a block has paid 0.9 of a payment.
// No place has recorded what the transaction paid. known are the statements for the
// database's knowledge apart from the merchant and the payment.
func unnoted(t *testing.T, known ...string) (*bench, *witness.Recoverer) {
	t.Helper()
	b := setup(t)
	ctx := t.Context()
	require.NoError(t, b.keeper.Compare(ctx, wallet))
	b.merchant(t)
	b.received(t, "in", 4)
	b.exec(t, "UPDATE received_payments SET charge_id = $1, merchant_id = $2", refundOf, merchant)
	for _, sql := range known {
		b.exec(t, sql)
	}
	b.chain.Show(witness.Sent{TxHash: "sent", Height: 9, Amount: uint64(money.OneXMR) / 10 * 9, Fee: uint64(money.OneXMR) / 100})
	b.chain.Receive(witness.Received{TxHash: "in", SubaddressIndex: 4})
	require.ErrorIs(t, b.keeper.Compare(ctx, wallet), witness.ErrSafeMode)
	return b, b.recoverer()
}

func (b *bench) merchant(t *testing.T) {
	t.Helper()
	_, err := b.store.InsertMerchant(t.Context(), db.InsertMerchantParams{
		MerchantID: merchant, EmailSealed: []byte{1}, EmailIndex: []byte("m"), BusinessName: "Shop", PasswordHash: "x",
		LiveWalletID: wallet, SandboxWalletID: wallet,
	})
	require.NoError(t, err)
}

// received inserts a payment of one XMR that the watcher has seen and could not match.
func (b *bench) received(t *testing.T, txHash string, index int32) {
	t.Helper()
	require.NoError(t, b.store.InsertReceivedPayment(t.Context(), db.InsertReceivedPaymentParams{
		WalletID: wallet, TxHash: txHash, SubaddressIndex: index, Amount: money.OneXMR, Outputs: 1, FirstSeenAt: time.Now(),
	}))
	require.NoError(t, b.store.OpenAlert(t.Context(), db.OpenAlertParams{Kind: "payment_unmatched", Subject: fmt.Sprintf("%s:%d", txHash, index)}))
}

func (b *bench) paidOut(t *testing.T) db.Payout {
	t.Helper()
	var id string
	require.NoError(t, b.store.Pool().QueryRow(t.Context(), "SELECT payout_id FROM received_payments WHERE tx_hash = 'in'").Scan(&id))
	p, err := b.store.GetPayout(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, "broadcast", p.Status)
	require.Equal(t, "sent", *p.TxHash)
	require.Equal(t, money.OneXMR, p.Gross)
	return p
}

// TestRecoverAsksWhatATransactionPaid: the wallet's file was created again and Temporal is
// as old as the database, so no place recorded what the transaction paid. An operator
// answers, and it is paid once.
func TestRecoverAsksWhatATransactionPaid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		known         []string
		answer, asked string
		refund        money.Piconero
		claim         string
	}{
		"the merchant": {answer: witness.PaidMerchant, asked: witness.PaidMerchant},
		"a claim": {
			known:  []string{promised("awaiting_payment"), claimedAs(claimID, "awaiting_payment", "300000000000")},
			answer: claimID, asked: claimID + " (0.3 XMR)", refund: money.OneXMR / 10 * 3, claim: claimID,
		},
		"a refund, whose claim is lost": {known: []string{promised("open")}, answer: refundID, asked: refundID + " (0.3 XMR)", refund: money.OneXMR / 10 * 3},
		"a payout that was reserved": {
			known: []string{`INSERT INTO payouts (id, merchant_id, wallet_id, status, address_sealed, address_masked, gross, fee_rate, charges_paid, outputs,
				created_at) VALUES ('` + payoutID + `', '` + merchant + `', '` + wallet + `', 'building', 'x', '4…x', 1000000000000, 0, 1, 1, now())`,
				"UPDATE received_payments SET payout_id = '" + payoutID + "'"},
			answer: witness.PaidMerchant, asked: "payout " + payoutID + " has reserved",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, r := unnoted(t, c.known...)
			asked, err := r.Apply(t.Context(), wallet)
			require.NoError(t, err)
			require.False(t, asked.Ended)
			require.Equal(t, map[string]string{"sent": witness.Undecided}, outcomes(asked))
			require.Contains(t, asked.Sends[0].Why, c.asked)
			r.Paid = map[string]string{"sent": c.answer}
			for n := range 2 {
				done, err := r.Apply(t.Context(), wallet)
				require.NoError(t, err)
				require.Equal(t, n == 0, done.Ended, done.Sends)
			}
			p := b.paidOut(t)
			require.Equal(t, []money.Piconero{money.OneXMR/10*9 - c.refund, c.refund}, []money.Piconero{p.Amount, p.RefundAmount})
			if c.refund > 0 {
				claim, err := b.store.GetClaim(t.Context(), *p.ClaimID)
				require.NoError(t, err)
				require.Equal(t, "in_progress", claim.Status)
				refund, err := b.store.GetRefund(t.Context(), claim.RefundID)
				require.NoError(t, err)
				require.Equal(t, money.OneXMR/10*3, refund.Amount, "nothing of it is left to be claimed")
			}
			if c.claim != "" {
				require.Equal(t, c.claim, *p.ClaimID)
			}
			require.NoError(t, b.keeper.Compare(t.Context(), wallet))
		})
	}
}

func TestRecoverRefusesAnAnswerThatCannotBe(t *testing.T) {
	t.Parallel()
	const other = "ffffffffffffffffffffffffffffffff"
	for name, c := range map[string]struct {
		known       []string
		answer, why string
	}{
		"nothing that is known": {answer: "rc_unknown", why: "no refund and no claim that is known here"},
		"another merchant's": {known: []string{
			promised("open"), "INSERT INTO merchants (merchant_id, email_sealed, email_index, business_name, password_hash, live_wallet_id, sandbox_wallet_id) " +
				"VALUES ('" + other + "', 'x', 'x', '', '', '" + wallet + "', '" + wallet + "')", "UPDATE refunds SET merchant_id = '" + other + "'",
		}, answer: refundID, why: "another merchant"},
		"a refund that is paid": {known: []string{
			promised("in_progress"), claimedAs(claimID, "in_progress", "300000000000"),
		}, answer: refundID, why: "nothing is left"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, r := unnoted(t, c.known...)
			r.Paid = map[string]string{"sent": c.answer}
			done, err := r.Apply(t.Context(), wallet)
			require.NoError(t, err)
			require.False(t, done.Ended)
			require.Contains(t, done.Sends[0].Why, c.why)
		})
	}
}

// abandoned returns a wallet whose payout of a claim was abandoned here, and then mined.
// There was no entry, or it is lost.
func abandoned(t *testing.T, more ...string) (*bench, *witness.Recoverer) {
	t.Helper()
	return unnoted(t, append([]string{
		promised("awaiting_payment"), claimedAs(claimID, "awaiting_payment", "300000000000"),
		`INSERT INTO payouts (id, merchant_id, wallet_id, status, address_sealed, address_masked, gross, fee_rate, fee, network_fee, amount, charges_paid,
			outputs, tx_hash, error, created_at, built_at, sent_at, claim_id, refund_amount) VALUES ('` + payoutID + `', '` + merchant + `', '` + wallet + `',
			'failed', 'x', '4…x', 1000000000000, 0, 90000000000, 10000000000, 600000000000, 1, 1, 'sent', 'released', now(), now(), now(),
			'` + claimID + `', 300000000000)`,
		`INSERT INTO outgoing_transactions (id, wallet_id, purpose, payout_id, state, seq, tx_hash, raw, inputs, payments, paid, fee, created_at, built_at,
			sent_at, abandoned_at, abandoned_by) SELECT 7, '` + wallet + `', 'payout', '` + payoutID + `', 'abandoned', 1, 'sent', '\x00',
			'{"input of sent"}', array_agg(id), 0.9, 0.01, now(), now(), now(), now(), 'cli:ann' FROM received_payments`,
		`INSERT INTO outgoing_sequences VALUES ('` + wallet + `', 1)`,
	}, more...)...)
}

// TestRecoverKnowsWhatWasGivenUpHere: the row says what the transaction paid, so there is
// no question, and its claim is not paid again.
func TestRecoverKnowsWhatWasGivenUpHere(t *testing.T) {
	t.Parallel()
	b, r := abandoned(t)
	for n := range 2 {
		done, err := r.Apply(t.Context(), wallet)
		require.NoError(t, err)
		require.Equal(t, n == 0, done.Ended, done.Sends)
	}
	p, err := b.store.GetPayout(t.Context(), payoutID)
	require.NoError(t, err)
	require.Equal(t, "broadcast", p.Status)
	claim, err := b.store.GetClaim(t.Context(), claimID)
	require.NoError(t, err)
	require.Equal(t, "in_progress", claim.Status)
}

// TestOwnPayoutIsNotAccepted: another payout has taken its place, and a block has the
// transaction of that one, too. Its debt would be paid again, whatever an operator answers.
func TestOwnPayoutIsNotAccepted(t *testing.T) {
	t.Parallel()
	b, r := abandoned(t, `UPDATE refund_claims SET status = 'in_progress'`,
		`INSERT INTO payouts (id, merchant_id, wallet_id, status, address_sealed, address_masked, gross, fee_rate, charges_paid, outputs, created_at, claim_id,
			refund_amount) VALUES ('`+otherPayout+`', '`+merchant+`', '`+wallet+`', 'building', 'x', '4…x', 1000000000000, 0, 1, 1, now(),
			'`+claimID+`', 300000000000)`,
		`UPDATE received_payments SET payout_id = '`+otherPayout+`'`)
	b.builtOther(t, "sent")
	b.chain.Show(witness.Sent{TxHash: "other", Height: 9})
	r.Accept = []string{witness.AcceptAll}
	done, err := r.Apply(t.Context(), wallet)
	require.NoError(t, err)
	require.False(t, done.Ended)
	require.Contains(t, done.Sends[0].Why, "release that one")
}

// TestRecoverMatchesWhatWasTakenOver: the watcher of this copy could match neither a
// payment to a charge of the lost copy nor the change of the payout that spent it.
func TestRecoverMatchesWhatWasTakenOver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	require.NoError(t, b.keeper.Compare(ctx, wallet))
	b.merchant(t)
	e := entry(1)
	b.received(t, "in", 4)
	b.received(t, e.TxHash, 0)
	b.received(t, "other", 4)
	b.swept(t, nil)
	require.ErrorIs(t, b.keeper.Compare(ctx, wallet), witness.ErrSafeMode)
	for n := range 2 {
		done, err := b.recoverer().Apply(ctx, wallet)
		require.NoError(t, err)
		require.Equal(t, n == 0, done.Ended)
	}
	list, err := b.store.ListUnmatched(ctx, db.ListUnmatchedParams{Before: 1 << 40, MaxRows: 10})
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, "other", list[0].TxHash)
	var open []string
	require.NoError(t, b.store.Pool().QueryRow(ctx,
		"SELECT array_agg(subject) FROM alerts WHERE kind = 'payment_unmatched' AND resolved_at IS NULL").Scan(&open))
	require.Equal(t, []string{"other:4"}, open)
}

// unlisted is a place that returns a transaction only by its hash, as the wallets' own
// files do.
type unlisted struct{ witness.Place }

// TestRecoverAsksAboutWhatHasNoKnownHash: the wallet's file has recorded a transaction that
// is in no block and in no pool here. Its hash is unknown, and another daemon may have its
// bytes.
func TestRecoverAsksAboutWhatHasNoKnownHash(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.keeper.Compare(t.Context(), wallet))
	w := b.keeper.Wallets[wallet]
	w.File = unlisted{b.file}
	b.keeper.Wallets[wallet] = w
	e := entry(2)
	require.NoError(t, b.file.Raise(t.Context(), witness.Mark{Sends: 2}, &e)) // recorded before it was relayed
	require.NoError(t, b.temporal.Raise(t.Context(), witness.Mark{}, nil))
	require.ErrorIs(t, b.keeper.Compare(t.Context(), wallet), witness.ErrSafeMode)
	r := b.recoverer()
	for range 2 {
		done, err := r.Apply(t.Context(), wallet)
		require.NoError(t, err)
		require.False(t, done.Ended)
		require.Equal(t, map[string]string{witness.Nameless: witness.Undecided}, outcomes(done))
		require.Contains(t, done.Sends[0].Why, "2 transactions numbered 1 to 2")
	}
	r.Accept = []string{witness.Nameless}
	done, err := r.Apply(t.Context(), wallet)
	require.NoError(t, err)
	require.True(t, done.Ended)
	require.NoError(t, b.keeper.Compare(t.Context(), wallet))
	again, err := b.recoverer().Apply(t.Context(), wallet)
	require.NoError(t, err)
	require.Empty(t, again.Sends, "it is asked once")
}
