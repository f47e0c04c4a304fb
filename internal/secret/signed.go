package secret

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// Sign writes a value as text that nobody makes without the key, for one purpose.
// Everybody can read it. It panics for a value that JSON cannot write.
func Sign(key []byte, purpose string, value any) string {
	content, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	text := base64.RawURLEncoding.EncodeToString(content)
	return text + "." + signature(key, purpose, text)
}

// Unsign reads into a value what Sign wrote with the same key for the same purpose;
// false for everything else, and without a key.
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
