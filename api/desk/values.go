package desk

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
)

// Parts of pages.
type (
	page  = kit.Page
	part  = kit.Part
	fact  = kit.Fact
	cell  = kit.Cell
	form  = kit.Form
	field = kit.Field
	link  = kit.Link
)

// none is shown in place of a missing value.
const none = "–"

// moment shows a time of the API, or a dash if it is missing.
func (v *visit) moment(at string) string {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return orNone(at)
	}
	return v.translator().MomentIn(t, v.Clock(), v.timeZone())
}

// timeZone returns the time zone that the person has chosen; UTC without a session.
func (v *visit) timeZone() *time.Location {
	if zone, err := time.LoadLocation(v.zone); err == nil {
		return zone
	}
	return time.UTC
}

// priceFields returns the fields for a price: an amount, and its currency, which begins with the
// person's own.
func (v *visit) priceFields() []field {
	return []field{needed(v.decimal("amount", "amount")), v.choice("currency", "currency", "", v.ownCurrency(), currencies()...)}
}

// ownCurrency returns the currency that the person has chosen for forms and sums.
func (v *visit) ownCurrency() string { return cmp.Or(v.currency, "EUR") }

// xmr shows an amount in XMR, without the zeros at its end.
func xmr(n fmt.Stringer) string { return trimmed(n) + " XMR" }

// price shows an amount in a currency. Currencies other than XMR have cents.
func price(n fmt.Stringer, currency string) string {
	text := trimmed(n)
	if currency != "XMR" {
		whole, cents, _ := strings.Cut(text, ".")
		text = whole + "." + (cents + "00")[:max(len(cents), 2)]
	}
	return text + " " + currency
}

// percent shows a rate as a percentage.
func percent(n number) string {
	rate, ok := new(big.Rat).SetString(n.String())
	if !ok {
		return n.String()
	}
	return trimmed(number(rate.Mul(rate, big.NewRat(100, 1)).FloatString(6))) + " %"
}

func trimmed(n fmt.Stringer) string {
	text := n.String()
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text == "" {
		return "0"
	}
	return text
}

// orNone shows a text, or a dash if it is missing.
func orNone(text string) string { return cmp.Or(text, none) }

// plain returns a cell with a text; code returns one with an identifier.
func plain(text string) cell { return cell{Text: text} }

func code(text string) cell { return cell{Text: text, Code: text != none} }

func named(name string, value cell) fact { return fact{Name: name, Value: value} }

// known returns the facts that have a value.
func known(facts ...fact) []fact {
	return slices.DeleteFunc(facts, func(f fact) bool { return f.Value.Text == none })
}

// fact returns a fact with a text. name is the id of its name.
func (v *visit) fact(name, text string) fact { return named(v.t(name), plain(text)) }

// amount converts a typed number to the API's format.
func amount(text string) json.Number { return json.Number(web.TypedAmount(text)) }

// withCode adds the two-factor code or backup code that was typed to the body.
func (v *visit) withCode(b body) body {
	totp, backup := web.TypedCode(v.form("totp_code"))
	return b.with("totp_code", totp+backup)
}

// with adds a field to the body unless the value is empty.
func (b body) with(name, value string) body {
	if value != "" {
		b[name] = value
	}
	return b
}

func (v *visit) text(name, label string, most int) field {
	return field{Name: name, Label: v.t(label), Type: "text", Value: v.filled(name, ""), Max: most}
}

func (v *visit) decimal(name, label string) field {
	f := v.text(name, label, 30)
	f.Decimal = true
	return f
}

// secretField returns a field whose value is not shown again.
func (v *visit) secretField(name, label, autocomplete string) field {
	return field{Name: name, Label: v.t(label), Type: "password", Autocomplete: autocomplete, Max: 200, Required: true}
}

// choice returns a field with several values. The id of each text is prefix and value.
func (v *visit) choice(name, label, prefix, is string, values ...string) field {
	f := field{Name: name, Label: v.t(label), Type: "select"}
	for _, value := range values {
		text := value
		if prefix != "" {
			text = v.t(prefix + value)
		}
		f.Options = append(f.Options, kit.Option{Value: value, Text: text, Chosen: v.filled(name, is) == value})
	}
	return f
}

// needed marks a field that must be filled in.
func needed(f field) field {
	f.Required = true
	return f
}

// exact marks a field for text that is not words, such as a code or an address.
func exact(f field) field {
	f.Exact = true
	return f
}

// hinted adds an explanation to a field.
func hinted(f field, hint string) field {
	f.Hint = hint
	return f
}

func query(name, value string) string { return "?" + url.Values{name: {value}}.Encode() }

func escaped(text string) string { return url.PathEscape(text) }
