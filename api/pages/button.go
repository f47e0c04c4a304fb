package pages

import (
	"bytes"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/durapay/durapay/internal/money"
)

// maxDescription is the number of characters that a description may have.
const maxDescription = 500

var merchantID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// buttonPage lets a merchant put a payment button together: a form, and once
// it is filled in, the HTML to paste.
type buttonPage struct {
	frame
	buttonInputs
	Currencies []string
	// Invalid tells that something was filled in that a button cannot have.
	Invalid bool
	// Snippet is the HTML of the button, or empty.
	Snippet string
}

// buttonInputs is what a button says.
type buttonInputs struct {
	// Base is the service's base URL.
	Base                                    string
	Merchant, Amount, Currency, Description string
}

// button answers the page; nothing is stored.
func (s *site) button(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	p := buttonPage{frame: s.frame(r), buttonInputs: s.inputsOf(q), Currencies: []string{
		string(money.USD), string(money.EUR), string(money.XMR),
	}}
	p.Title = p.T.Text("button.title")
	if !q.Has("merchant_id") {
		s.render(w, r, http.StatusOK, "button.html", p)
		return
	}
	if !p.valid() {
		p.Invalid = true
		s.render(w, r, http.StatusBadRequest, "button.html", p)
		return
	}
	var snippet bytes.Buffer
	if err := s.templates.ExecuteTemplate(&snippet, "snippet.html", p); err != nil {
		s.fail(w, r, err)
		return
	}
	p.Snippet = strings.TrimSpace(snippet.String())
	s.render(w, r, http.StatusOK, "button.html", p)
}

func (s *site) inputsOf(q url.Values) buttonInputs {
	text := func(name string) string { return strings.ToValidUTF8(strings.TrimSpace(q.Get(name)), "") }
	in := buttonInputs{
		Base: s.PublicURL, Merchant: text("merchant_id"), Amount: text("amount"), Currency: text("currency"),
		Description: text("description"),
	}
	if in.Currency == "" {
		in.Currency = string(money.USD)
	}
	return in
}

// valid tells whether a charge can be made of the inputs.
func (in buttonInputs) valid() bool {
	currency, err := money.ParseCurrency(in.Currency)
	if err != nil {
		return false
	}
	amount, err := money.ParseDecimal(in.Amount)
	return err == nil && money.CheckAmount(amount, currency) == nil && merchantID.MatchString(in.Merchant) &&
		utf8.RuneCountInString(in.Description) <= maxDescription
}
