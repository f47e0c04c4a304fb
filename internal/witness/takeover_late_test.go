package witness_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/witness"
	"github.com/durapay/durapay/internal/witness/witnesstest"
)

// apart is a chain whose transactions spend different payments.
type apart struct {
	*witnesstest.Chain

	spends map[string]witness.Received
}

func (c apart) Spent(_ context.Context, inputs []string) (list []witness.Received, err error) {
	for _, input := range inputs {
		if r, ok := c.spends[input]; ok {
			list = append(list, r)
		}
	}
	return list, nil
}

// TestAnswerThatAnotherTransactionContradicts: the network has lost the transaction of a
// payout, which can still be mined. Another transaction in a block spent other money, so it
// did not pay the same claim: the service would have spent the same coins. If that answer
// were believed, blocks could have both, and no answer would end safe mode.
func TestAnswerThatAnotherTransactionContradicts(t *testing.T) {
	t.Parallel()
	b, r := unnoted(t, promised("in_progress"), claimedAs(claimID, "in_progress", "300000000000"), reservedBy(claimID))
	b.received(t, "more", 5)
	b.exec(t, "UPDATE received_payments SET charge_id = $1, merchant_id = $2, payout_id = $3 WHERE tx_hash = 'more'",
		"ch_bbbbbbbbbbbbbbbbbbbbbbbb", merchant, otherPayout)
	b.builtOther(t, "sent")
	b.exec(t, `UPDATE outgoing_transactions SET inputs = '{"input of other"}', payments = (SELECT array_agg(id) FROM received_payments WHERE tx_hash = 'more')`)
	w := b.keeper.Wallets[wallet]
	w.Chain = apart{b.chain, map[string]witness.Received{
		"input of sent": {TxHash: "in", SubaddressIndex: 4}, "input of other": {TxHash: "more", SubaddressIndex: 5},
	}}
	b.keeper.Wallets[wallet] = w
	r.Paid = map[string]string{"sent": claimID}
	done, err := r.Apply(t.Context(), wallet)
	require.NoError(t, err)
	require.False(t, done.Ended)
	require.Equal(t, witness.Undecided, done.Sends[0].Outcome)
	require.Contains(t, done.Sends[0].Why, "it did not pay claim "+claimID+": payout "+otherPayout)
	require.Equal(t, "broadcast", b.statusOf(t, "payouts", otherPayout), "it is relayed again")

	r.Paid = map[string]string{"sent": witness.PaidMerchant}
	b.ends(t, r)
	b.chain.Show(witness.Sent{TxHash: "other", Height: 9, Amount: 900000000000, Fee: 10000000000})
	require.NoError(t, b.keeper.Compare(t.Context(), wallet), "it is known")
	require.Equal(t, "in_progress", b.statusOf(t, "refund_claims", claimID))
}
