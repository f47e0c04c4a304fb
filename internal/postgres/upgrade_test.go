package postgres_test

import (
	"os"
	"testing"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
)

// Charges and keys that were there before the counters of hostile clients are
// counted, and keep their time.
func TestUpgradeCountsWhatIsThere(t *testing.T) {
	t.Parallel()
	store := pgtest.New(t)
	ctx := t.Context()
	conn := stdlib.OpenDBFromPool(store.Pool())
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	provider, err := goose.NewProvider(goose.DialectPostgres, conn, os.DirFS("migrations"))
	require.NoError(t, err)
	const before = 44
	_, err = provider.DownTo(ctx, before)
	require.NoError(t, err)
	for _, sql := range []string{
		"INSERT INTO wallets (id, mode, primary_address) VALUES ('l', 'live', 'l'), ('s', 'sandbox', 's')",
		`INSERT INTO merchants (merchant_id, email_sealed, email_index, business_name, password_hash, live_wallet_id, sandbox_wallet_id)
			VALUES (repeat('a', 32), '\x01', '\x01', 'Shop', 'x', 'l', 's'), (repeat('b', 32), '\x01', '\x02', 'Shop', 'x', 'l', 's')`,
		`INSERT INTO charges (id, merchant_id, mode, source, wallet_id, subaddress_index, subaddress, amount, currency, amount_piconero,
			confirm_from_piconero, confirmations_required, status, created_at, expires_at)
			SELECT 'ch_' || lpad(n::text, 24, '0'), repeat('a', 32), 'live', 'api', 'l', n, 'address ' || n, 1, 'XMR', 1, 1, 10,
				CASE WHEN n <= 7 THEN 'pending' ELSE 'expired' END, now(), now() FROM generate_series(1, 10) n`,
		`INSERT INTO swap_keys (id, class, key_hash, prefix, created_at) VALUES ('sk_0123456789abcdef01234567', 'affiliate', '\x01', 'aff_', '2020-01-01')`,
	} {
		_, err := store.Pool().Exec(ctx, sql)
		require.NoError(t, err, sql)
	}
	_, err = provider.Up(ctx)
	require.NoError(t, err)
	pending := func() (n int) {
		require.NoError(t, store.Pool().QueryRow(ctx, "SELECT sum(charges) FROM pending_charges WHERE merchant_id = repeat('a', 32)").Scan(&n))
		return n
	}
	require.Equal(t, 7, pending())
	_, err = store.Pool().Exec(ctx, "UPDATE charges SET status = 'expired' WHERE subaddress_index = 1")
	require.NoError(t, err)
	require.Equal(t, 6, pending())
	var unused, waits int
	require.NoError(t, store.Pool().QueryRow(ctx, "SELECT count(*) FROM swap_keys WHERE last_used_at < now() - interval '1 hour'").Scan(&unused))
	require.Zero(t, unused, "an old key has its whole time from now on")
	require.NoError(t, store.Pool().QueryRow(ctx, "SELECT count(*) FROM merchants WHERE verify_by IS NOT NULL").Scan(&waits))
	require.Zero(t, waits, "accounts that were there stay")
}
