package businessnotice

import "github.com/durapay/durapay/internal/secret"

// OffPath is where the link in a mail leads that turns its kinds off; the token
// follows.
const OffPath = "/notices/off/"

// OffLink is what a link in a mail turns off.
type OffLink struct {
	MerchantID string `json:"m"`
	Kinds      []Kind `json:"k"`
}

// SealOff makes the token of a link.
func SealOff(box *secret.Box, l OffLink) (string, error) {
	return box.SealToken(l, secret.NoticeOffPlace())
}

// OpenOff reads a token; false for a text that SealOff did not make.
func OpenOff(box *secret.Box, token string) (OffLink, bool) {
	var l OffLink
	ok := box.OpenToken(token, secret.NoticeOffPlace(), &l)
	return l, ok
}
