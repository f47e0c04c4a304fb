package secret_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/secret"
)

var viewKey = secret.ViewKeyPlace.Of("own_1")

// What the merchant API seals, the worker and the operators open, at its own place alone.
func TestTheSealingHalfSealsForTheWorker(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	api, worker := openFor(t, dir, secret.MerchantAPI), openFor(t, dir, secret.Worker)
	sealed, err := api.Seal([]byte("a key"), viewKey)
	require.NoError(t, err)
	for _, box := range []*secret.Box{worker, openFor(t, dir, secret.Admin)} {
		plain, err := box.Unseal(sealed, viewKey)
		require.NoError(t, err)
		require.Equal(t, "a key", string(plain))
		_, err = box.Unseal(sealed, secret.ViewKeyPlace.Of("own_2"))
		require.ErrorIs(t, err, secret.ErrUnseal, "it was moved to another row")
	}
	_, err = api.Unseal(sealed, viewKey)
	require.ErrorIs(t, err, secret.ErrNoKey)
	sealed[len(sealed)-1] ^= 1
	_, err = worker.Unseal(sealed, viewKey)
	require.ErrorIs(t, err, secret.ErrUnseal)
}

// A rotation reaches the sealing half. An API that still seals with the older key is read until
// that key is dropped.
func TestARotationReachesTheSealingHalf(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	running, worker := openFor(t, dir, secret.MerchantAPI), openFor(t, dir, secret.Worker)
	require.NoError(t, secret.RotateFolder(dir))
	old, err := running.Seal([]byte("old"), viewKey)
	require.NoError(t, err)
	fresh, err := openFor(t, dir, secret.MerchantAPI).Seal([]byte("fresh"), viewKey)
	require.NoError(t, err)
	for text, sealed := range map[string][]byte{"old": old, "fresh": fresh} {
		plain, err := worker.Unseal(sealed, viewKey)
		require.NoError(t, err, text)
		require.Equal(t, text, string(plain))
	}
	admin := openFor(t, dir, secret.Admin)
	require.True(t, admin.NeedsRekey(old, viewKey))
	require.False(t, admin.NeedsRekey(fresh, viewKey))
	again, err := admin.Seal([]byte("old"), viewKey)
	require.NoError(t, err)
	require.False(t, admin.NeedsRekey(again, viewKey))
	_, err = secret.DropOldKeysInFolder(dir)
	require.NoError(t, err)
	_, err = openFor(t, dir, secret.Worker).Unseal(old, viewKey)
	require.ErrorIs(t, err, secret.ErrUnseal)
	for _, sealed := range [][]byte{fresh, again} {
		_, err = openFor(t, dir, secret.Worker).Unseal(sealed, viewKey)
		require.NoError(t, err)
	}
}

// A rotation that dies before it wrote the sealing half drops no key that the API still
// seals with.
func TestAnInterruptedRotationDropsNoKeyThatIsInUse(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	half := secret.ViewKeysSeal.KeysetFile(dir)
	before, err := os.ReadFile(half)
	require.NoError(t, err)
	require.NoError(t, secret.RotateFolder(dir))
	require.NoError(t, os.WriteFile(half, before, 0o600)) // as if it had died
	sealed, err := openFor(t, dir, secret.MerchantAPI).Seal([]byte("x"), viewKey)
	require.NoError(t, err)
	_, err = secret.DropOldKeysInFolder(dir)
	require.ErrorIs(t, err, secret.ErrSealingHalf)
	_, err = openFor(t, dir, secret.Worker).Unseal(sealed, viewKey)
	require.NoError(t, err)
	sealed, err = openFor(t, dir, secret.MerchantAPI).Seal([]byte("x"), viewKey)
	require.NoError(t, err)
	require.False(t, openFor(t, dir, secret.Admin).NeedsRekey(sealed, viewKey), "the half is renewed")
	_, err = secret.DropOldKeysInFolder(dir)
	require.NoError(t, err)

	// keygen mends a half that is behind, and makes one that is missing.
	require.NoError(t, os.WriteFile(half, before, 0o600))
	require.NoError(t, secret.NewFolder(dir))
	sealed, err = openFor(t, dir, secret.MerchantAPI).Seal([]byte("x"), viewKey)
	require.NoError(t, err)
	_, err = openFor(t, dir, secret.Worker).Unseal(sealed, viewKey)
	require.NoError(t, err)
	require.NoError(t, os.Remove(half))
	require.NoError(t, secret.NewFolder(dir))
	openFor(t, dir, secret.MerchantAPI)
}
