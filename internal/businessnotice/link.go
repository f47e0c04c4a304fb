package businessnotice

import (
	"encoding/base64"
	"encoding/json"

	"github.com/durapay/durapay/internal/secret"
)

// OffPath is where the link in a mail leads that turns its kinds off; the token
// follows.
const OffPath = "/notices/off/"

// OffLink is what a link in a mail turns off.
type OffLink struct {
	MerchantID string `json:"m"`
	Kinds      []Kind `json:"k"`
}

// SealOff makes the token of a link: a text that is safe in URLs and that nobody else
// can make or read.
func SealOff(box *secret.Box, l OffLink) (string, error) {
	plain, err := json.Marshal(l)
	if err != nil {
		return "", err
	}
	sealed, err := box.Seal(plain, secret.NoticeOffPlace())
	return base64.RawURLEncoding.EncodeToString(sealed), err
}

// OpenOff reads a token; false for a text that SealOff did not make, and under a key
// that was dropped.
func OpenOff(box *secret.Box, token string) (OffLink, bool) {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil {
		return OffLink{}, false
	}
	plain, err := box.Unseal(sealed, secret.NoticeOffPlace())
	if err != nil {
		return OffLink{}, false
	}
	var l OffLink
	return l, json.Unmarshal(plain, &l) == nil
}
