package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/json"
)

// SealText writes a value as a text for one purpose. The text cannot be read or made
// without the key: AES-256-GCM with the purpose as associated data. The key has 32
// bytes. SealText panics for a value that JSON cannot write, and for a key of another
// length.
func SealText(key []byte, purpose string, value any) string {
	content, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(textCipher(key).Seal(nil, nil, content, []byte(purpose))) //nolint:gosec // the cipher makes a random nonce
}

// UnsealText reads a text that SealText wrote with the same key for the same purpose
// into a value. It returns false for any other text.
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
