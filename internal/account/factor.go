package account

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"
)

// TOTP as authenticator apps know it: six digits that change every 30 seconds,
// HMAC-SHA1. A clock may be off by one step in either direction.
const (
	totpIssuer = "Durapay"
	totpPeriod = 30
	totpSkew   = 1
)

// NewTOTP makes a secret (base32, 160 random bits) and the otpauth URI that
// authenticator apps read from a QR code. label is shown in the app.
func NewTOTP(label string) (secret, uri string, err error) {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: totpIssuer, AccountName: label, Period: totpPeriod})
	if err != nil {
		return "", "", fmt.Errorf("totp secret: %w", err)
	}
	return key.Secret(), key.URL(), nil
}

// UseTOTP reports whether a code is good at this moment and was not used
// before. used holds the time steps of codes that were used. rest is the list
// to store in its place: with the step of a good code, and without steps that
// are over. For a bad code, rest is used, unchanged.
func UseTOTP(secret, code string, now time.Time, used []int64) (rest []int64, good bool) {
	current := now.Unix() / totpPeriod
	for step := current - totpSkew; step <= current+totpSkew; step++ {
		fits, err := hotp.ValidateCustom(code, uint64(step), secret, hotp.ValidateOpts{
			Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1,
		})
		if err != nil || !fits || slices.Contains(used, step) {
			continue
		}
		for _, s := range used {
			if s >= current-totpSkew {
				rest = append(rest, s)
			}
		}
		return append(rest, step), true
	}
	return used, false
}

const (
	backupCodes  = 10
	backupDigits = 16
)

// NewBackupCodes makes ten codes of 80 random bits each, written as four
// groups of four letters and digits: abcd-efgh-2345-ijkl.
func NewBackupCodes() []string {
	codes := make([]string, backupCodes)
	for i := range codes {
		digits := strings.ToLower(rand.Text()[:backupDigits])
		codes[i] = strings.Join([]string{digits[:4], digits[4:8], digits[8:12], digits[12:]}, "-")
	}
	return codes
}

// HashBackupCode returns the hash that is stored for a code. Spelling does not
// matter: case, spaces and hyphens are ignored. A slow hash would add nothing,
// because 80 random bits cannot be guessed. The hash covers the merchant, so a
// code works at one account only.
func HashBackupCode(merchantID, code string) []byte {
	plain := strings.ToLower(strings.NewReplacer("-", "", " ", "").Replace(code))
	sum := sha256.Sum256([]byte(merchantID + ":" + plain))
	return sum[:]
}

// LooksLikeTOTP tells a TOTP code (six digits) from a backup code.
func LooksLikeTOTP(code string) bool {
	return len(code) == 6 && strings.Trim(code, "0123456789") == ""
}
