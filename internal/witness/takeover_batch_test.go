package witness_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/witness"
	"github.com/durapay/durapay/internal/witness/witnesstest"
)

// TestRecoverAsksBeforeItGivesUpABatch: this copy of the database had sent one
// transaction for the refunds of several trades, and another one, in a block, has paid
// one of them. The daemon does not have the batch, but another daemon may. Once the
// batch is abandoned, the other trades are paid again, so an operator decides. If a
// block has spent its coins, or it pays one trade only, no other trade can be paid
// twice.
func TestRecoverAsksBeforeItGivesUpABatch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		state, also string
		put         func(*witnesstest.Chain, string)
		asks        bool
	}{
		"nowhere":              {"sent", secondTrade, nil, true},
		"refused, and nowhere": {"failed", secondTrade, nil, true},
		"spends from nothing":  {"sent", secondTrade, (*witnesstest.Chain).Orphan, true},
		"its coins are spent":  {"sent", secondTrade, (*witnesstest.Chain).Lose, false},
		"pays one trade alone": {"sent", "", nil, false},
		"was never sent":       {"built", secondTrade, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := openOlder(t)
			o.second(t)
			o.made(t, 7, "mine", "sent", paidTrade)
			o.exec(t, "UPDATE outgoing_transactions SET state = $1, reason = CASE WHEN $1 = 'failed' THEN 'refused' END WHERE id = 7", c.state)
			if c.also != "" {
				o.exec(t, "UPDATE outgoing_transactions SET trade_ids = trade_ids || $1::text WHERE id = 7", c.also)
			}
			o.exec(t, `INSERT INTO trade_payments (trade_id, deposit_id, kind, wallet_id, amount, transaction_id, paid, fee, created_at)
				SELECT trade_id, id, 'refund', 'l', 1, 7, 1, 0, now() FROM trade_deposits`)
			if c.put != nil {
				c.put(o.wallet.Chain.(*witnesstest.Chain), "mine")
			}
			mined := o.sent(t, 8, paidTrade, "payout")
			require.ErrorIs(t, o.keeper.Compare(t.Context(), "l"), witness.ErrSafeMode)
			if c.asks {
				for range 2 {
					done, err := o.recoverer().Apply(t.Context(), "l")
					require.NoError(t, err)
					require.False(t, done.Ended)
					require.Equal(t, map[string]string{mined: witness.Undecided}, outcomes(done))
					require.Contains(t, done.Sends[0].Why, "what else it paid is paid again")
					require.Contains(t, done.Sends[0].Why, secondTrade)
					require.Equal(t, c.state, o.state(t, "mine"), "nothing is given up before it is accepted")
					require.Equal(t, "mine", *o.payment(t, paidTrade).TxHash)
				}
			}
			done, err := o.recoverer(mined).Apply(t.Context(), "l")
			require.NoError(t, err)
			require.True(t, done.Ended)
			outcome := map[bool]string{true: witness.Recorded, false: witness.TakenOver}[c.asks]
			require.Equal(t, map[string]string{mined: outcome}, outcomes(done))
			require.Equal(t, "abandoned", o.state(t, "mine"))
			require.Equal(t, mined, *o.payment(t, paidTrade).TxHash)
		})
	}
}

// TestRecoverRefusesAnUnknownWallet: a mistyped wallet name leaves no data behind.
func TestRecoverRefusesAnUnknownWallet(t *testing.T) {
	t.Parallel()
	o := openOlder(t)
	_, err := o.recoverer().Show(t.Context(), "typo")
	require.ErrorContains(t, err, "wallet typo is not configured here")
	_, err = o.recoverer().Apply(t.Context(), "typo")
	require.ErrorContains(t, err, "wallet typo is not configured here")
	rows := 0
	require.NoError(t, o.store.Pool().QueryRow(t.Context(), "SELECT count(*) FROM witnesses WHERE wallet_id = 'typo'").Scan(&rows))
	require.Zero(t, rows)
}
