package secret_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/secret"
)

func TestTokenForms(t *testing.T) {
	t.Parallel()
	for want, made := range map[string]func() string{
		`^cm_live_[0-9a-f]{48}$`: func() string { return secret.NewAPIKey(true) },
		`^cm_test_[0-9a-f]{48}$`: func() string { return secret.NewAPIKey(false) },
		`^ch_[0-9a-f]{24}$`:      func() string { return secret.NewID("ch_") },
		`^[0-9a-f]{32}$`:         secret.NewMerchantID,
		`^[0-9a-f]{64}$`:         secret.NewSecret,
	} {
		first, second := made(), made()
		require.Regexp(t, want, first)
		require.NotEqual(t, first, second)
	}
}

func TestIsMerchantID(t *testing.T) {
	t.Parallel()
	id := secret.NewMerchantID()
	require.True(t, secret.IsMerchantID(id))
	for _, bad := range []string{"", id[1:], id + "0", strings.Repeat("g", 32), strings.Repeat("A", 32), id[1:] + "\n", id[1:] + " "} {
		require.False(t, secret.IsMerchantID(bad), bad)
	}
}

func TestParseAPIKey(t *testing.T) {
	t.Parallel()
	hex48 := strings.Repeat("0af9", 12)
	for key, want := range map[string][2]bool{
		secret.NewAPIKey(true):              {true, true},
		secret.NewAPIKey(false):             {false, true},
		"cm_live_" + hex48:                  {true, true},
		"cm_test_" + hex48:                  {false, true},
		"":                                  {},
		"cm_live_":                          {},
		"cm_live_" + hex48[1:]:              {},
		"cm_live_" + hex48 + "0":            {},
		"cm_live_" + hex48[1:] + "g":        {},
		"cm_live_" + hex48[2:] + "\n\n":     {},
		"cm_live_" + "0g" + hex48[2:]:       {},
		"cm_live_cm_test_" + hex48:          {},
		strings.ToUpper("cm_live_") + hex48: {},
		"cm_test_" + strings.ToUpper(hex48): {},
		"aff_" + hex48:                      {},
	} {
		live, ok := secret.ParseAPIKey(key)
		require.Equal(t, want, [2]bool{live, ok}, "%q", key)
	}
}

func TestHashAPIKey(t *testing.T) {
	t.Parallel()
	key := secret.NewAPIKey(true)
	sum := sha256.Sum256([]byte(key))
	require.True(t, secret.Equal(sum[:], secret.HashAPIKey(key)))
	require.False(t, secret.Equal(sum[:], secret.HashAPIKey(secret.NewAPIKey(true))))
	require.False(t, secret.Equal(sum[:], sum[:31]))
	require.False(t, secret.Equal(sum[:], nil))
}

func TestBlindIndex(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "index")
	require.NoError(t, secret.NewBlindIndexFile(path))
	require.ErrorIs(t, secret.NewBlindIndexFile(path), fs.ErrExist)
	index, err := secret.OpenBlindIndex(path)
	require.NoError(t, err)
	again, err := secret.OpenBlindIndex(path)
	require.NoError(t, err)

	code := index.Email("shop@example.com")
	require.Len(t, code, 32)
	require.Equal(t, code, again.Email("  Shop@EXAMPLE.com\n"))
	require.NotEqual(t, code, index.Email("shop2@example.com"))
	require.NotEqual(t, secret.HashAPIKey("shop@example.com"), code, "the key is used")
}

func TestBlindIndexKnownAnswer(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "index")
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("00", 31)+"01"), 0o600))
	index, err := secret.OpenBlindIndex(path)
	require.NoError(t, err)
	// printf %s a@b.c | openssl dgst -sha256 -mac HMAC -macopt hexkey:00…01
	require.Equal(t, "49d006c820c4a73ffd4fefdd36876c206ac3bbe7a74cc4afe03f0ece6bf13239", hex.EncodeToString(index.Email(" A@b.c ")))
}

func TestUnusableBlindIndexFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := secret.OpenBlindIndex(filepath.Join(dir, "missing"))
	require.ErrorIs(t, err, secret.ErrBlindIndexKey)
	for _, content := range []string{"", "abcd", strings.Repeat("zz", 32), strings.Repeat("aa", 33)} {
		path := filepath.Join(dir, "bad")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		_, err := secret.OpenBlindIndex(path)
		require.ErrorIs(t, err, secret.ErrBlindIndexKey)
		if content != "" {
			require.NotContains(t, err.Error(), content)
		}
	}
}
