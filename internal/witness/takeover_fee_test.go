package witness_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/witness"
)

// aside is a second payment to the merchant, of 0.02, which the transaction left unspent.
const aside = `INSERT INTO received_payments (wallet_id, tx_hash, address, subaddress_index, amount, outputs, first_seen_at, charge_id, merchant_id)
	VALUES ('` + wallet + `', 'aside', 'five', 5, 20000000000, 1, now(), 'ch_bbbbbbbbbbbbbbbbbbbbbbbb', '` + merchant + `')`

// sweptHere returns the statements for a payout as this copy of the database knows it, with
// the merchant's payments.
func sweptHere(status, rate string) []string {
	return []string{
		`INSERT INTO payouts (id, merchant_id, wallet_id, status, address_sealed, address_masked, gross, fee_rate, charges_paid, outputs, created_at)
			VALUES ('` + payoutID + `', '` + merchant + `', '` + wallet + `', '` + status + `', 'x', '4…x', 1020000000000, ` + rate + `, 2, 2, now())`,
	}
}

// TestRecoverLeavesTheFeeToTheOperator: a sweep of 1 and 0.02 with a fee spends only the 1,
// and the 0.02 stay unspent as a part of the fee. A copy of the database that takes the
// sweep over assigns them to no merchant, however it learns of them.
func TestRecoverLeavesTheFeeToTheOperator(t *testing.T) {
	t.Parallel()
	const reserved = "UPDATE received_payments SET payout_id = '" + payoutID + "'"
	for name, c := range map[string]struct {
		known  []string
		noted  bool
		unpaid money.Piconero
	}{
		"as a place noted it":                              {known: []string{aside}, noted: true},
		"as it was noted, and reserved here":               {known: append(sweptHere("building", "0.1"), aside, reserved), noted: true},
		"as it was reserved here":                          {known: append(sweptHere("building", "0.1"), aside, reserved)},
		"as it was reserved here, with too much for a fee": {known: append(sweptHere("building", "0.01"), aside, reserved), unpaid: money.OneXMR / 50},
		"as it was reserved here without a fee":            {known: append(sweptHere("building", "0"), aside, reserved), unpaid: money.OneXMR / 50},
		"as it was given up here":                          {known: append(sweptHere("failed", "0.1"), aside, givenUp)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, r := unnoted(t, c.known...)
			if c.noted {
				e := entry(1)
				e.TxHash, e.Amount, e.Fee = "sent", "0.9", "0.01"
				e.Pays = []witness.Reference{{PayoutID: payoutID, MerchantID: merchant, Unspent: []witness.Received{{TxHash: "aside", SubaddressIndex: 5}}}}
				require.NoError(t, b.file.Raise(t.Context(), witness.Mark{Sends: 1}, &e))
			} else {
				r.Paid = map[string]string{"sent": witness.PaidMerchant}
			}
			for n := range 2 {
				done, err := r.Apply(t.Context(), wallet)
				require.NoError(t, err)
				require.Equal(t, n == 0, done.Ended, done.Sends)
			}
			p, err := b.store.GetPayout(t.Context(), payoutID)
			require.NoError(t, err)
			gross := money.OneXMR + money.OneXMR/50 - c.unpaid
			require.Equal(t, []money.Piconero{gross, money.OneXMR / 10 * 9, gross - money.OneXMR/100*91, money.OneXMR / 100},
				[]money.Piconero{p.Gross, p.Amount, p.Fee, p.NetworkFee})
			var unpaid money.Piconero
			var spent, unspent int
			require.NoError(t, b.store.Pool().QueryRow(t.Context(), `SELECT COALESCE(sum(amount), 0)::piconero FROM received_payments WHERE payout_id IS NULL`).Scan(&unpaid))
			require.NoError(t, b.store.Pool().QueryRow(t.Context(), `SELECT cardinality(payments), cardinality(unspent_payments) FROM outgoing_transactions`).Scan(&spent, &unspent))
			require.Equal(t, c.unpaid, unpaid)
			require.Equal(t, 1, spent)
			require.Equal(t, c.unpaid == 0, unspent == 1)
		})
	}
}

// givenUp inserts the transaction of a payout that was abandoned here, and mined.
const givenUp = `INSERT INTO outgoing_transactions (wallet_id, purpose, payout_id, state, seq, tx_hash, raw, inputs, payments, unspent_payments, paid, fee,
	created_at, built_at, sent_at, abandoned_at, abandoned_by)
	SELECT '` + wallet + `', 'payout', '` + payoutID + `', 'abandoned', 1, 'sent', '\x00', '{"input of sent"}',
		array_agg(id) FILTER (WHERE tx_hash = 'in'), array_agg(id) FILTER (WHERE tx_hash = 'aside'), 0.9, 0.01, now(), now(), now(), now(), 'cli:ann'
	FROM received_payments`

// TestRecoverWaitsForWhatTheFeeIsOf: the watcher has not seen the payment yet.
func TestRecoverWaitsForWhatTheFeeIsOf(t *testing.T) {
	t.Parallel()
	b, r := unnoted(t)
	e := entry(1)
	e.TxHash, e.Amount, e.Fee = "sent", "0.9", "0.01"
	e.Pays = []witness.Reference{{PayoutID: payoutID, MerchantID: merchant, Unspent: []witness.Received{{TxHash: "aside", SubaddressIndex: 5}}}}
	require.NoError(t, b.file.Raise(t.Context(), witness.Mark{Sends: 1}, &e))
	done, err := r.Apply(t.Context(), wallet)
	require.NoError(t, err)
	require.False(t, done.Ended)
	require.Contains(t, done.Sends[0].Why, "let the watcher catch up")
	b.exec(t, aside)
	done, err = r.Apply(t.Context(), wallet)
	require.NoError(t, err)
	require.True(t, done.Ended)
}

// TestJournalOfManyUnspentPaymentsStaysSmall: the data that a Temporal run passes on is
// limited, however many payments each entry names. The newest entry is always kept.
func TestJournalOfManyUnspentPaymentsStaysSmall(t *testing.T) {
	t.Parallel()
	var s witness.State
	for n := range int64(400) {
		e := entry(n + 1)
		e.Pays = []witness.Reference{{PayoutID: payoutID}}
		for i := range 145 {
			e.Pays[0].Unspent = append(e.Pays[0].Unspent, witness.Received{TxHash: fmt.Sprint(i)})
		}
		require.NoError(t, s.Apply(witness.Raise{To: witness.Mark{Sends: n + 1}, Entry: &e}))
	}
	named := 0
	for _, e := range s.Journal {
		named += len(e.Pays[0].Unspent)
	}
	require.Greater(t, named, witness.JournalPayments-146)
	require.LessOrEqual(t, named, witness.JournalPayments+145, "besides the newest")
	require.EqualValues(t, 400, s.Journal[len(s.Journal)-1].Seq)
	var plain witness.State
	for n := range int64(400) {
		e := entry(n + 1)
		require.NoError(t, plain.Apply(witness.Raise{Entry: &e}))
	}
	require.Len(t, plain.Journal, witness.JournalSize)
}
