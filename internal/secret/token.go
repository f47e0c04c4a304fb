package secret

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"slices"
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
func ParseAPIKey(s string) (live, ok bool) {
	return isKey(s, LiveKeyPrefix), isKey(s, LiveKeyPrefix, TestKeyPrefix)
}

// isKey reports whether a text consists of one of the prefixes and the digits of a key.
func isKey(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool {
		digits, found := strings.CutPrefix(s, prefix)
		return found && isHex(digits, apiKeyDigits)
	})
}

func isHex(s string, digits int) bool {
	return len(s) == digits && strings.Trim(s, "0123456789abcdef") == ""
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
func IsMerchantID(s string) bool { return isHex(s, 32) }

// NewSecret makes a shared secret, such as a webhook's: 64 hex digits (256
// random bits).
func NewSecret() string { return randomHex(64) }

func randomHex(digits int) string {
	b := make([]byte, digits/2)
	_, _ = rand.Read(b) // never fails: without randomness the program crashes
	return hex.EncodeToString(b)
}

const invitePrefix = "inv_"

// NewInvite makes an invite for opening an account: 192 random bits.
func NewInvite() string { return invitePrefix + randomHex(apiKeyDigits) }

// IsInvite reports whether a text has the form of an invite.
func IsInvite(s string) bool { return isKey(s, invitePrefix) }

// Prefixes of keys that a merchant gives to applications, by mode.
const (
	ScopedLiveKeyPrefix = "dk_live_"
	ScopedTestKeyPrefix = "dk_test_"
)

// NewScopedKey makes a key for an application: the prefix of its mode and 48 hex
// digits (192 random bits). It is stored as its HashAPIKey.
func NewScopedKey(live bool) string { return scopedPrefix(live) + randomHex(apiKeyDigits) }

// ScopedKeyOf returns the key that is made from at least 24 unguessable bytes.
// The same bytes make the same key.
func ScopedKeyOf(live bool, unguessable []byte) string {
	return scopedPrefix(live) + hex.EncodeToString(unguessable)[:apiKeyDigits]
}

func scopedPrefix(live bool) string {
	if live {
		return ScopedLiveKeyPrefix
	}
	return ScopedTestKeyPrefix
}

// ParseScopedKey reports whether s has the form of such a key (ok), and of which
// mode. The key need not exist.
func ParseScopedKey(s string) (live, ok bool) {
	return isKey(s, ScopedLiveKeyPrefix), isKey(s, ScopedLiveKeyPrefix, ScopedTestKeyPrefix)
}

// Prefixes of the keys of the swap exchange, by class of caller.
const (
	AffiliateKeyPrefix = "aff_"
	PartnerKeyPrefix   = "prt_"
)

// NewSwapKey makes a key of the swap exchange: the prefix of its class and 48
// hex digits (192 random bits). It is stored as its HashAPIKey.
func NewSwapKey(prefix string) string { return prefix + randomHex(apiKeyDigits) }

// IsSwapKey reports whether s has the form of such a key. The key need not
// exist.
func IsSwapKey(s string) bool { return isKey(s, AffiliateKeyPrefix, PartnerKeyPrefix) }

// NewTradeID makes the identifier of a trade, or the password for looking it
// up: 32 hex digits (128 random bits).
func NewTradeID() string { return randomHex(32) }
