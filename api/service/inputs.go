package service

import (
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/rates"
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

// Prices returns the current exchange rate from memory.
type Prices interface {
	Price(currency money.Currency) (rates.Quote, error)
}

// CheckAmount checks an amount and its currency.
func CheckAmount(amount *money.Decimal, currency *string) (money.Decimal, money.Currency, error) {
	if amount == nil {
		return money.Decimal{}, "", httpapi.BadRequest("amount is required")
	}
	c := money.USD
	if currency != nil {
		var err error
		if c, err = money.ParseCurrency(*currency); err != nil {
			return money.Decimal{}, "", httpapi.BadRequest("currency must be one of: USD, EUR, XMR")
		}
	}
	switch err := money.CheckAmount(*amount, c); {
	case err == nil:
		return *amount, c, nil
	case errors.Is(err, money.ErrRange):
		return money.Decimal{}, "", httpapi.BadRequest("amount must be %s to %s", money.MinAmount, money.MaxAmount)
	default:
		return money.Decimal{}, "", httpapi.BadRequest("amount must have at most %d decimals", c.Decimals())
	}
}

// LinkExpiry returns the time until which a link is valid if it is never visited. The client
// gives it as a timestamp, or in hours from now, or not at all (nil).
func LinkExpiry(at *wire.Time, hours *money.Decimal, now time.Time) (*time.Time, error) {
	var end time.Time
	switch {
	case at == nil && hours == nil:
		return nil, nil //nolint:nilnil // no expiration is a valid answer
	case at != nil && hours != nil:
		return nil, httpapi.BadRequest("expires_at and expires_in exclude each other")
	case at != nil:
		end = time.Time(*at)
	case hours.Sign() <= 0:
		return nil, httpapi.BadRequest("expires_in must be a number of hours above 0")
	case hours.Cmp(money.DecimalFromInt(366*24)) > 0:
		return nil, errTooFar()
	default:
		end = now.Add(time.Duration(hours.ScaleInt(int64(time.Hour))))
	}
	end = end.UTC().Truncate(time.Millisecond)
	if !end.After(now) {
		return nil, httpapi.BadRequest("the link expiration must be in the future")
	}
	if end.After(now.AddDate(1, 0, 0)) {
		return nil, errTooFar()
	}
	return &end, nil
}

func errTooFar() error {
	return httpapi.BadRequest("the link expiration must be within a year")
}
