package postgres_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/witness/witnesstest"
)

// TestNextAddressesAreFoundAtOnce: the planner's statistics are from a time when few addresses
// were handed out. Handing out more must not read those that were, however many there are.
func TestNextAddressesAreFoundAtOnce(t *testing.T) {
	t.Parallel()
	const made, handedOut = 20_000, 10_000
	store := pgtest.New(t)
	exec := func(sql string, args ...any) {
		t.Helper()
		_, err := store.Pool().Exec(t.Context(), sql, args...)
		require.NoError(t, err)
	}
	require.NoError(t, store.UpsertWallet(t.Context(), db.UpsertWalletParams{ID: "w", ChainID: "xmr-Mainnet", Mode: "live", PrimaryAddress: "primary"}))
	exec(fmt.Sprintf("INSERT INTO addresses (wallet_id, subaddress_index, address) SELECT 'w', n, 'address ' || n FROM generate_series(1, %d) n", made))
	exec("ANALYZE addresses")
	witnesstest.Open(t, store, "w")
	exec("UPDATE witnesses SET handed_out = $1", handedOut)

	tx, err := store.Pool().Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(t.Context()) }()
	read := func() (rows int64) {
		t.Helper()
		// It also has what this connection read before and PostgreSQL has not summed up yet.
		require.NoError(t, tx.QueryRow(t.Context(), `SELECT pg_stat_get_xact_tuples_returned(c.oid) + sum(pg_stat_get_xact_tuples_returned(i.indexrelid))
			FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid WHERE c.relname = 'addresses' GROUP BY c.oid`).Scan(&rows))
		return rows
	}
	before := read()
	next, err := store.WithTx(tx).HandOutAddresses(t.Context(), db.HandOutAddressesParams{WalletID: "w", Most: 3})
	require.NoError(t, err)
	require.Len(t, next, 3)
	for i, a := range next {
		require.EqualValues(t, handedOut+1+i, a.SubaddressIndex)
		require.Equal(t, fmt.Sprintf("address %d", handedOut+1+i), a.Address)
	}
	// Plans differ by a few entries; one that reads what was handed out reads all of it.
	require.Less(t, read()-before, int64(handedOut/100), "rows and entries of indexes that were read")
}
