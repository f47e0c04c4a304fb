package secret

import (
	"encoding/base64"
	"encoding/json"
)

// SealToken makes a text of what a link carries: it is safe in URLs, and nobody else can
// make or read it. The place binds it to its use.
func (b *Box) SealToken(v any, place AD) (string, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	sealed, err := b.Seal(plain, place)
	return base64.RawURLEncoding.EncodeToString(sealed), err
}

// OpenToken reads what SealToken made into v; false for a text that it did not make for this
// use, and under a key that was dropped.
func (b *Box) OpenToken(token string, place AD, v any) bool {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil {
		return false
	}
	plain, err := b.Unseal(sealed, place)
	return err == nil && json.Unmarshal(plain, v) == nil
}
