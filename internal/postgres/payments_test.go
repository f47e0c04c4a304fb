package postgres_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// oldPayments lie deep in the chain, and remain unpaid, unmatched or dust for
// ever.
const oldPayments = 200_000

// TestScansReadWhatIsNew runs the queries of a scan on a database with many old
// payments. It counts the rows that were read without an index and the rows that
// were returned.
func TestScansReadWhatIsNew(t *testing.T) {
	t.Parallel()
	store := pgtest.New(t)
	for _, sql := range []string{
		`INSERT INTO chains (id, chain_height) VALUES ('xmr-Mainnet', 1000000)`,
		`INSERT INTO wallets (id, chain_id, mode, primary_address) VALUES ('w', 'xmr-Mainnet', 'live', 'p')`,
		`INSERT INTO received_payments (wallet_id, tx_hash, address, subaddress_index, amount, outputs, height, mature_height, mature, first_seen_at, vanished_at)
		SELECT 'w', 't' || n, 'a' || n, n, 1, 1, CASE WHEN n % 10 > 0 THEN n END, CASE WHEN n % 10 > 0 THEN n + 10 END, n % 10 > 0, now() - interval '1 year',
			CASE WHEN n % 10 = 0 THEN now() - interval '1 year' END
		FROM generate_series(1, $1::int) n`,
		`INSERT INTO received_payments (wallet_id, tx_hash, address, subaddress_index, amount, outputs, height, mature_height, first_seen_at, vanished_at)
		VALUES ('w', 'pool', 'a', 1, 1, 1, NULL, NULL, now(), NULL), ('w', 'young', 'a', 1, 1, 1, 999990, 1000010, now(), NULL),
			('w', 'due', 'a', 1, 1, 1, 999000, 1000000, now(), NULL), ('w', 'dropped', 'a', 1, 1, 1, NULL, NULL, now(), now())`,
		`VACUUM ANALYZE received_payments`,
	} {
		var args []any
		if strings.Contains(sql, "$1") {
			args = []any{oldPayments}
		}
		_, err := store.Pool().Exec(t.Context(), sql, args...)
		require.NoError(t, err, sql)
	}
	now := time.Now()
	params := db.WatchedPaymentsParams{
		WalletIds: []string{"w"}, FromHeight: 999_940, ToHeight: 999_999, ChainHeight: 1_000_000, Now: now, DroppedSince: now.Add(-time.Hour), DroppedLimit: 100,
	}
	rows, err := store.WatchedPayments(t.Context(), params)
	require.NoError(t, err)
	require.Len(t, rows, 4)
	tx, err := store.Pool().Begin(t.Context())
	require.NoError(t, err)
	before := fetched(t, tx)
	_, err = store.WithTx(tx).WatchedPayments(t.Context(), params)
	require.NoError(t, err)
	require.Less(t, fetched(t, tx)-before, int64(mostRead), "rows that an index found")
	require.NoError(t, tx.Rollback(t.Context()))
	for name, ask := range map[string]func(context.Context, *db.Queries) error{
		"watched": func(ctx context.Context, q *db.Queries) error { _, err := q.WatchedPayments(ctx, params); return err },
		"found": func(ctx context.Context, q *db.Queries) error {
			_, err := q.FindReceivedPayments(ctx, db.FindReceivedPaymentsParams{WalletIds: []string{"w"}, TxHashes: []string{"t70000"}})
			return err
		},
		"moved": func(ctx context.Context, q *db.Queries) error {
			_, err := q.MovePayments(ctx, db.MovePaymentsParams{Now: now, Ids: []int64{rows[0].ID}, Heights: []int64{-1}, Dropped: []bool{false}, Contested: []bool{false}})
			return err
		},
		"matured": func(ctx context.Context, q *db.Queries) error {
			_, err := q.MaturePayments(ctx, db.MaturePaymentsParams{WalletIds: []string{"w"}, ChainHeight: 1_000_000, Now: now, Located: []string{"due"}})
			return err
		},
		"shown": func(ctx context.Context, q *db.Queries) error {
			return q.UnfreshPayments(ctx, db.UnfreshPaymentsParams{ChargeID: "ch", UpTo: 7})
		},
		"checkpoint": func(ctx context.Context, q *db.Queries) error {
			_, err := q.CheckpointBelow(ctx, db.CheckpointBelowParams{ChainID: "xmr-Mainnet", Height: 5000})
			require.True(t, postgres.IsNotFound(err))
			return nil
		},
		"overdue": func(ctx context.Context, q *db.Queries) error {
			_, err := q.OverdueCharges(ctx, db.OverdueChargesParams{Before: now, RecentBlocks: 5000, SettledBlocks: 5, MaxRows: 200})
			return err
		},
	} {
		require.Empty(t, readWhole(t, store, ask), "%s reads tables without an index", name)
	}
}

// fetched returns the number of rows of payments that were read through an
// index.
func fetched(t *testing.T, tx pgx.Tx) (n int64) {
	t.Helper()
	require.NoError(t, tx.QueryRow(t.Context(),
		"SELECT COALESCE(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables WHERE relname = 'received_payments'").Scan(&n))
	return n
}
