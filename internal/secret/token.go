package secret

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strings"
)

// Prefixes of API keys. They select the live or the sandbox wallet.
const (
	LiveKeyPrefix = "cm_live_"
	TestKeyPrefix = "cm_test_"
)

const apiKeyDigits = 48

// NewAPIKey makes an API key: the prefix of its mode and 48 hex digits (192
// random bits).
func NewAPIKey(live bool) string {
	if live {
		return LiveKeyPrefix + randomHex(apiKeyDigits)
	}
	return TestKeyPrefix + randomHex(apiKeyDigits)
}

// ParseAPIKey reports whether s has the form of an API key (ok), and of which mode.
// The key need not exist.
func ParseAPIKey(s string) (live, ok bool) { return parseKey(s, LiveKeyPrefix, TestKeyPrefix) }

// parseKey reports whether a text consists of a prefix and the digits of a key
// (ok), and whether the prefix is livePrefix.
func parseKey(s, livePrefix, testPrefix string) (live, ok bool) {
	if digits, found := strings.CutPrefix(s, livePrefix); found {
		ok = areKeyDigits(digits)
		return ok, ok
	}
	digits, found := strings.CutPrefix(s, testPrefix)
	return false, found && areKeyDigits(digits)
}

func areKeyDigits(digits string) bool {
	return len(digits) == apiKeyDigits && strings.Trim(digits, "0123456789abcdef") == ""
}

// HashAPIKey returns the SHA-256 of the key's text, under which it is stored. A
// slow password hash is not needed, because 192 random bits cannot be guessed. A
// plain hash can be looked up by an index.
func HashAPIKey(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:]
}

// Equal compares two hashes or codes in a time that does not depend on the position
// of a difference.
func Equal(a, b []byte) bool { return subtle.ConstantTimeCompare(a, b) == 1 }

// NewID makes an identifier: the prefix (such as "ch_") and 24 hex digits. Its
// 96 random bits cannot be guessed.
func NewID(prefix string) string { return prefix + randomHex(24) }

// NewMerchantID makes a merchant's public identifier: 32 hex digits.
func NewMerchantID() string { return randomHex(32) }

// IsMerchantID reports whether a text has the form of a merchant's public
// identifier.
func IsMerchantID(s string) bool {
	return len(s) == 32 && strings.Trim(s, "0123456789abcdef") == ""
}

// NewSecret makes a shared secret, such as a webhook's: 64 hex digits (256
// random bits).
func NewSecret() string { return randomHex(64) }

func randomHex(digits int) string {
	b := make([]byte, digits/2)
	_, _ = rand.Read(b) // never fails: without randomness the program crashes
	return hexDigits(b, digits)
}

func hexDigits(b []byte, digits int) string { return hex.EncodeToString(b)[:digits] }
