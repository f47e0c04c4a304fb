package secret

import (
	"crypto/hmac"
	"crypto/sha256"
)

// Derived is a key of 32 bytes for one purpose, from a secret that has others. It
// tells nothing of the secret, nor of what is derived for another purpose.
func Derived(from []byte, purpose string) []byte { return Code(from, "derived:"+purpose) }

// Code is the HMAC-SHA256 of a text: 32 bytes that nobody makes without the key.
func Code(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
