package pages

import (
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/internal/charge"
)

// PathOf returns the path of a charge's page in the language that a visitor chose; empty for
// the browser's. An unknown language does no harm.
func PathOf(chargeID, lang string) string { return choice{lang: lang}.link(chargeID) }

// AnswerForms shows a person who sent a form to the API the result in their language. It
// replaces an error with a page that has the same status. Programs, which do not ask for HTML,
// get the API's answer.
func (s *Site) AnswerForms(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isForm(r) {
			api.ServeHTTP(w, r)
			return
		}
		answer := &withheld{ResponseWriter: w}
		api.ServeHTTP(answer, r)
		if answer.status != 0 {
			s.refuse(w, r, answer.status)
		}
	})
}

// TooMany answers a visitor who sends too many requests.
func (s *Site) TooMany(w http.ResponseWriter, r *http.Request) {
	s.say(w, r, http.StatusTooManyRequests, "too_many.title", "too_many.detail")
}

// isForm reports whether a browser sent a form to the API.
func isForm(r *http.Request) bool {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && r.Method == http.MethodPost && media == "application/x-www-form-urlencoded" &&
		strings.HasPrefix(r.URL.Path, "/api/") && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// refuse shows a page in place of an API error.
func (s *Site) refuse(w http.ResponseWriter, r *http.Request, status int) {
	title, detail := "refused.title", "refused.detail"
	switch {
	case status == http.StatusNotFound:
		title, detail = "not_found.title", "not_found.detail"
	case status == http.StatusGone:
		title, detail = "gone.title", "gone.detail"
	case status == http.StatusTooManyRequests:
		title, detail = "too_many.title", "too_many.detail"
	case status >= http.StatusInternalServerError:
		title, detail = "error.title", "error.detail"
	}
	m := s.message(r, "ended", title, detail)
	m.Languages = ""
	if id := chargeInForm.FindStringSubmatch(r.URL.Path); id != nil && status != http.StatusNotFound {
		m.Retry = m.Keep("/pay/" + id[1])
		if view, err := s.Charges.PublicCharge(r.Context(), id[1]); err == nil {
			m.of(view.BusinessName, view.Contact)
		}
	}
	s.kit.Render(w, r, status, "message.html", m)
}

// withheld passes on a success and holds back an error.
type withheld struct {
	http.ResponseWriter
	// status is that of the error, or 0.
	status int
}

// WriteHeader passes the status on, or holds it back if it is an error.
func (w *withheld) WriteHeader(status int) {
	if status >= http.StatusBadRequest {
		w.status = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write passes a part of the body on, or drops it after an error.
func (w *withheld) Write(part []byte) (int, error) {
	if w.status != 0 {
		return len(part), nil
	}
	return w.ResponseWriter.Write(part)
}

// Unwrap lets handlers set deadlines.
func (w *withheld) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// maxField is the maximum number of characters of a buyer's value.
const maxField = 500

// detailsForm asks the buyer for the fields that the merchant requires.
type detailsForm struct {
	Action string
	Fields []field
	// Later is the link that postpones the form, or empty.
	Later string
	// Receipt says that a receipt goes to the email address; empty if none does.
	Receipt string
}

// field is one input; Type and Autocomplete help phones and password managers.
type field struct {
	Name, Label, Type, Autocomplete string
	Max                             int
	// Value is the typed value.
	Value string
	// Required is set if the form is refused without a value.
	Required bool
	Problem  problem
}

// problem is the error text for the input Name; none if Text is empty.
type problem struct{ Name, Text string }

// askDetails shows the form until the buyer's values were sent. Before the payment it is open.
// After the visitor postponed it or a payment was seen, it is behind a link, because an open
// form stops a page from reloading that is itself the status.
func (p *payPage) askDetails(at stage, v View, c choice) {
	if len(v.Fields) == 0 || v.Status != charge.Pending {
		return
	}
	later, open := c, c
	later.details, open.details = "later", "open"
	switch {
	case v.FieldsGiven:
		p.DetailsGiven = true
	case c.details == "open" || (at == stageWaiting && c.details != "later"):
		p.Details = &detailsForm{
			buyerInfoPath(p.T, v.ID), fieldsOf(p.T, v.Fields, nil), later.link(v.ID), receiptHint(p.T, v.MailsReceipt, v.Fields),
		}
	default:
		p.DetailsLink = open.link(v.ID)
	}
}

// buyerInfoPath returns where the form goes. It names the language of the page, which is that of the
// receipt.
func buyerInfoPath(t kit.Translator, id string) string {
	return "/api/charges/" + id + "/buyer-info?" + kit.LangParam + "=" + t.Lang()
}

// receiptHint says that a receipt goes to the email address that a form asks for.
func receiptHint(t kit.Translator, mails bool, fields []string) string {
	if !mails || !slices.Contains(fields, charge.EmailField) {
		return ""
	}
	return t.Text("fields.receipt")
}

// fieldsOf returns the inputs for the names, with the typed values.
func fieldsOf(t kit.Translator, names []string, typed map[string]string) []field {
	kinds := map[string]field{
		charge.EmailField: {Type: "email", Autocomplete: "email"},
		"phone":           {Type: "tel", Autocomplete: "tel"},
		"name":            {Autocomplete: "name"},
		"first_name":      {Autocomplete: "given-name"},
		"last_name":       {Autocomplete: "family-name"},
		"address":         {Autocomplete: "street-address"},
		"city":            {Autocomplete: "address-level2"},
		"zip":             {Autocomplete: "postal-code"},
		"postal_code":     {Autocomplete: "postal-code"},
		"country":         {Autocomplete: "country-name"},
		"company":         {Autocomplete: "organization"},
	}
	list := make([]field, len(names))
	for i, name := range names {
		f := kinds[name]
		f.Name, f.Label, f.Max, f.Value = name, fieldLabel(t, name), maxField, typed[name]
		if utf8.RuneCountInString(f.Value) > maxField {
			f.Problem = problem{name, t.Count("fields.too_long", maxField)}
		}
		if f.Type == "" {
			f.Type = "text"
		}
		if f.Autocomplete == "" {
			f.Autocomplete = "on"
		}
		list[i] = f
	}
	return list
}

// fieldLabel returns the text for a well-known field. For other fields it makes the name
// readable: shipping_note becomes "Shipping note".
func fieldLabel(t kit.Translator, name string) string {
	if text := t.Text("field." + name); text != "field."+name {
		return text
	}
	words := strings.TrimSpace(strings.ReplaceAll(name, "_", " "))
	if words == "" {
		return name
	}
	return strings.ToUpper(words[:1]) + words[1:]
}
