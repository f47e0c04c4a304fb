package rekey_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/rekey"
	"github.com/durapay/durapay/internal/secret"
)

func TestRotationReachesSwaps(t *testing.T) {
	t.Parallel()
	ctx, file, store := t.Context(), t.TempDir()+"/keyset.json", pgtest.New(t)
	require.NoError(t, secret.NewKeysetFile(file))
	box, err := secret.Open(file)
	require.NoError(t, err)
	id := secret.NewID("swp_")
	seal := func(column string) []byte {
		sealed, err := box.Seal([]byte(column), secret.AD{Table: "swaps", Column: column, ID: id})
		require.NoError(t, err)
		return sealed
	}
	for _, sql := range []string{
		"INSERT INTO wallets (id, mode, primary_address) VALUES ('live-1', 'live', 'a'), ('test-1', 'sandbox', 'b')",
		`INSERT INTO merchants (merchant_id, email_sealed, email_index, business_name, password_hash, live_wallet_id, sandbox_wallet_id, deleted_at)
			VALUES ('0123456789abcdef0123456789abcdef', NULL, NULL, '', '', 'live-1', 'test-1', now())`,
	} {
		_, err := store.Pool().Exec(ctx, sql)
		require.NoError(t, err)
	}
	insert := `INSERT INTO swaps (id, merchant_id, provider, id_provider, ticker_from, network_from, ticker_to, network_to, amount_from,
		amount_expected, rate, deposit_address, address_sealed, refund_sealed, created_at, expires_at, quiet_since, polled_at, heard_at, updated_at)
		VALUES ($1, '0123456789abcdef0123456789abcdef', 'ex', $1, 'xmr', 'Mainnet', 'ltc', 'Mainnet', 1, 1, 1, 'd', $2, $3,
		now(), now() + interval '1 hour', now(), now(), now(), now())`
	_, err = store.Pool().Exec(ctx, insert, id, seal("address"), seal("refund"))
	require.NoError(t, err)
	_, err = store.Pool().Exec(ctx, insert, secret.NewID("swp_"), nil, nil) // of a deleted account
	require.NoError(t, err)

	require.NoError(t, secret.Rotate(file))
	require.NoError(t, box.Reload())
	n, err := rekey.All(ctx, store, box)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	_, err = secret.DropOldKeys(file)
	require.NoError(t, err)
	fresh, err := secret.Open(file)
	require.NoError(t, err)
	row, err := store.GetSwap(ctx, id)
	require.NoError(t, err)
	for column, sealed := range map[string][]byte{"address": row.AddressSealed, "refund": row.RefundSealed} {
		plain, err := fresh.Unseal(sealed, secret.AD{Table: "swaps", Column: column, ID: id})
		require.NoError(t, err)
		require.Equal(t, column, string(plain))
	}
}
