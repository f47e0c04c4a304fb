package pages

import (
	"embed"
	"errors"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"golang.org/x/text/language"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
)

// Deps holds the dependencies of the pages.
type Deps struct {
	Charges  Charges
	Requests Requests
	// Emails confirms an address. Notices turns off the kinds of mails about business that its link
	// names; a second time changes nothing.
	Emails, Notices MailLink
	// Resets sets passwords.
	Resets Resets
	// Connections lets merchants connect applications.
	Connections Connections
	// Refunds lets customers claim refunds.
	Refunds Refunds
	// SignUpPage and ForgottenPage are paths to which the login of Connections leads who
	// has no account or no password; empty for none.
	SignUpPage, ForgottenPage string
	// ConnectKey signs the sessions and forms of Connections: 32 bytes.
	ConnectKey []byte
	// Count counts each visit of a page. CountGuess also counts the visits that hash a
	// password or guess a code. The function that they receive answers a visitor above the
	// limit. If nil, visits are not counted.
	Count, CountGuess func(tooMany http.HandlerFunc) func(http.Handler) http.Handler
	// Admit counts a visitor before a charge or a claim is created. It returns false for a
	// visitor above the limit. If nil, visitors are not counted.
	Admit func(w http.ResponseWriter, r *http.Request) bool
	// PublicURL is the base URL of the service, without a trailing slash.
	PublicURL string
	// Now returns the current time.
	Now func() time.Time
	Log *slog.Logger
}

// The identifiers that appear in links.
var (
	chargeID     = regexp.MustCompile(`^ch_[0-9a-f]{24}$`)
	chargeInForm = regexp.MustCompile(`/charges/(ch_[0-9a-f]{24})/buyer-info$`)
	requestID    = regexp.MustCompile(`^pr_[0-9A-Za-z_-]{1,64}$`)
)

// Site serves the pages.
type Site struct {
	Deps
	kit *kit.Kit
}

// New returns pages that are ready to serve.
func New(deps Deps) *Site {
	return &Site{Deps: deps, kit: kit.New(kit.Parse(templateFiles), Catalogues(), deps.Log).Keeping(parameters()...)}
}

// parameters returns the query parameters that pages read.
func parameters() []string {
	return []string{
		"refresh", "details", "claim", "due", "merchant_id", "amount", "currency", "description", "fields",
		"permissions", "permissions[]", "redirect", "applicationName", "applicationIdentifier",
	}
}

// Register adds the pages to a router: GET and HEAD of /pay/{id}, its status, receipt and QR codes,
// and the stylesheet; POST /pay/{id} for the form of a payment request; /button, where a merchant gets
// the HTML of a payment button; /verify-email/{token}, /reset-password/{token},
// /end-access/{token} and /notices/off/{token}, the targets of links in mails;
// /refund/{id}/{token}, where customers claim refunds; and /api-keys/authorize, where
// applications send merchants to connect.
func (s *Site) Register(r chi.Router) {
	s.kit.Register(r, "")
	r = s.counting(r, s.Count)
	guesses := s.counting(r, s.CountGuess)
	get := func(pattern string, h http.HandlerFunc) { kit.Get(r, pattern, h) }
	get("/pay/{id}", s.pay)
	get("/pay/{id}"+statusPath, s.status)
	get("/pay/{id}/receipt", s.receipt)
	get("/pay/{id}/qr.png", s.paymentQR)
	get("/pay/{id}/address.png", s.addressQR)
	r.Post("/pay/{id}", s.submitRequest)
	get("/button", s.button)
	s.registerMailed(r, guesses)
	get(account.RefundPath+"{id}/{token}", s.refundLink)
	r.Post(account.RefundPath+"{id}/{token}", s.claimRefund)
	get(account.ConnectPath, s.connect)
	get(account.ConnectPath+"/", s.connect)
	for _, step := range []string{"/log-in", "/code", "/answer"} {
		get(account.ConnectPath+step, s.connectStray)
	}
	guesses.Post(account.ConnectPath+"/log-in", s.connectLogIn)
	guesses.Post(account.ConnectPath+"/code", s.connectCode)
	r.Post(account.ConnectPath+"/answer", s.connectAnswer)
}

// counting returns a router that counts the requests of its routes.
func (s *Site) counting(r chi.Router, count func(http.HandlerFunc) func(http.Handler) http.Handler) chi.Router {
	if count == nil {
		return r
	}
	return r.With(count(s.TooMany))
}

// pay answers the link of a charge or of a payment request.
func (s *Site) pay(w http.ResponseWriter, r *http.Request) {
	id := chi.URLParam(r, "id")
	switch {
	case chargeID.MatchString(id):
		s.charge(w, r)
	case requestID.MatchString(id):
		s.openRequest(w, r, id)
	default:
		s.fail(w, r, ErrNotFound)
	}
}

// viewed returns the charge that the path names. If there is none, it answers the request.
func (s *Site) viewed(w http.ResponseWriter, r *http.Request) (view View, found bool) {
	id, err := chi.URLParam(r, "id"), ErrNotFound
	if chargeID.MatchString(id) {
		view, err = s.Charges.PublicCharge(r.Context(), id)
	}
	if err != nil {
		s.fail(w, r, err)
	}
	return view, err == nil
}

func (s *Site) charge(w http.ResponseWriter, r *http.Request) {
	view, found := s.viewed(w, r)
	if !found {
		return
	}
	if view.Unpayable {
		s.gone(w, r, view)
		return
	}
	f := s.frame(r)
	s.kit.Render(w, r, http.StatusOK, "pay.html", newPayPage(f, view, s.Now(), choiceOf(r, f)))
}

//go:embed texts
var textFiles embed.FS

// Catalogues lists the languages of the pages; the first is the fallback.
func Catalogues() []kit.Catalogue {
	return kit.WithTexts(textFiles, []kit.Catalogue{
		{Tag: language.English, Name: "English", Direction: "ltr"},
		{Tag: language.German, Name: "Deutsch", Direction: "ltr"},
		{Tag: language.Spanish, Name: "Español", Direction: "ltr"},
		{Tag: language.French, Name: "Français", Direction: "ltr"},
		{Tag: language.Russian, Name: "Русский", Direction: "ltr"},
		{Tag: language.Arabic, Name: "العربية", Direction: "rtl"},
	})
}

//go:embed templates
var templateFiles embed.FS

// frame returns the frame that every page of this package has.
func (s *Site) frame(r *http.Request) kit.Frame {
	f := s.kit.Frame(r)
	f.Header, f.Label = f.T.Text("header.pay"), f.T.Text("header.pay_to")
	if strings.HasPrefix(r.URL.Path, account.RefundPath) {
		f.Header, f.Label = f.T.Text("claim.header"), f.T.Text("claim.from")
	}
	return f
}

// busyPause is a time, in seconds, after which an open payment has often ended.
const busyPause = "60"

// fail answers an error and shows only what the visitor may know.
func (s *Site) fail(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case errors.Is(err, ErrNotFound):
		s.say(w, r, http.StatusNotFound, "not_found.title", "not_found.detail")
	case errors.Is(err, ErrGone):
		s.say(w, r, http.StatusGone, "gone.title", "gone.detail")
	case errors.Is(err, ErrBusy), errors.Is(err, account.ErrBusy):
		w.Header().Set("Retry-After", busyPause)
		s.say(w, r, http.StatusTooManyRequests, "busy.title", "busy.detail")
	default:
		s.Log.ErrorContext(r.Context(), "payment page failed", slog.Any("error", err))
		s.say(w, r, http.StatusInternalServerError, "error.title", "error.detail")
	}
}

// gone answers for a charge whose link is switched off or has expired.
func (s *Site) gone(w http.ResponseWriter, r *http.Request, v View) {
	title := "gone_inactive.title"
	if v.LinkState == charge.LinkExpired {
		title = "gone_expired.title"
	}
	if isStatus(r) {
		s.sayStatus(w, r, http.StatusGone, title, "gone.detail")
		return
	}
	s.sayOf(w, r, http.StatusGone, title, "gone.detail", v.BusinessName, v.Contact)
}

// sayOf answers with a text that speaks of a merchant, and how to reach the merchant.
func (s *Site) sayOf(w http.ResponseWriter, r *http.Request, status int, title, detail, business, contact string) {
	m := s.message(r, "ended", title, detail)
	m.of(business, contact)
	s.kit.Render(w, r, status, "message.html", m)
}

// seeOther redirects from a form to a page.
func seeOther(w http.ResponseWriter, r *http.Request, path string) {
	kit.Secure(w.Header())
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, path, http.StatusSeeOther)
}

// messagePage is a page with only a text, and how to reach the merchant whom it speaks of.
type messagePage struct {
	kit.Frame
	Detail string
	// Retry is a link that tries again, or empty.
	Retry   string
	Contact *contact
}

// of adds the merchant whom the text speaks of.
func (m *messagePage) of(business, contact string) {
	m.Business, m.Contact = business, contactOf(m.T, business, contact)
}

// message returns a page with only a text.
func (s *Site) message(r *http.Request, tone, title, detail string) *messagePage {
	m := &messagePage{Frame: s.frame(r)}
	m.Tone, m.Title, m.Detail = tone, m.T.Text(title), m.T.Text(detail)
	return m
}

func (s *Site) say(w http.ResponseWriter, r *http.Request, status int, title, detail string) {
	if isStatus(r) {
		s.sayStatus(w, r, status, title, detail)
		return
	}
	m := s.message(r, "ended", title, detail)
	if status == http.StatusInternalServerError || status == http.StatusTooManyRequests {
		m.Retry = m.Keep(r.URL.Path)
		if r.URL.Path == account.ConnectPath { // its path needs the query
			m.Retry = r.URL.RequestURI()
		}
	}
	s.kit.Render(w, r, status, "message.html", m)
}

// fiat returns an amount with its currency, such as 25.00 USD. Amounts in XMR keep their
// digits.
func fiat(amount money.Decimal, currency money.Currency) string {
	if currency == money.XMR {
		return amount.String() + unitXMR
	}
	return amount.Fixed(2) + "\u00a0" + string(currency)
}

// unitXMR is the unit after a non-breaking space.
const unitXMR = "\u00a0XMR"

// whole returns an amount of Monero with its unit and all of its digits.
func whole(amount money.Piconero) string { return amount.String() + unitXMR }
