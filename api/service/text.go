package service

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/wire"
)

// MaxDescription is the maximum length of a charge's description in characters.
const MaxDescription = 500

// ShortText returns a text without markup; nil if nothing remains. It refuses a text that is too
// long (400), whereas Description cuts it.
func ShortText(name string, text *string, most int) (*string, error) {
	if text == nil {
		return nil, nil //nolint:nilnil // no text is a valid answer
	}
	plain := strings.TrimSpace(plainText(*text))
	if utf8.RuneCountInString(plain) > most {
		return nil, httpapi.BadRequest("%s must have at most %d characters", name, most)
	}
	if plain == "" {
		return nil, nil //nolint:nilnil // as above
	}
	return &plain, nil
}

// DescribedMetadata returns the metadata of a charge that was created without metadata: the
// description under its reserved key, where merchants expect it.
func DescribedMetadata(text *string) string {
	if text == nil {
		return wire.Object(nil)
	}
	return wire.Object([]wire.Member{{Name: "description", Value: wire.Value(*text)}})
}

// plainText removes markup from texts that anyone may send, and from texts that the contract
// calls sanitized. It drops tags, comments, and the content of scripts and styles. If the
// remaining pieces form a new tag, the text is hostile, so its opening brackets go too.
func plainText(s string) string {
	text := withoutTags(s)
	if withoutTags(text) != text {
		text = strings.ReplaceAll(text, "<", "")
	}
	return text
}

func withoutTags(s string) string {
	var b strings.Builder
	tokens := html.NewTokenizer(strings.NewReader(s))
	hidden := false
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return strings.Map(printable, b.String())
		case html.StartTagToken, html.EndTagToken:
			name, _ := tokens.TagName()
			if n := string(name); n == "script" || n == "style" {
				hidden = tokens.Token().Type == html.StartTagToken
			}
		case html.TextToken:
			if !hidden {
				b.Write(tokens.Raw())
			}
		case html.SelfClosingTagToken, html.CommentToken, html.DoctypeToken:
		}
	}
}

// printable turns line breaks and tabs into spaces and drops other control and
// direction-changing characters.
func printable(r rune) rune {
	switch {
	case r == '\n' || r == '\t' || r == '\r':
		return ' '
	case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
		return -1
	default:
		return r
	}
}
