package secret

import (
	"encoding/base64"
	"encoding/json"
)

// SealToken makes a text from the data of a link. The text is safe in URLs, and cannot be
// made or read without the key. The place binds it to its use.
func (b *Box) SealToken(v any, place AD) (string, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	sealed, err := b.Seal(plain, place)
	return base64.RawURLEncoding.EncodeToString(sealed), err
}

// OpenToken reads a text that SealToken made into v. It returns false for a text that
// SealToken did not make for this use, or whose key was dropped.
func (b *Box) OpenToken(token string, place AD, v any) bool {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil {
		return false
	}
	plain, err := b.Unseal(sealed, place)
	return err == nil && json.Unmarshal(plain, v) == nil
}
