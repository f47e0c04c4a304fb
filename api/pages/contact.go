package pages

import (
	"net/mail"
	"strings"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
)

// contact tells a buyer how to reach the merchant.
type contact struct {
	Title string
	Lines []contactLine
}

// contactLine is a line that the merchant wrote. URL is empty for one that is only text.
type contactLine struct{ Text, URL string }

// contactOf returns how to reach the merchant; nil if the merchant did not say it.
func contactOf(t kit.Translator, business, text string) *contact {
	c := contact{Title: merchantText(t, business, "contact.title", "contact.of")}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			c.Lines = append(c.Lines, contactLine{line, contactURL(line)})
		}
	}
	if len(c.Lines) == 0 {
		return nil
	}
	return &c
}

// contactURL returns the link of a line that is an email address or a web address; empty for any
// other line.
func contactURL(line string) string {
	if address, err := mail.ParseAddress(line); err == nil && address.Address == line && !strings.ContainsAny(line, "?&%") {
		return "mailto:" + line
	}
	return web.Link(line)
}
