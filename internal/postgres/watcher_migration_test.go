package postgres_test

import (
	"os"
	"testing"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
)

// TestWatcherGoesOnAfterTheMigration writes what the watchers of the version before
// left, and reads where the one of now begins.
func TestWatcherGoesOnAfterTheMigration(t *testing.T) {
	t.Parallel()
	store, ctx := pgtest.New(t), t.Context()
	conn := stdlib.OpenDBFromPool(store.Pool())
	defer func() { _ = conn.Close() }()
	provider, err := goose.NewProvider(goose.DialectPostgres, conn, os.DirFS("migrations"))
	require.NoError(t, err)
	_, err = provider.DownTo(ctx, 29)
	require.NoError(t, err)
	for _, sql := range []string{
		`INSERT INTO wallets (id, mode, primary_address, chain_height, top_hash) VALUES ('w', 'live', 'p', 1000, 'h'), ('new', 'live', 'q', 0, '')`,
		`INSERT INTO exchange_wallets (id, ticker, network, decimals, chain_height, top_hash, cursor, looked_at)
			VALUES ('x', 'xmr', 'Mainnet', 12, 999, 'h', '{"open":[]}', now()), ('l', 'ltc', 'Mainnet', 8, 0, '', '', NULL)`,
		`INSERT INTO trades (id, id_provider, password_sealed, provider, risk, wallet_from, wallet_to, ticker_from, network_from, ticker_to,
			network_to, amount_from, amount_to, rate, min_from, max_from, deposit_address, address, refund_address, confirmations, created_at,
			window_seconds, expires_at, reserved, updated_at)
		SELECT lpad(to_hex(n), 32, '0'), 'sw_' || lpad(to_hex(n), 24, '0'), '\x00', 'durapay', 'precheck', 'x', 'l', 'xmr', 'Mainnet', 'ltc',
			'Mainnet', 1, 2, 2, 0.05, 20, 'd' || n, 'a', 'r', 10, now(), 3600, now() + interval '1 hour', 2, now() FROM generate_series(1, 4) n`,
		`INSERT INTO trade_deposits (trade_id, wallet_id, tx_hash, address, amount, height, confirmations, locked, first_seen_at)
		SELECT lpad(to_hex(n), 32, '0'), 'x', 't' || n, 'd' || n, 1, h, c, locked, now()
		FROM (VALUES (1, NULL::bigint, 0, true), (2, 996, 4, true), (3, 900, 61, false), (4, 700, 300, true)) d(n, h, c, locked)`,
		`INSERT INTO charge_signals VALUES ('ch', 'w', 1)`,
		`INSERT INTO trade_signals VALUES ('tr', 'x', 1)`,
	} {
		_, err := store.Pool().Exec(ctx, sql)
		require.NoError(t, err, sql)
	}
	_, err = provider.UpTo(ctx, clearDetails)
	require.NoError(t, err)
	var mature []bool
	require.NoError(t, store.Pool().QueryRow(ctx, "SELECT array_agg(mature ORDER BY tx_hash) FROM trade_deposits").Scan(&mature))
	require.Equal(t, []bool{false, false, true, false}, mature)
	migrateWithoutTrades(t, store, provider)
	merchants, err := store.GetWallet(ctx, "w")
	require.NoError(t, err)
	require.Equal(t, []int64{1000, 940}, []int64{merchants.ChainHeight, merchants.SettledHeight})
	fresh, err := store.GetWallet(ctx, "new")
	require.NoError(t, err)
	require.Zero(t, fresh.SettledHeight)
	exchange, err := store.GetExchangeWallet(ctx, "x")
	require.NoError(t, err)
	require.Equal(t, []int64{1000, 700}, []int64{exchange.ChainHeight, exchange.SettledHeight}, "a deposit that is locked is read again")
	require.NotNil(t, exchange.BalanceAt)
}
