package secret

import (
	"crypto/hmac"
	"crypto/sha256"
)

// Derived returns a key of 32 bytes for one purpose, derived from a secret that
// has other purposes too. The key reveals nothing about the secret or the keys
// for other purposes.
func Derived(from []byte, purpose string) []byte { return Code(from, "derived:"+purpose) }

// Code returns the HMAC-SHA256 of a text: 32 bytes that cannot be made without
// the key.
func Code(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
