package secret

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
	return scopedPrefix(live) + hexDigits(unguessable, apiKeyDigits)
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
	return parseKey(s, ScopedLiveKeyPrefix, ScopedTestKeyPrefix)
}
