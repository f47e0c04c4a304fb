package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/secret"
)

// TestInstallationWithOneKeyFolderContinues checks that an installation with one key folder
// continues to work unchanged, and also with a folder for each kind after keygen and a
// rotation.
func TestInstallationWithOneKeyFolderContinues(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old := config.Keys{
		KeysetFile: filepath.Join(dir, "keyset.json"), PayloadKeysetFile: filepath.Join(dir, "payload-keyset.json"),
		BlindIndexFile: filepath.Join(dir, "blind-index"), JWTSecretFile: filepath.Join(dir, "jwt-secret"),
	}
	require.NoError(t, secret.NewKeysetFile(old.KeysetFile))
	require.NoError(t, secret.NewKeysetFile(old.PayloadKeysetFile))
	require.NoError(t, secret.NewBlindIndexFile(old.BlindIndexFile))
	require.NoError(t, os.WriteFile(old.JWTSecretFile, []byte("the key of the sessions that are open"), 0o600))
	ad := secret.AD{Table: "payouts", Column: "address", ID: "po_1"}
	before, err := openBox(old, secret.MerchantAPI)
	require.NoError(t, err)
	sealed, err := before.Seal([]byte("4A"), ad)
	require.NoError(t, err)

	require.NoError(t, (&keygenCmd{Dir: dir}).Run())
	after := config.Keys{KeysDir: dir}
	for _, keys := range []config.Keys{old, after} {
		box, err := openBox(keys, secret.Worker)
		require.NoError(t, err)
		plain, err := box.Unseal(sealed, ad)
		require.NoError(t, err)
		require.Equal(t, "4A", string(plain))
		key, err := readSessionKey(keys)
		require.NoError(t, err)
		require.Equal(t, "the key of the sessions that are open", key)
		_, err = openCodec(keys)
		require.NoError(t, err)
		index, err := openIndex(keys, secret.Accounts)
		require.NoError(t, err)
		require.Equal(t, index.Email("a@b.c"), index.Email("A@b.c "))
		require.NoError(t, rotate(keys))
		require.NoError(t, box.Reload())
		require.True(t, box.NeedsRekey(sealed, ad))
		_, err = box.Unseal(sealed, ad)
		require.NoError(t, err)
	}
	n, err := dropOldKeys(old)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	_, err = openBox(after, secret.SwapAPI)
	require.NoError(t, err)
}
