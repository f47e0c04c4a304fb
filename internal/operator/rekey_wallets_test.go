package operator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// TestRotationOfViewKeys: the merchant API sealed the key of a shop's own wallet and cannot open it.
// An operator moves it to the new key pair, and the worker opens it. The wallet of a deleted account
// has no key.
func TestRotationOfViewKeys(t *testing.T) {
	t.Parallel()
	ctx, store, dir := t.Context(), pgtest.New(t), t.TempDir()
	require.NoError(t, secret.NewFolder(dir))
	open := func(service string) *secret.Box {
		box, err := secret.OpenFolder(dir, secret.KindsOf(service)...)
		require.NoError(t, err)
		return box
	}
	api := open(secret.MerchantAPI)
	merchant, place := secret.NewMerchantID(), secret.ViewKeyPlace.Of("own_1")
	before, err := api.Seal([]byte("view key"), place)
	require.NoError(t, err)
	email, err := api.Seal([]byte("shop@example.com"), secret.EmailPlace.Of(merchant))
	require.NoError(t, err)
	_, err = store.InsertMerchant(ctx, db.InsertMerchantParams{
		MerchantID: merchant, EmailSealed: email, EmailIndex: []byte{1}, BusinessName: "Shop",
		PasswordHash: "x", LiveWalletID: "simulated", SandboxWalletID: "simulated",
	})
	require.NoError(t, err)
	_, err = store.Pool().Exec(ctx, `INSERT INTO wallets (id, chain_id, role, primary_address, merchant_id, view_key_index, view_key_sealed)
		VALUES ('own_1', 'simulated', 'own', '4a', $2, '\x01', $1), ('own_2', 'simulated', 'own', '4b', $2, '\x02', NULL)`, before, merchant)
	require.NoError(t, err)
	require.NoError(t, secret.RotateFolder(dir))
	for _, want := range []int{2, 0} { // with the email
		n, err := operator.Rekey(ctx, store, open(secret.Admin))
		require.NoError(t, err)
		require.Equal(t, want, n)
	}
	_, err = secret.DropOldKeysInFolder(dir)
	require.NoError(t, err)
	var fresh []byte
	require.NoError(t, store.Pool().QueryRow(ctx, "SELECT view_key_sealed FROM wallets WHERE id = 'own_1'").Scan(&fresh))
	worker := open(secret.Worker)
	sealed{worker}.requireOpens(t, "view key", fresh, place)
	_, err = worker.Unseal(before, place)
	require.ErrorIs(t, err, secret.ErrUnseal)
}
