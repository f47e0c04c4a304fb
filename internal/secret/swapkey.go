package secret

import "strings"

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
func IsSwapKey(s string) bool {
	digits, ok := strings.CutPrefix(s, AffiliateKeyPrefix)
	if !ok {
		if digits, ok = strings.CutPrefix(s, PartnerKeyPrefix); !ok {
			return false
		}
	}
	return areKeyDigits(digits)
}

// NewTradeID makes the identifier of a trade, or the password for looking it
// up: 32 hex digits (128 random bits).
func NewTradeID() string { return randomHex(32) }
