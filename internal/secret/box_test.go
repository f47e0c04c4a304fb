package secret_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/secret"
)

var place = secret.AD{Table: "webhooks", Column: "secret", ID: "wh_1"}

func newKeyset(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keyset.json")
	require.NoError(t, secret.NewKeysetFile(path))
	return path
}

func open(t *testing.T, path string) *secret.Box {
	t.Helper()
	box, err := secret.Open(path)
	require.NoError(t, err)
	return box
}

func seal(t *testing.T, box *secret.Box, text string) []byte {
	t.Helper()
	sealed, err := box.Seal([]byte(text), place)
	require.NoError(t, err)
	return sealed
}

func requireUnseals(t *testing.T, box *secret.Box, sealed []byte, want string) {
	t.Helper()
	plain, err := box.Unseal(sealed, place)
	require.NoError(t, err)
	require.Equal(t, want, string(plain))
}

func TestSealedTextOpensAtItsPlaceOnly(t *testing.T) {
	t.Parallel()
	box := open(t, newKeyset(t))
	sealed := seal(t, box, "4Axyz")
	require.NotContains(t, string(sealed), "4Axyz")
	requireUnseals(t, box, sealed, "4Axyz")

	for _, other := range []secret.AD{
		{Table: "webhooks", Column: "secret", ID: "wh_2"},
		{Table: "webhooks", Column: "url", ID: "wh_1"},
		{Table: "merchants", Column: "secret", ID: "wh_1"},
	} {
		_, err := box.Unseal(sealed, other)
		require.ErrorIs(t, err, secret.ErrUnseal, "%v", other)
	}
}

func TestEveryChangedBitIsNoticed(t *testing.T) {
	t.Parallel()
	box := open(t, newKeyset(t))
	sealed := seal(t, box, "x")
	for i := range sealed {
		changed := append([]byte(nil), sealed...)
		changed[i] ^= 1
		_, err := box.Unseal(changed, place)
		require.ErrorIs(t, err, secret.ErrUnseal, "byte %d", i)
	}
	for _, short := range [][]byte{nil, {}, sealed[:4], sealed[:5], sealed[:len(sealed)-1]} {
		_, err := box.Unseal(short, place)
		require.ErrorIs(t, err, secret.ErrUnseal)
	}
}

func TestAssociatedDataMustBeUnambiguous(t *testing.T) {
	t.Parallel()
	box := open(t, newKeyset(t))
	for _, ad := range []secret.AD{
		{}, {Table: "a", Column: "b"}, {Table: "a", ID: "c"}, {Column: "b", ID: "c"},
		{Table: "a:b", Column: "c", ID: "d"}, {Table: "a", Column: "b:c", ID: "d"},
	} {
		_, err := box.Seal([]byte("x"), ad)
		require.ErrorIs(t, err, secret.ErrAssociatedData, "%v", ad)
		_, err = box.Unseal([]byte("x"), ad)
		require.ErrorIs(t, err, secret.ErrAssociatedData, "%v", ad)
	}
}

func TestSealIsNotDeterministic(t *testing.T) {
	t.Parallel()
	box := open(t, newKeyset(t))
	first, second := seal(t, box, "same"), seal(t, box, "same")
	require.NotEqual(t, first, second)
}

func TestKeysetFileIsPrivateAndNeverOverwritten(t *testing.T) {
	t.Parallel()
	path := newKeyset(t)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
	before, err := os.ReadFile(path)
	require.NoError(t, err)

	require.ErrorIs(t, secret.NewKeysetFile(path), fs.ErrExist)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after)
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1, "no temporary file is left behind")
}

func TestUnusableKeysetFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := secret.Open(filepath.Join(dir, "missing"))
	require.ErrorIs(t, err, secret.ErrKeyset)
	require.ErrorIs(t, err, fs.ErrNotExist)

	for name, content := range map[string]string{
		"empty": "", "text": "SENSITIVE", "no keys": "{}", "half": `{"primaryKeyId":1,"key":[{"keyData":{"value":"SENSITIVE`,
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		_, err := secret.Open(path)
		require.ErrorIs(t, err, secret.ErrKeyset, name)
		require.NotContains(t, err.Error(), "SENSITIVE", name)
		require.ErrorIs(t, secret.Rotate(path), secret.ErrKeyset, name)
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	path := newKeyset(t)
	box := open(t, path)
	old := seal(t, box, "old")
	require.False(t, box.NeedsRekey(old, place))

	require.NoError(t, secret.Rotate(path))
	rotated := open(t, path)
	requireUnseals(t, rotated, old, "old")
	require.True(t, rotated.NeedsRekey(old, place))
	require.True(t, rotated.NeedsRekey([]byte("not sealed"), place))
	fresh := seal(t, rotated, "fresh")
	require.False(t, rotated.NeedsRekey(fresh, place))

	dropped, err := secret.DropOldKeys(path)
	require.NoError(t, err)
	require.Equal(t, 1, dropped)
	pruned := open(t, path)
	requireUnseals(t, pruned, fresh, "fresh")
	_, err = pruned.Unseal(old, place)
	require.ErrorIs(t, err, secret.ErrUnseal)

	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
}

func TestRunningProcessLearnsARotatedKey(t *testing.T) {
	t.Parallel()
	path := newKeyset(t)
	running := open(t, path)
	require.NoError(t, secret.Rotate(path))
	fresh := seal(t, open(t, path), "from a restarted process")
	requireUnseals(t, running, fresh, "from a restarted process")
	require.False(t, running.NeedsRekey(fresh, place))
}

func TestConcurrentRotationsKeepEveryKey(t *testing.T) {
	t.Parallel()
	path := newKeyset(t)
	errs := make(chan error)
	for range 8 {
		go func() { errs <- secret.Rotate(path) }()
	}
	for range 8 {
		require.NoError(t, <-errs)
	}
	dropped, err := secret.DropOldKeys(path)
	require.NoError(t, err)
	require.Equal(t, 8, dropped)
}
