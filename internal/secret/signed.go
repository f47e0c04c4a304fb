package secret

import (
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
