package web

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"github.com/durapay/durapay/internal/account"
)

// TypedAmount is a number that somebody has typed, with a point or a comma, in the digits
// of any keyboard of our pages' languages, as machines write it: "٧٫٥", "7,5" and "7.5"
// are the same, as "7." and "7". Whoever gets it judges it. What is a thousand to one
// reader and a thousandth to another, 1,250, stays as it is, and is refused.
func TypedAmount(text string) string {
	text = strings.Map(latinDigit, strings.TrimSpace(text))
	if before, after, comma := strings.Cut(text, ","); comma && !strings.ContainsAny(after, ",.") && !strings.Contains(before, ".") {
		if len(after) != 3 || strings.TrimLeft(before, "0") == "" {
			text = before + "." + after
		}
	}
	whole, part, _ := strings.Cut(text, ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" && text != "" {
		whole = "0"
	}
	if part != "" {
		whole += "." + part
	}
	return whole
}

// latinDigit is a digit of another script as 0 to 9, and its decimal mark as a point.
func latinDigit(r rune) rune {
	switch {
	case r >= '٠' && r <= '٩':
		return '0' + r - '٠'
	case r >= '۰' && r <= '۹':
		return '0' + r - '۰'
	case r == '٫':
		return '.'
	default:
		return r
	}
}

// TypedCode is what somebody has typed as a code of a second factor, without the spaces
// and hyphens that people put between groups: "123 456" is 123456. It is a backup code
// where it does not look like six digits; both are empty for nothing.
func TypedCode(text string) (totp, backup string) {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Pd, r) {
			return -1
		}
		return latinDigit(r)
	}, text)
	if account.LooksLikeTOTP(text) || strings.Trim(text, "0123456789") == "" {
		return text, ""
	}
	return "", text
}

// bare is a percent sign that begins no escape.
var bare = regexp.MustCompile(`%([^0-9A-Fa-f]|[0-9A-Fa-f][^0-9A-Fa-f]|.?$)`)

// Link is an address that a page may lead to, as it is stored: an absolute http or https
// URL of a host, without a name or a password in it. Empty for anything else. A percent
// sign that begins no escape stands for itself, as browsers take it.
func Link(raw string) string {
	if strings.ContainsFunc(raw, unicode.IsControl) {
		return ""
	}
	for bare.MatchString(raw) { // two of them may overlap
		raw = bare.ReplaceAllString(raw, "%25$1")
	}
	u, err := url.Parse(raw)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.User != nil {
		return ""
	}
	return raw
}
