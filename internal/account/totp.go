package account

import (
	"fmt"
	"slices"
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
