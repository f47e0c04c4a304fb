package pgtest

import (
	"cmp"
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// SendWakeups sends the wakeups that are due, one after the other, as a worker's outbox does.
func SendWakeups(tb testing.TB, store *postgres.Store, send func(context.Context, db.Wakeup) error) {
	tb.Helper()
	ctx := tb.Context()
	var lanes [][]db.Wakeup // leased together, so that what is postponed is not sent twice
	for _, retried := range []bool{false, true} {
		due, err := store.LeaseWakeups(ctx, db.LeaseWakeupsParams{LeaseSeconds: 3600, Retried: retried, Ranked: 1000, Batch: 1000})
		require.NoError(tb, err)
		slices.SortStableFunc(due, func(a, b db.Wakeup) int { return cmp.Compare(a.Urgency, b.Urgency) })
		lanes = append(lanes, due)
	}
	for _, due := range lanes {
		for _, w := range due {
			one := db.EndWakeupsParams{Kinds: []string{w.Kind}, Ids: []string{w.ID}, Versions: []int64{w.Version}}
			if send(ctx, w) == nil {
				require.NoError(tb, store.EndWakeups(ctx, one))
				continue
			}
			require.NoError(tb, store.PostponeWakeups(ctx, db.PostponeWakeupsParams{
				Kinds: one.Kinds, Ids: one.Ids, Versions: one.Versions, LongestSeconds: 30,
			}))
		}
	}
}

// SetChain sets how many blocks of a merchants' wallet have been scanned, and marks
// the payments as mature that mature by then, as a scan would.
func SetChain(tb testing.TB, store *postgres.Store, walletID string, height int64) {
	tb.Helper()
	for _, sql := range []string{
		"UPDATE wallets SET chain_height = $2, top_hash = 'h' WHERE id = $1",
		"UPDATE received_payments SET mature = true WHERE wallet_id = $1 AND mature_height <= $2",
	} {
		_, err := store.Pool().Exec(tb.Context(), sql, walletID, height)
		require.NoError(tb, err)
	}
}
