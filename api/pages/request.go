package pages

import (
	"context"
	"errors"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/money"
)

// Requests opens payment requests for a visitor.
type Requests interface {
	// PublicRequest returns the view of a payment request by its pr_ identifier. Errors:
	// ErrNotFound; ErrGone if it is inactive, expired or used up: then the view has the merchant
	// alone.
	PublicRequest(ctx context.Context, id string) (RequestView, error)
	// ResumesCharge reports whether the charge was created from the request and is still
	// pending, so that a visitor who returns gets the same charge.
	ResumesCharge(ctx context.Context, id, chargeID string) (bool, error)
	// OpenCharge creates a charge from the request for the visitor who sent r, and stores the
	// buyer's values, given by field name. language is that of the page. Errors: those of
	// PublicRequest, ErrInvalid if a value is refused, and ErrBusy.
	OpenCharge(r *http.Request, id, language string, buyer map[string]string) (chargeID string, err error)
}

// RequestView is a payment request as a buyer may see it.
type RequestView struct {
	ID string
	// Amount is in the natural unit of Currency.
	Amount   money.Decimal
	Currency money.Currency
	// AmountXMR is the amount at the current price; 0 if unknown.
	AmountXMR    money.Piconero
	Description  string
	BusinessName string
	// Contact is how buyers reach the merchant, as the merchant wrote it; may be empty.
	Contact string
	Sandbox bool
	// Fields names the buyer fields that the merchant asks for; Required are those that must be
	// filled in.
	Fields, Required []string
	// MailsReceipt is set if a buyer who gives an email address gets a receipt.
	MailsReceipt bool
}

type requestPage struct {
	kit.Frame
	Description, Estimate string
	Action                string
	Fields                []field
	// Receipt says that a receipt goes to the email address; empty if none does.
	Receipt string
	// Invalid says why the submitted values were refused; empty if they were not.
	Invalid string
}

// maxForm is the maximum size of a submitted form in bytes: ten fields, all encoded.
const maxForm = 64 << 10

// previewers are programs that fetch a link to show a preview of it.
var previewers = regexp.MustCompile(`(?i)bot\b|bot/|preview|facebookexternalhit|whatsapp|slack|skype|embedly|pinterest|crawler|spider`)

// openRequest sends the visitor to the charge of the request. It creates the charge unless the
// request has fields to fill in first. HEAD requests and link previews create nothing.
func (s *Site) openRequest(w http.ResponseWriter, r *http.Request, id string) {
	view, err := s.Requests.PublicRequest(r.Context(), id)
	if err != nil {
		s.failRequest(w, r, view, err)
		return
	}
	if chargeID, ok := s.resumed(r, id); ok {
		s.toCharge(w, r, id, chargeID)
		return
	}
	if len(view.Fields) > 0 || onlyReads(r) {
		s.showRequest(w, r, view, http.StatusOK, nil)
		return
	}
	s.createCharge(w, r, view, nil)
}

// failRequest answers an error of a request. A request that is gone has a merchant to ask.
func (s *Site) failRequest(w http.ResponseWriter, r *http.Request, view RequestView, err error) {
	if !errors.Is(err, ErrGone) {
		s.fail(w, r, err)
		return
	}
	s.sayOf(w, r, http.StatusGone, "gone.title", "gone.detail", view.BusinessName, view.Contact)
}

// submitRequest handles the form of a payment request.
func (s *Site) submitRequest(w http.ResponseWriter, r *http.Request) {
	id := strings.TrimPrefix(r.URL.Path, "/pay/")
	if !requestID.MatchString(id) {
		wasRead(w)
		return
	}
	view, err := s.Requests.PublicRequest(r.Context(), id)
	if err != nil {
		s.failRequest(w, r, view, err)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		s.showRequest(w, r, view, http.StatusBadRequest, nil)
		return
	}
	buyer := make(map[string]string, len(view.Fields))
	for _, name := range view.Fields {
		if value := strings.TrimSpace(r.PostForm.Get(name)); value != "" {
			buyer[name] = value
		}
	}
	s.createCharge(w, r, view, buyer)
}

// wasRead answers a form that was sent to a page without one. It uses the API's answer for a
// method that a path does not have.
func wasRead(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Allow", "GET, HEAD")
	h.Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusMethodNotAllowed)
	_, _ = io.WriteString(w, `{"error":"this path does not have this method"}`+"\n") // the visitor has disconnected if this fails
}

func (s *Site) createCharge(w http.ResponseWriter, r *http.Request, view RequestView, buyer map[string]string) {
	if s.Admit != nil && !s.Admit(w, r) {
		s.TooMany(w, r)
		return
	}
	chargeID, err := s.Requests.OpenCharge(r, view.ID, s.frame(r).T.Lang(), buyer)
	switch {
	case errors.Is(err, ErrInvalid):
		s.showRequest(w, r, view, http.StatusBadRequest, buyer)
	case err != nil:
		s.fail(w, r, err)
	default:
		s.toCharge(w, r, view.ID, chargeID)
	}
}

// showRequest shows the page. After a refusal it includes the typed values.
func (s *Site) showRequest(w http.ResponseWriter, r *http.Request, v RequestView, status int, typed map[string]string) {
	p := requestPage{Frame: s.frame(r), Description: v.Description}
	p.Title, p.Business, p.Sandbox = p.T.Text("pay.title", fiat(v.Amount, v.Currency)), v.BusinessName, v.Sandbox
	p.Action, p.Fields = p.Keep("/pay/"+v.ID), fieldsOf(p.T, v.Fields, typed)
	for i, f := range p.Fields {
		p.Fields[i].Required = slices.Contains(v.Required, f.Name)
		if status != http.StatusOK && p.Fields[i].Required && f.Value == "" {
			p.Fields[i].Problem = problem{f.Name, p.T.Text("fields.missing")}
		}
	}
	p.Receipt = receiptHint(p.T, v.MailsReceipt, v.Fields)
	if status != http.StatusOK {
		p.Tone, p.Invalid = "warn", p.T.Text("request.invalid")
		if slices.ContainsFunc(p.Fields, func(f field) bool { return f.Problem.Text != "" }) {
			p.Invalid = p.T.Text("button.invalid")
		}
	}
	if v.AmountXMR > 0 && v.Currency != money.XMR {
		p.Estimate = p.T.Text("request.estimate", whole(v.AmountXMR))
	}
	s.kit.Render(w, r, status, "request.html", &p)
}

// resumed returns the charge that the visitor opened earlier, if it is still pending.
func (s *Site) resumed(r *http.Request, id string) (string, bool) {
	cookie, err := r.Cookie(cookieName(id))
	if err != nil || !chargeID.MatchString(cookie.Value) {
		return "", false
	}
	ok, err := s.Requests.ResumesCharge(r.Context(), id, cookie.Value)
	return cookie.Value, err == nil && ok
}

// toCharge stores the charge in a cookie and redirects the visitor to its page.
func (s *Site) toCharge(w http.ResponseWriter, r *http.Request, id, chargeID string) {
	http.SetCookie(w, web.Cookie(cookieName(id), chargeID, "/pay/"+id, int((24*time.Hour).Seconds()), web.CameByTLS(r)))
	f := s.frame(r)
	seeOther(w, r, f.Keep("/pay/"+chargeID))
}

func cookieName(id string) string { return "durapay_" + id }

// onlyReads reports whether the request comes from a program that looks at a link and not from
// a person who opens it.
func onlyReads(r *http.Request) bool {
	purpose := r.Header.Get("Sec-Purpose") + r.Header.Get("Purpose") + r.Header.Get("X-Moz")
	return r.Method == http.MethodHead || strings.Contains(purpose, "prefetch") ||
		strings.Contains(purpose, "preview") || previewers.MatchString(r.UserAgent())
}
