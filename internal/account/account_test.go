package account_test

import (
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/account"
)

func TestParseEmail(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"a@example.com", " a.b+c@example.com ", "ü@example.com"} {
		parsed, err := account.ParseEmail(good)
		require.NoError(t, err, good)
		require.Equal(t, strings.TrimSpace(good), parsed)
	}
	for _, bad := range []string{
		"", "a", "@example.com", "a@", "A <a@example.com>", "a@example.com, b@example.com", "a\x00@example.com",
		"a@exa\nmple.com", strings.Repeat("a", 250) + "@b.cd",
	} {
		_, err := account.ParseEmail(bad)
		require.ErrorIs(t, err, account.ErrEmail, bad)
	}
}

func TestPasswordLength(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]bool{0: false, 9: false, 10: true, 200: true, 201: false} {
		require.Equal(t, want, account.PasswordLongEnough(strings.Repeat("ü", n)), n)
	}
}

func TestParseBusinessName(t *testing.T) {
	t.Parallel()
	name, err := account.ParseBusinessName("  \u202eTea\u202c & Co\u200f ")
	require.NoError(t, err)
	require.Equal(t, "Tea & Co\u200f", name)
	for _, bad := range []string{"", "  ", strings.Repeat("a", 201), "a\x00b", "\u2066"} {
		_, err := account.ParseBusinessName(bad)
		require.ErrorIs(t, err, account.ErrBusinessName)
	}
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	p, err := account.NewPasswords(account.HashMemory)
	require.NoError(t, err)
	allowed := func() error { return nil }
	hash, err := p.Hash(t.Context(), "correct horse")
	require.NoError(t, err)
	require.NotContains(t, hash, "correct")
	require.Contains(t, hash, "$argon2id$v=19$m=19456,t=2,p=1$")

	fits, err := p.Check(t.Context(), "correct horse", hash, allowed)
	require.NoError(t, err)
	require.True(t, fits)
	fits, err = p.Check(t.Context(), "wrong horse", hash, allowed)
	require.NoError(t, err)
	require.False(t, fits)
	fits, err = p.Check(t.Context(), "no account has this password", "", allowed)
	require.NoError(t, err)
	require.False(t, fits, "an unknown account has no password that fits")

	locked := errors.New("locked")
	_, err = p.Check(t.Context(), "correct horse", hash, func() error { return locked })
	require.ErrorIs(t, err, locked)
}

func TestTokens(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	clock := func() time.Time { return now }
	key := []byte(strings.Repeat("k", 32))
	tokens, err := account.NewTokens(key, clock)
	require.NoError(t, err)
	in := account.Session{MerchantID: strings.Repeat("a", 32), Version: 3}
	token, err := tokens.Issue(in)
	require.NoError(t, err)
	out, err := tokens.Read(token)
	require.NoError(t, err)
	require.NotEmpty(t, out.ID)
	require.WithinRange(t, out.IssuedAt, now, now)
	require.WithinRange(t, out.FreshUntil(), now.Add(10*time.Minute), now.Add(10*time.Minute))
	require.WithinRange(t, out.ExpiresAt(), now.Add(account.TokenLife), now.Add(account.TokenLife))
	second, err := tokens.Issue(in)
	require.NoError(t, err)
	other, err := tokens.Read(second)
	require.NoError(t, err)
	require.NotEqual(t, out.ID, other.ID, "each token is of a session of its own")
	require.Equal(t, out.IssuedAt, out.LoginAt)
	out.ID, out.IssuedAt, out.LoginAt = "", time.Time{}, time.Time{}
	require.Equal(t, in, out)
	replacing, err := tokens.Issue(account.Session{MerchantID: in.MerchantID, Version: 4, LoginAt: now.Add(-time.Hour)})
	require.NoError(t, err)
	replaced, err := tokens.Read(replacing)
	require.NoError(t, err)
	require.WithinRange(t, replaced.LoginAt, now.Add(-time.Hour), now.Add(-time.Hour))
	require.WithinRange(t, replaced.IssuedAt, now, now)

	now = now.Add(account.TokenLife - time.Second)
	_, err = tokens.Read(token)
	require.NoError(t, err)
	now = now.Add(time.Second)
	_, err = tokens.Read(token)
	require.ErrorIs(t, err, account.ErrToken, "expired after seven days")
}

func sign(t *testing.T, method jwt.SigningMethod, key any, c jwt.MapClaims) string {
	t.Helper()
	token, err := jwt.NewWithClaims(method, c).SignedString(key)
	require.NoError(t, err)
	return token
}

func TestForeignTokensAreRefused(t *testing.T) {
	t.Parallel()
	key := []byte(strings.Repeat("k", 32))
	tokens, err := account.NewTokens(key, time.Now)
	require.NoError(t, err)
	valid := jwt.MapClaims{"sub": "m", "ver": 1, "iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(), "jti": "x"}
	without := func(name string) jwt.MapClaims {
		claims := maps.Clone(valid)
		delete(claims, name)
		return claims
	}
	_, err = tokens.Read(sign(t, jwt.SigningMethodHS256, key, valid))
	require.NoError(t, err, "the others differ from it in one thing")
	for name, token := range map[string]string{
		"other key":       sign(t, jwt.SigningMethodHS256, []byte(strings.Repeat("x", 32)), valid),
		"other algorithm": sign(t, jwt.SigningMethodHS512, key, valid),
		"no signature":    sign(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, valid),
		"no expiry":       sign(t, jwt.SigningMethodHS256, key, without("exp")),
		"no session":      sign(t, jwt.SigningMethodHS256, key, without("jti")),
		"no beginning":    sign(t, jwt.SigningMethodHS256, key, without("iat")),
		"nothing":         "",
		"an API key":      "cm_live_" + strings.Repeat("0", 48),
	} {
		_, err := tokens.Read(token)
		require.ErrorIs(t, err, account.ErrToken, name)
	}
}

func TestShortTokenKeyIsRefused(t *testing.T) {
	t.Parallel()
	_, err := account.NewTokens([]byte("short"), time.Now)
	require.ErrorIs(t, err, account.ErrTokenKey)
}
