package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/json"
)

// SealText writes a value as text that nobody reads or makes without the key, for one
// purpose: AES-256-GCM with the purpose as associated data. The key has 32 bytes. It
// panics for a value that JSON cannot write, and for a key of another length.
func SealText(key []byte, purpose string, value any) string {
	content, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(textCipher(key).Seal(nil, nil, content, []byte(purpose))) //nolint:gosec // the cipher makes a random nonce
}

// UnsealText reads into a value what SealText wrote with the same key for the same
// purpose; false for everything else.
func UnsealText(key []byte, purpose, sealed string, into any) bool {
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		return false
	}
	content, err := textCipher(key).Open(nil, nil, raw, []byte(purpose))
	return err == nil && json.Unmarshal(content, into) == nil
}

func textCipher(key []byte) cipher.AEAD {
	block, err := aes.NewCipher(key)
	if err != nil || len(key) != 32 {
		panic("a key of texts has 32 bytes")
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return aead
}
