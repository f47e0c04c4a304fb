package secret_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/secret"
)

func newFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, secret.NewFolder(dir))
	return dir
}

func openFor(t *testing.T, dir, service string) *secret.Box {
	t.Helper()
	box, err := secret.OpenFolder(dir, secret.KindsOf(service)...)
	require.NoError(t, err)
	return box
}

// files returns the contents of all files below a folder.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		if path == dir {
			return nil
		}
		info, err := d.Info()
		require.NoError(t, err)
		shut := fs.FileMode(0o077)
		if strings.HasPrefix(path, filepath.Join(dir, "temporal", "ui")) {
			shut = 0o027 // the UI is in the group
		}
		require.Zero(t, info.Mode().Perm()&shut, path)
		if !d.IsDir() {
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			found[path] = string(content)
		}
		return nil
	}))
	return found
}

func TestKeyFilesAreMadeOnce(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	before := files(t, dir)
	require.NoError(t, secret.NewFolder(dir))
	require.Equal(t, before, files(t, dir))

	// The next run completes an interrupted one.
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "trades")))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "temporal")))
	require.NoError(t, secret.NewFolder(dir))
	after := files(t, dir)
	require.Len(t, after, len(before))
	require.Equal(t, before[secret.Accounts.KeysetFile(dir)], after[secret.Accounts.KeysetFile(dir)])
	require.NotEqual(t, before[secret.Trades.KeysetFile(dir)], after[secret.Trades.KeysetFile(dir)])
}

// A service opens only data of its kinds. It can do nothing with the
// ciphertexts of other kinds and a copy of the database.
func TestServicesOpenNothingElse(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	places := map[secret.AD][]string{
		{Table: "merchants", Column: "email", ID: "m"}:           {secret.Worker, secret.MerchantAPI},
		{Table: "merchants", Column: "totp_secret", ID: "m"}:     {secret.MerchantAPI},
		{Table: "merchants", Column: "payout_address", ID: "m"}:  {secret.Worker, secret.MerchantAPI},
		{Table: "webhooks", Column: "secret", ID: "w"}:           {secret.Worker, secret.MerchantAPI},
		{Table: "payouts", Column: "address", ID: "p"}:           {secret.Worker},
		secret.ProofPlace(1):                                     {secret.Worker},
		{Table: "swap_keys", Column: "secret", ID: "k"}:          {secret.Worker},
		{Table: "trades", Column: "details", ID: "t"}:            {secret.Worker, secret.SwapAPI},
		{Table: "received_payments", Column: "origins", ID: "d"}: {secret.Worker},
		{Table: "idempotency_keys", Column: "response", ID: "t"}: {secret.Worker, secret.SwapAPI},
		secret.ViewKeyPlace.Of("own_1"):                          {secret.Worker},
	}
	admin := openFor(t, dir, secret.Admin)
	for ad, mayOpen := range places {
		sealed, err := admin.Seal([]byte("x"), ad)
		require.NoError(t, err)
		for _, service := range []string{secret.Worker, secret.MerchantAPI, secret.SwapAPI} {
			box := openFor(t, dir, service)
			plain, err := box.Unseal(sealed, ad)
			if slices.Contains(mayOpen, service) {
				require.NoError(t, err, "%s %v", service, ad)
				require.Equal(t, "x", string(plain))
				continue
			}
			require.ErrorIs(t, err, secret.ErrNoKey, "%s %v", service, ad)
			_, err = box.Seal([]byte("x"), ad)
			if ad == secret.ViewKeyPlace.Of("own_1") && service == secret.MerchantAPI {
				require.NoError(t, err, "it has the sealing half")
			} else {
				require.ErrorIs(t, err, secret.ErrNoKey, "%s %v", service, ad)
			}
			// Its own keys do not open it at any place.
			for _, kind := range secret.KindsOf(service) {
				own, err := secret.Open(kind.KeysetFile(dir))
				require.NoError(t, err)
				_, err = own.Unseal(sealed, ad)
				require.ErrorIs(t, err, secret.ErrUnseal, "%s %v", service, ad)
			}
		}
	}
	_, err := admin.Seal([]byte("x"), secret.AD{Table: "merchants", Column: "nonsense", ID: "m"})
	require.ErrorIs(t, err, secret.ErrNoKey)
}

// A service starts with only its own files.
func TestServicesStartWithoutTheFilesOfOtherServices(t *testing.T) {
	t.Parallel()
	for _, service := range []string{secret.Worker, secret.MerchantAPI, secret.SwapAPI} {
		all, own := newFolder(t), t.TempDir()
		for _, kind := range secret.KindsOf(service) {
			require.NoError(t, os.Rename(filepath.Join(all, string(kind)), filepath.Join(own, string(kind))))
		}
		openFor(t, own, service)
		_, err := secret.OpenFolder(all, secret.KindsOf(service)...)
		require.ErrorIs(t, err, secret.ErrKeyset, "one that is missing is noticed at the start")
	}
}

// After keygen, an installation with one keyset can still open its sealed data,
// and services of both layouts read each other's data. A rotation then
// separates the kinds.
func TestAnInstallationWithOneKeysetMovesOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one := filepath.Join(dir, "keyset.json")
	require.NoError(t, secret.NewKeysetFile(one))
	require.NoError(t, secret.NewKeysetFile(filepath.Join(dir, "payload-keyset.json")))
	require.NoError(t, secret.NewBlindIndexFile(filepath.Join(dir, "blind-index")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "jwt-secret"), []byte("the key of sessions that are open\n"), 0o600))
	before := open(t, one)
	old := seal(t, before, "from before")
	index, err := secret.OpenBlindIndex(filepath.Join(dir, "blind-index"))
	require.NoError(t, err)

	require.NoError(t, secret.NewFolder(dir))
	require.NoError(t, secret.NewFolder(dir))
	after := openFor(t, dir, secret.Worker)
	requireUnseals(t, after, old, "from before")
	requireUnseals(t, before, seal(t, after, "from a service that moved first"), "from a service that moved first")
	moved, err := secret.OpenBlindIndex(secret.Accounts.BlindIndexFile(dir))
	require.NoError(t, err)
	require.Equal(t, index.Email("a@b.c"), moved.Email("a@b.c"))
	callers, err := secret.OpenBlindIndex(secret.Trades.BlindIndexFile(dir))
	require.NoError(t, err)
	require.NotEqual(t, index.Email("a@b.c"), callers.Email("a@b.c"), "the swap API cannot check guesses of merchants' addresses")
	require.Equal(t, "the key of sessions that are open\n", files(t, dir)[secret.SessionKeyFile(dir)])

	require.NoError(t, secret.RotateFolder(dir))
	rotated := openFor(t, dir, secret.Admin)
	require.True(t, rotated.NeedsRekey(old, place))
	requireUnseals(t, rotated, old, "from before")
	fresh := seal(t, rotated, "from before")
	requireUnseals(t, after, fresh, "from before") // a running service reads its file again
	n, err := secret.DropOldKeysInFolder(dir)
	require.NoError(t, err)
	require.Equal(t, len(secret.Kinds()), n)
	parted := openFor(t, dir, secret.Worker)
	requireUnseals(t, parted, fresh, "from before")
	_, err = open(t, secret.Trades.KeysetFile(dir)).Unseal(fresh, place)
	require.ErrorIs(t, err, secret.ErrUnseal, "the kinds share no key any more")
	_, err = open(t, one).Unseal(fresh, place)
	require.ErrorIs(t, err, secret.ErrUnseal)
}
