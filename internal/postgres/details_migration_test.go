package postgres_test

import (
	"os"
	"testing"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
)

// clearDetails is the last version that kept the addresses of trades in clear.
const clearDetails = 52

// TestTradesInClearAreNotTakenOver: what cannot be sealed is neither kept in
// clear nor thrown away, in both directions.
func TestTradesInClearAreNotTakenOver(t *testing.T) {
	t.Parallel()
	store, ctx := pgtest.New(t), t.Context()
	conn := stdlib.OpenDBFromPool(store.Pool())
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	provider, err := goose.NewProvider(goose.DialectPostgres, conn, os.DirFS("migrations"))
	require.NoError(t, err)
	_, err = provider.DownTo(ctx, clearDetails)
	require.NoError(t, err)
	exec := func(sql string) {
		t.Helper()
		_, err := store.Pool().Exec(ctx, sql)
		require.NoError(t, err, sql)
	}
	const columns, values = `INSERT INTO trades (id, id_provider, provider, risk, ticker_from, network_from, ticker_to, network_to,
		amount_from, amount_to, rate, min_from, max_from, deposit_address, confirmations, created_at, window_seconds, expires_at, reserved,
		updated_at, `, ` VALUES (repeat('a', 32), 'order', 'other', 'auto', 'xmr', 'Mainnet', 'ltc', 'Mainnet', 1, 2, 2, 1, 1, 'd', 1, now(),
		3600, now() + interval '1 hour', 0, now(), `
	exec(columns + "address, refund_address, password_sealed)" + values + "'payee', 'payer', '')")
	_, err = provider.Up(ctx)
	require.ErrorContains(t, err, "trades exist whose addresses are in clear")
	require.Equal(t, []string{"payee"}, column(t, store, "SELECT address FROM trades"))

	migrateWithoutTrades(t, store, provider)
	exec(columns + "details_sealed)" + values + "'')")
	_, err = provider.DownTo(ctx, clearDetails)
	require.ErrorContains(t, err, "trades exist whose addresses are sealed")
	require.Len(t, column(t, store, "SELECT id FROM trades"), 1)
}

// migrateWithoutTrades brings a database up to date whose trades have ended and
// are pruned.
func migrateWithoutTrades(t *testing.T, store *postgres.Store, provider *goose.Provider) {
	t.Helper()
	_, err := store.Pool().Exec(t.Context(), "TRUNCATE trades CASCADE")
	require.NoError(t, err)
	_, err = provider.Up(t.Context())
	require.NoError(t, err)
}
