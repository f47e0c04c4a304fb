package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
)

// Sign writes a value as a text for one purpose. The text cannot be made without
// the key, but anyone can read it. Sign panics for a value that JSON cannot write.
func Sign(key []byte, purpose string, value any) string {
	content, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	text := base64.RawURLEncoding.EncodeToString(content)
	return text + "." + signature(key, purpose, text)
}

// Unsign reads a text that Sign wrote with the same key for the same purpose into a
// value. It returns false for any other text, and if the key is empty.
func Unsign(key []byte, purpose, signed string, into any) bool {
	text, code, _ := strings.Cut(signed, ".")
	if len(key) == 0 || !Equal([]byte(code), []byte(signature(key, purpose, text))) {
		return false
	}
	content, err := base64.RawURLEncoding.DecodeString(text)
	return err == nil && json.Unmarshal(content, into) == nil
}

func signature(key []byte, purpose, text string) string {
	return base64.RawURLEncoding.EncodeToString(Code(key, purpose+":"+text))
}

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
