package witness_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/witness"
)

// reservedBy returns the statement for another payout of this database, which pays a claim
// unless that is empty.
func reservedBy(claim string) string {
	value, amount := "NULL", "0"
	if claim != "" {
		value, amount = "'"+claim+"'", "300000000000"
	}
	return `INSERT INTO payouts (id, merchant_id, wallet_id, status, address_sealed, address_masked, gross, fee_rate, charges_paid, outputs, created_at,
		claim_id, refund_amount) VALUES ('` + otherPayout + `', '` + merchant + `', '` + wallet + `', 'building', 'x', '4…x', 1000000000000, 0.05, 1, 1, now(),
		` + value + `, ` + amount + `)`
}

const holdsAll = "UPDATE received_payments SET payout_id = '" + otherPayout + "'"

// builtOther stores a transaction of the other payout, in a state.
func (b *bench) builtOther(t *testing.T, state string) {
	t.Helper()
	b.exec(t, `INSERT INTO outgoing_transactions (id, wallet_id, purpose, payout_id, state, seq, tx_hash, raw, inputs, payments, paid, fee, created_at, built_at,
		sent_at) SELECT 8, $1, 'payout', $2, $3, 5, 'other', '\x00', '{"input of sent"}', array_agg(id), 0.9, 0.01, now(), now(),
		CASE WHEN $3 = 'built' THEN NULL ELSE now() END FROM received_payments`, wallet, otherPayout, state)
	status := map[string]string{"built": "building", "sent": "broadcast"}[state]
	b.exec(t, `UPDATE payouts SET status = $2, fee = 90000000000, network_fee = 10000000000, amount = 900000000000 - refund_amount, tx_hash = 'other', built_at = now(),
		sent_at = CASE WHEN $2 = 'building' THEN NULL ELSE now() END WHERE id = $1`, otherPayout, status)
}

func (b *bench) statusOf(t *testing.T, table, id string) (status string) {
	t.Helper()
	require.NoError(t, b.store.Pool().QueryRow(t.Context(), "SELECT status FROM "+table+" WHERE id = $1", id).Scan(&status))
	return status
}

// ends applies a recovery twice: it ends safe mode, and the second run changes nothing.
func (b *bench) ends(t *testing.T, r *witness.Recoverer) {
	t.Helper()
	for n := range 2 {
		done, err := r.Apply(t.Context(), wallet)
		require.NoError(t, err)
		require.Equal(t, n == 0, done.Ended, done)
	}
}

// TestRecoverFailsAPayoutInWhosePlaceAnotherHasPaid: the backup holds a payout that a newer
// copy gave up. That copy then paid a claim with the same money, as its journal says, and a
// block has it.
func TestRecoverFailsAPayoutInWhosePlaceAnotherHasPaid(t *testing.T) {
	t.Parallel()
	for name, state := range map[string]string{"reserved": "", "stored": "built", "sent, and lost by the network": "sent"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, r := refunded(t, promised("awaiting_payment"), claimedAs(claimID, "awaiting_payment", "300000000000"), reservedBy(""), holdsAll)
			if state != "" {
				b.builtOther(t, state)
			}
			b.ends(t, r)
			require.Equal(t, "failed", b.statusOf(t, "payouts", otherPayout))
			require.Equal(t, "broadcast", b.statusOf(t, "payouts", payoutID))
			require.Equal(t, "in_progress", b.statusOf(t, "refund_claims", claimID), "it is not paid again")
			rows, err := b.store.PayoutPayments(t.Context(), payoutID)
			require.NoError(t, err)
			require.Len(t, rows, 1)
		})
	}
}

// TestRecoverLetsABlockDecideBetweenTwoPayouts: the transaction of the newer copy waits in
// the pool. No operator can accept it before a block has it.
func TestRecoverLetsABlockDecideBetweenTwoPayouts(t *testing.T) {
	t.Parallel()
	for name, known := range map[string][]string{
		"of the same money": {reservedBy(""), holdsAll},
		"of the same claim": {reservedBy(claimID), "UPDATE refund_claims SET status = 'in_progress'"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, r := refunded(t, append([]string{promised("awaiting_payment"), claimedAs(claimID, "awaiting_payment", "300000000000")}, known...)...)
			mined := b.chain.Unmine(entry(1).TxHash)
			r.Accept = []string{witness.AcceptAll}
			done, err := r.Apply(t.Context(), wallet)
			require.NoError(t, err)
			require.False(t, done.Ended)
			require.Equal(t, witness.Waiting, done.Sends[0].Outcome)
			require.Contains(t, done.Sends[0].Why, otherPayout)
			require.Equal(t, "building", b.statusOf(t, "payouts", otherPayout))
			b.chain.Show(mined)
			r.Accept = nil
			b.ends(t, r)
			require.Equal(t, "failed", b.statusOf(t, "payouts", otherPayout))
			require.Equal(t, "in_progress", b.statusOf(t, "refund_claims", claimID))
		})
	}
}

// TestAnswerOutranksAReservedPayout: no place noted what a transaction in a block paid. An
// operator's answer says otherwise than the payout that has reserved what it spent here.
// That payout can never be sent, so it fails, and nothing is paid twice or forgotten.
func TestAnswerOutranksAReservedPayout(t *testing.T) {
	t.Parallel()
	claimed := []string{promised("in_progress"), claimedAs(claimID, "in_progress", "300000000000")}
	for name, c := range map[string]struct {
		known  []string
		state  string
		answer string
		accept bool
		claim  string
	}{
		"a claim is reserved, the merchant was paid":         {known: append(claimed, reservedBy(claimID), holdsAll), answer: witness.PaidMerchant, claim: "awaiting_payment"},
		"a claim is stored, the merchant was paid":           {known: append(claimed, reservedBy(claimID), holdsAll), state: "built", answer: witness.PaidMerchant, claim: "awaiting_payment"},
		"a claim is reserved, somebody withdrew by hand":     {known: append(claimed, reservedBy(claimID), holdsAll), accept: true, claim: "awaiting_payment"},
		"a sweep is reserved, a claim was paid":              {known: append(claimed, "UPDATE refund_claims SET status = 'awaiting_payment'", reservedBy(""), holdsAll), answer: claimID, claim: "in_progress"},
		"a sweep was sent and lost, a claim was paid":        {known: append(claimed, "UPDATE refund_claims SET status = 'awaiting_payment'", reservedBy(""), holdsAll), state: "sent", answer: claimID, claim: "in_progress"},
		"the claim is reserved with other money, and paid":   {known: append(claimed, reservedBy(claimID)), answer: claimID, claim: "in_progress"},
		"the claim was sent with other money, lost and paid": {known: append(claimed, reservedBy(claimID)), state: "sent", answer: claimID, claim: "in_progress"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, r := unnoted(t, c.known...)
			b.exec(t, "UPDATE refund_claims SET address_sealed = 'x'")
			if c.state != "" {
				b.builtOther(t, c.state)
			}
			if c.accept {
				r.Accept = []string{"sent"}
			} else {
				r.Paid = map[string]string{"sent": c.answer}
			}
			b.ends(t, r)
			require.Equal(t, "failed", b.statusOf(t, "payouts", otherPayout))
			require.Equal(t, c.claim, b.statusOf(t, "refund_claims", claimID))
			if !c.accept {
				require.Equal(t, c.claim == "in_progress", b.paidOut(t).ClaimID != nil)
			}
		})
	}
}

// TestAcceptedTransactionWaitsForABlock: it spent what a payout has reserved here, and waits
// in the pool.
func TestAcceptedTransactionWaitsForABlock(t *testing.T) {
	t.Parallel()
	b, r := unnoted(t, reservedBy(""), holdsAll)
	mined := b.chain.Unmine("sent")
	r.Accept = []string{"sent"}
	done, err := r.Apply(t.Context(), wallet)
	require.NoError(t, err)
	require.False(t, done.Ended)
	require.Equal(t, witness.Waiting, done.Sends[0].Outcome)
	require.Contains(t, done.Sends[0].Why, "no block has it")
	b.chain.Show(mined)
	b.ends(t, r)
	require.Equal(t, "failed", b.statusOf(t, "payouts", otherPayout))
}

// TestAcceptedTransactionLeavesASentPayoutToAnOperator: a foreign transaction in a block spent
// what a payout had sent. A reorganization may still let the payout be mined.
func TestAcceptedTransactionLeavesASentPayoutToAnOperator(t *testing.T) {
	t.Parallel()
	b, r := unnoted(t, reservedBy(""), holdsAll)
	b.builtOther(t, "sent")
	r.Accept = []string{"sent"}
	b.ends(t, r)
	require.Equal(t, "broadcast", b.statusOf(t, "payouts", otherPayout))
	rows, err := b.store.PayoutPayments(t.Context(), otherPayout)
	require.NoError(t, err)
	require.Len(t, rows, 1)
	tx, err := b.store.OutgoingOfPayout(t.Context(), otherPayout)
	require.NoError(t, err)
	require.Equal(t, "sent", tx.State)
}

// TestAnswerAgainstABlockIsRefused: another transaction in a block has paid the claim.
func TestAnswerAgainstABlockIsRefused(t *testing.T) {
	t.Parallel()
	b, r := unnoted(t, promised("in_progress"), claimedAs(claimID, "in_progress", "300000000000"), reservedBy(claimID))
	b.builtOther(t, "sent")
	b.chain.Show(witness.Sent{TxHash: "other", Height: 9})
	r.Paid = map[string]string{"sent": claimID}
	done, err := r.Apply(t.Context(), wallet)
	require.NoError(t, err)
	require.False(t, done.Ended)
	require.Contains(t, done.Sends[0].Why, otherPayout)
	r.Paid = map[string]string{"sent": witness.PaidMerchant}
	b.ends(t, r)
	require.Equal(t, "broadcast", b.statusOf(t, "payouts", otherPayout))
}

// TestRecoverTakesAFeeThatWasSpent: a payout that this database knows left a payment to the
// operator, and a block has its transaction. Another payout of the newer copy has spent
// that payment, so the first has a smaller fee.
func TestRecoverTakesAFeeThatWasSpent(t *testing.T) {
	t.Parallel()
	b, r := unnoted(t, reservedBy(""), holdsAll)
	b.builtOther(t, "sent")
	b.exec(t, "UPDATE payouts SET gross = 2000000000000, fee = 1090000000000, outputs = 2")
	b.exec(t, "UPDATE outgoing_transactions SET unspent_payments = payments, payments = '{}'")
	b.chain.Show(witness.Sent{TxHash: "other", Height: 9})
	r.Paid = map[string]string{"sent": witness.PaidMerchant}
	b.ends(t, r)
	p, err := b.store.GetPayout(t.Context(), otherPayout)
	require.NoError(t, err)
	require.Equal(t, "broadcast", p.Status)
	require.Equal(t, []money.Piconero{money.OneXMR, money.OneXMR / 100 * 9}, []money.Piconero{p.Gross, p.Fee})
	tx, err := b.store.OutgoingOfPayout(t.Context(), otherPayout)
	require.NoError(t, err)
	require.Empty(t, tx.UnspentPayments)
	rows, err := b.store.PayoutPayments(t.Context(), otherPayout)
	require.NoError(t, err)
	require.Empty(t, rows)
}

// TestRecoverLeavesAFeeToThePayoutThatHasIt: the journal names a payment that a payout left
// to the operator, and another payout of this database pays it out.
func TestRecoverLeavesAFeeToThePayoutThatHasIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	require.NoError(t, b.keeper.Compare(ctx, wallet))
	b.merchant(t)
	b.received(t, "in", 4)
	b.received(t, "fee", 5)
	b.exec(t, reservedBy(""))
	b.exec(t, holdsAll+" WHERE tx_hash = 'fee'")
	e := entry(1)
	e.Amount, e.Fee = "0.9", "0.01"
	e.Pays = []witness.Reference{{PayoutID: payoutID, MerchantID: merchant, Unspent: []witness.Received{{TxHash: "fee", SubaddressIndex: 5}}}}
	require.NoError(t, b.file.Raise(ctx, witness.Mark{Sends: 1}, &e))
	b.chain.Show(witness.Sent{TxHash: e.TxHash, Height: 9})
	b.chain.Receive(witness.Received{TxHash: "in", SubaddressIndex: 4})
	require.ErrorIs(t, b.keeper.Compare(ctx, wallet), witness.ErrSafeMode)
	b.ends(t, b.recoverer())
	p, err := b.store.GetPayout(ctx, payoutID)
	require.NoError(t, err)
	require.Equal(t, money.OneXMR, p.Gross)
	require.Equal(t, "building", b.statusOf(t, "payouts", otherPayout))
}
