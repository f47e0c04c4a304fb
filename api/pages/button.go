package pages

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
)

// maxDescription is the maximum number of characters of a description.
const maxDescription = 500

var merchantID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// buttonPage lets a merchant create a payment button: a form, and after it is filled in, the
// HTML to paste and a preview of the button.
type buttonPage struct {
	kit.Frame
	buttonInputs
	Currencies []string
	// Wrong holds the problems of the inputs, by name.
	Wrong map[string]problem
	// Snippet is the HTML of the button, or empty.
	Snippet string
	// Preview is the button on this page.
	Preview *snippet
}

// buttonInputs holds the typed values.
type buttonInputs struct{ Merchant, Amount, Currency, Description, Fields string }

// snippet is the button as HTML.
type snippet struct {
	buttonInputs
	// Action is the address that the button sends to, Text its label.
	Action, Text string
}

// button answers the page. It stores nothing.
func (s *Site) button(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	p := buttonPage{Frame: s.frame(r), buttonInputs: inputsOf(q), Currencies: []string{
		string(money.USD), string(money.EUR), string(money.XMR),
	}}
	p.Title = p.T.Text("button.title")
	if !q.Has("amount") { // the form was not submitted yet; a link to the page may name the merchant
		s.kit.Render(w, r, http.StatusOK, "button.html", &p)
		return
	}
	if p.Wrong = p.problems(p.T); len(p.Wrong) > 0 {
		p.Tone = "warn"
		s.kit.Render(w, r, http.StatusBadRequest, "button.html", &p)
		return
	}
	const action = "/api/charges/button"
	pasted := snippet{p.buttonInputs, s.PublicURL + action, p.T.Text("button.pay")}
	html, err := s.kit.Fill("snippet.html", pasted)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	p.Snippet = strings.TrimSpace(html)
	p.Preview = &snippet{p.buttonInputs, p.Keep(action), pasted.Text}
	s.kit.Render(w, r, http.StatusOK, "button.html", &p)
}

// Problem returns the problem of an input.
func (p *buttonPage) Problem(name string) problem { return p.Wrong[name] }

func inputsOf(q url.Values) buttonInputs {
	text := func(name string) string { return strings.ToValidUTF8(strings.TrimSpace(q.Get(name)), "") }
	in := buttonInputs{
		Merchant: text("merchant_id"), Amount: web.TypedAmount(text("amount")), Currency: text("currency"),
		Description: text("description"), Fields: text("fields"),
	}
	if in.Currency == "" {
		in.Currency = string(money.USD)
	}
	return in
}

// problems returns the inputs that a charge cannot be created from, by name.
func (in buttonInputs) problems(t kit.Translator) map[string]problem {
	wrong := map[string]problem{}
	note := func(bad bool, name, id string) {
		if bad {
			wrong[name] = problem{name, t.Text(id)}
		}
	}
	note(!merchantID.MatchString(in.Merchant), "merchant_id", "button.wrong_merchant")
	currency, unknown := money.ParseCurrency(in.Currency)
	note(unknown != nil, "currency", "button.wrong_currency")
	amount, err := money.ParseDecimal(in.Amount)
	note(err != nil || (unknown == nil && money.CheckAmount(amount, currency) != nil), "amount", "button.wrong_amount")
	note(utf8.RuneCountInString(in.Description) > maxDescription, "description", "button.wrong_description")
	_, err = charge.CheckFields(charge.SplitFields(in.Fields))
	note(err != nil, "fields", "button.wrong_fields")
	return wrong
}
