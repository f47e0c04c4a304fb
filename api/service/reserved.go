package service

import (
	"strings"
	"unicode/utf8"

	"github.com/durapay/durapay/api/web"
)

// Description returns the text that a merchant shows to its customers, as it was sent: "Size <
// 5" and "<b>" stay, because pages escape their output. It cuts the text at 500 characters and
// removes U+0000, which cannot be stored. It returns nil if the text is empty or blank.
func Description(s string) *string {
	text := strings.ReplaceAll(s, "\x00", "")
	if utf8.RuneCountInString(text) > MaxDescription {
		text = string([]rune(text)[:MaxDescription])
	}
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return &text
}

// ReturnURL returns an address that a page may link to, see web.Link; nil for any other text.
func ReturnURL(s string) *string {
	link := web.Link(s)
	if link == "" {
		return nil
	}
	return &link
}
