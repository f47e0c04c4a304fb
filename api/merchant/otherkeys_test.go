package merchant_test

import (
	"encoding/hex"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/secret"
)

// forged returns sessions of a shop that are signed with the content of a file. The content is
// used in three forms: unchanged, without the line's end, and decoded from hex.
func (b *bench) forged(t *testing.T, s shop, path string) []string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	line := strings.TrimSpace(string(content))
	keys := [][]byte{content, []byte(line)}
	if raw, err := hex.DecodeString(line); err == nil {
		keys = append(keys, raw)
	}
	m, err := b.store.GetMerchant(t.Context(), s.id)
	require.NoError(t, err)
	var tokens []string
	for _, key := range keys {
		now := b.clock.Now()
		tokens = append(tokens, signed(t, jwt.SigningMethodHS256, key, jwt.MapClaims{
			"sub": s.id, "ver": m.TokenVersion, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(), "jti": "forged",
		}))
	}
	return tokens
}

// TestKeysOfOtherServicesMakeNoSession simulates an attacker who has taken over another service
// and signs sessions of a merchant with every key file of that service. Only the key for
// sessions itself works.
func TestKeysOfOtherServicesMakeNoSession(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, secret.NewFolder(dir))
	key, err := os.ReadFile(secret.SessionKeyFile(dir))
	require.NoError(t, err)
	b := setup(t, withLimits, func(d *merchant.Deps) { d.JWTSecret = []byte(strings.TrimSpace(string(key))) })
	s := b.signup(t)
	ask := func(token string) int {
		return b.roaming().send(t, http.MethodGet, "/api/auth/me", session(token), "").status
	}
	require.Contains(t, statuses(b.forged(t, s, secret.SessionKeyFile(dir)), ask), http.StatusOK, "whoever has the key is everybody")
	for _, service := range []string{secret.SwapAPI, secret.Worker} {
		tried := 0
		for _, folder := range append(secret.KindsOf(service), secret.Payloads, "codec", "temporal/client") {
			require.NoError(t, filepath.WalkDir(filepath.Join(dir, string(folder)), func(path string, entry fs.DirEntry, err error) error {
				if err != nil || entry.IsDir() {
					return err
				}
				tried++
				for _, status := range statuses(b.forged(t, s, path), ask) {
					require.Equal(t, http.StatusUnauthorized, status, "%s signs with %s", service, path)
				}
				return nil
			}))
		}
		require.Greater(t, tried, 4, service)
	}
}

func statuses(tokens []string, ask func(string) int) []int {
	all := make([]int, len(tokens))
	for i, token := range tokens {
		all[i] = ask(token)
	}
	return all
}
