package web

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"github.com/durapay/durapay/internal/account"
)

// TypedAmount normalises a number that a person has typed: with a point or a comma, in the
// digits of any keyboard of our pages' languages. "٧٫٥", "7,5" and "7.5" give the same result,
// and so do "7." and "7". The caller checks whether the result is a number. A text that one
// reader takes for a thousand and another for one, such as 1,250, stays unchanged, so that the
// caller refuses it.
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

// latinDigit returns a digit of another script as 0 to 9, and that script's decimal mark as a
// point.
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

// TypedCode reads a code of a second factor that a person has typed. It removes the spaces and
// hyphens that people put between groups: "123 456" is 123456. A text of digits alone is a TOTP
// code, and any other text is a backup code. Both results are empty for an empty text.
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

// Credentials returns the body of a login with what a person has typed.
func Credentials(email, password, code string) map[string]string {
	body := map[string]string{"email": email, "password": password}
	if totp, backup := TypedCode(code); backup != "" {
		body["backup_code"] = backup
	} else if totp != "" {
		body["totp_code"] = totp
	}
	return body
}

// bare matches a percent sign that begins no escape.
var bare = regexp.MustCompile(`%([^0-9A-Fa-f]|[0-9A-Fa-f][^0-9A-Fa-f]|.?$)`)

// Link returns an address that a page may link to, in the form in which it is stored. It must be
// an absolute http or https URL with a host, and without a user name or password; for any other
// text Link returns "". A percent sign that begins no escape stands for itself, as in browsers.
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

// OrEmpty returns the text, or "" for nil.
func OrEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
