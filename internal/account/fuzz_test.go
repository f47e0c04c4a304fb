package account_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/account"
)

// FuzzReadToken: a token is taken only when its first two parts are signed by
// our key with HS256 and it has not ended. The fuzzer's texts are tried as
// they are and signed, since it cannot sign.
func FuzzReadToken(f *testing.F) {
	key := []byte(strings.Repeat("k", 32))
	now := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	tokens, err := account.NewTokens(key, func() time.Time { return now })
	require.NoError(f, err)
	good, err := tokens.Issue(account.Session{MerchantID: "m", Version: 3})
	require.NoError(f, err)
	f.Add(good)
	for _, seed := range []string{
		"", ".", "..", "a.b.c", good + ".", good[:len(good)-1], " " + good,
		encoded(`{"alg":"none"}`) + "." + encoded(`{"sub":"m","exp":99999999999}`) + ".",
		encoded(`{"alg":"HS256"}`) + "." + encoded(`{"sub":"m","exp":1795253400.5}`),
		encoded(`{"alg":"HS256"}`) + "." + encoded(`{"sub":"m","exp":"1","ver":1e3}`),
		encoded(`{"alg":"HS512"}`) + "." + encoded(`{"sub":"m","exp":99999999999}`),
		encoded(`{"alg":"HS256","crit":["exp"]}`) + "." + encoded(`{"sub":"m","exp":99999999999,"nbf":99999999998}`),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, token := range []string{text, text + "." + base64.RawURLEncoding.EncodeToString(mac(key, text))} {
			session, err := tokens.Read(token)
			if err != nil {
				require.ErrorIs(t, err, account.ErrToken)
				continue
			}
			parts := strings.Split(token, ".")
			require.Len(t, parts, 3, token)
			signature, err := base64.RawURLEncoding.DecodeString(parts[2])
			require.NoError(t, err, token)
			require.True(t, hmac.Equal(mac(key, parts[0]+"."+parts[1]), signature), token)
			var header struct{ Alg string }
			var claims struct {
				Sub string
				Exp json.Number
			}
			decodePart(t, parts[0], &header)
			decodePart(t, parts[1], &claims)
			require.Equal(t, "HS256", header.Alg)
			require.Equal(t, claims.Sub, session.MerchantID)
			end, err := claims.Exp.Float64()
			require.NoError(t, err, token)
			require.Greater(t, end, float64(now.Unix()), token)
		}
	})
}

func encoded(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

func mac(key []byte, text string) []byte {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(text))
	return m.Sum(nil)
}

func decodePart(t *testing.T, part string, into any) {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(part)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, into), string(raw))
}
