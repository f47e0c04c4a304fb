package postgres_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/witness/witnesstest"
)

// TestNextAddressIsFoundAtOnce: the planner's statistics are from a time when all
// addresses were free. A new charge must not read the addresses that were taken since,
// however many there are.
func TestNextAddressIsFoundAtOnce(t *testing.T) {
	t.Parallel()
	const free, taken = 20_000, 10_000
	store := pgtest.New(t)
	exec := func(sql string, args ...any) {
		t.Helper()
		_, err := store.Pool().Exec(t.Context(), sql, args...)
		require.NoError(t, err)
	}
	require.NoError(t, store.UpsertWallet(t.Context(), db.UpsertWalletParams{ID: "w", Mode: "live", PrimaryAddress: "primary"}))
	exec(fmt.Sprintf("INSERT INTO addresses (wallet_id, subaddress_index, address) SELECT 'w', n, 'address ' || n FROM generate_series(1, %d) n", free))
	exec("ANALYZE addresses")
	exec("UPDATE addresses SET charge_id = 'ch_' || subaddress_index WHERE subaddress_index <= $1", taken)
	witnesstest.Open(t, store, "w")
	first, err := witnesstest.Take(t.Context(), store, "w", "ch_first") // makes the merchant as well
	require.NoError(t, err)
	require.EqualValues(t, taken+1, first)

	tx, err := store.Pool().Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(t.Context()) }()
	var merchant string
	require.NoError(t, tx.QueryRow(t.Context(), "SELECT merchant_id FROM merchants").Scan(&merchant))
	begun, err := store.WithTx(tx).BeginCharge(t.Context(), db.BeginChargeParams{ChargeID: "ch_next", MerchantID: merchant, Mode: "live", PendingMax: 1 << 30})
	require.NoError(t, err)
	require.EqualValues(t, taken+2, begun.SubaddressIndex)
	var rows int64
	require.NoError(t, tx.QueryRow(t.Context(), `SELECT pg_stat_get_xact_tuples_returned(indexrelid) FROM pg_index WHERE indrelid = 'addresses'::regclass AND indisprimary`).Scan(&rows))
	require.Less(t, rows, int64(10), "entries of the primary key that were read: it has the addresses that are taken")
}
