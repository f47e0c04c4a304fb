package account

import (
	"crypto/rand"
	"crypto/sha256"
	"strings"
)

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
