package account_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/account"
)

func TestTOTPAcceptsOneStepEitherWayOnce(t *testing.T) {
	t.Parallel()
	secret, uri, err := account.NewTOTP("shop+1@example.com")
	require.NoError(t, err)
	parsed, err := url.Parse(uri)
	require.NoError(t, err)
	require.Equal(t, "otpauth", parsed.Scheme)
	require.Equal(t, "/Durapay:shop+1@example.com", parsed.Path)
	require.Equal(t, secret, parsed.Query().Get("secret"))
	require.Len(t, secret, 32, "160 bits in base32")

	now := time.Date(2026, 11, 21, 9, 30, 10, 0, time.UTC)
	code := func(off time.Duration) string {
		c, err := totp.GenerateCode(secret, now.Add(off))
		require.NoError(t, err)
		return c
	}
	for off, want := range map[time.Duration]bool{
		-60 * time.Second: false, -30 * time.Second: true, 0: true, 30 * time.Second: true, 60 * time.Second: false,
	} {
		_, good := account.UseTOTP(secret, code(off), now, nil)
		require.Equal(t, want, good, off)
	}
	used, good := account.UseTOTP(secret, code(0), now, nil)
	require.True(t, good)
	_, good = account.UseTOTP(secret, code(0), now, used)
	require.False(t, good, "a code works once")
	_, good = account.UseTOTP(secret, code(0), now.Add(30*time.Second), used)
	require.False(t, good, "also in the next step, where it would still be good")
	used, good = account.UseTOTP(secret, code(30*time.Second), now, used)
	require.True(t, good)
	require.Len(t, used, 2)
	used, good = account.UseTOTP(secret, code(90*time.Second), now.Add(90*time.Second), used)
	require.True(t, good)
	require.Len(t, used, 1, "steps that are over are forgotten")

	for _, bad := range []string{"", "12345", "1234567", "abcdef", "１２３４５６", strings.Repeat("1", 1000)} {
		_, good := account.UseTOTP(secret, bad, now, nil)
		require.False(t, good, bad)
	}
}

func TestBackupCodes(t *testing.T) {
	t.Parallel()
	codes := account.NewBackupCodes()
	require.Len(t, codes, 10)
	seen := map[string]bool{}
	for _, c := range codes {
		require.Regexp(t, `^[a-z2-7]{4}(-[a-z2-7]{4}){3}$`, c)
		require.False(t, seen[c])
		seen[c] = true
		require.False(t, account.LooksLikeTOTP(c))
	}
	hash := account.HashBackupCode("m", codes[0])
	require.Equal(t, hash, account.HashBackupCode("m", " "+strings.ToUpper(strings.ReplaceAll(codes[0], "-", ""))))
	require.NotEqual(t, hash, account.HashBackupCode("n", codes[0]), "a code belongs to one account")
	require.NotEqual(t, hash, account.HashBackupCode("m", codes[1]))
	require.True(t, account.LooksLikeTOTP("012345"))
	for _, other := range []string{"", "12345", "1234567", "12345a", "１２３４５６"} {
		require.False(t, account.LooksLikeTOTP(other), other)
	}
}

func TestParseContact(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"": "", "  ": "", " a\r\nb ": "a\nb", strings.Repeat("ü", 500): strings.Repeat("ü", 500)} {
		got, err := account.ParseContact(in)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, bad := range []string{strings.Repeat("a", 501), "a\x00b", "a\tb", "a\rb"} {
		_, err := account.ParseContact(bad)
		require.ErrorIs(t, err, account.ErrContact, bad)
	}
}
