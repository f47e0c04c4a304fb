package account_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/account"
)

// FuzzUseTOTP: a code is accepted when, and only when, RFC 6238 gives it for this
// step or an adjacent one and it was not used before. It is never accepted twice.
func FuzzUseTOTP(f *testing.F) {
	const secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
	now := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	step := now.Unix() / 30
	for off := int64(-2); off <= 2; off++ {
		f.Add(totpAt(f, secret, step+off), int64(0))
		f.Add(totpAt(f, secret, step+off), step+off)
	}
	for _, seed := range []string{"", "000000", "12345", "1234567", "-00001", "١٢٣٤٥٦", "123456\n", " 123456"} {
		f.Add(seed, step)
	}
	f.Fuzz(func(t *testing.T, code string, used int64) {
		good := false
		for s := step - 1; s <= step+1; s++ {
			good = good || (s != used && strings.TrimSpace(code) == totpAt(t, secret, s))
		}
		rest, ok := account.UseTOTP(secret, code, now, []int64{used})
		require.Equal(t, good, ok, "%q", code)
		if !ok {
			require.Equal(t, []int64{used}, rest, "a code that is not taken changes nothing")
			return
		}
		_, again := account.UseTOTP(secret, code, now, rest)
		require.False(t, again, "%q works once", code)
	})
}

// totpAt is the code of a step, computed as RFC 4226 and 6238 say.
func totpAt(tb testing.TB, secret string, step int64) string {
	tb.Helper()
	key, err := base32.StdEncoding.DecodeString(secret)
	require.NoError(tb, err)
	m := hmac.New(sha1.New, key)
	m.Write(binary.BigEndian.AppendUint64(nil, uint64(step)))
	sum := m.Sum(nil)
	at := sum[len(sum)-1] & 0xf
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[at:at+4])&0x7fffffff%1_000_000)
}

// FuzzBackupCode: the spelling of a code does not matter, its account does.
func FuzzBackupCode(f *testing.F) {
	f.Add("m", "abcd-efgh-2345-ijkl")
	f.Add("m", "")
	f.Add("", "ABCD EFGH")
	f.Fuzz(func(t *testing.T, merchant, code string) {
		hash := account.HashBackupCode(merchant, code)
		require.Equal(t, hash, account.HashBackupCode(merchant, " "+strings.ReplaceAll(code, "-", " ")+"-"))
		require.NotEqual(t, hash, account.HashBackupCode(merchant+"x", code))
		require.NotEqual(t, hash, account.HashBackupCode(merchant, code+"x"))
	})
}
