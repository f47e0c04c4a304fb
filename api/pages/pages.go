package pages

import (
	"log/slog"
	"net/http"
	"regexp"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/internal/account"
)

// Deps is what the pages need.
type Deps struct {
	Charges Charges
	// Requests serves payment requests; without it their links are not found.
	Requests Requests
	// Emails confirms addresses; without it the links of mails are not found.
	Emails Emails
	// PublicURL is the base URL of the service, without a trailing slash.
	PublicURL string
	// Now tells the time.
	Now func() time.Time
	Log *slog.Logger
}

// The identifiers that appear in links.
var (
	chargeID  = regexp.MustCompile(`^ch_[0-9a-f]{24}$`)
	requestID = regexp.MustCompile(`^pr_[0-9A-Za-z_-]{1,64}$`)
)

// Register adds the pages to a router: GET and HEAD of /pay/{id}, its QR codes
// and the stylesheet, POST /pay/{id} for the form of a payment request, /button,
// where a merchant gets the HTML of a payment button, and /verify-email/{token},
// where the link of a verification mail leads.
func Register(r chi.Router, deps Deps) {
	s := &site{Deps: deps, assets: loadAssets(), templates: parseTemplates(), languages: newLanguages(catalogues())}
	get := func(pattern string, h http.HandlerFunc) {
		r.Get(pattern, h)
		r.Head(pattern, h)
	}
	get("/pay/{id}", s.pay)
	get("/pay/{id}/qr.png", s.paymentQR)
	get("/pay/{id}/address.png", s.addressQR)
	r.Post("/pay/{id}", s.submitRequest)
	get("/button", s.button)
	get(account.VerificationPath+"{token}", s.emailLink)
	r.Post(account.VerificationPath+"{token}", s.confirmEmail)
	for _, a := range s.assets.all() {
		get(a.path, a.serve)
	}
}

// site holds the parts that all handlers share.
type site struct {
	Deps
	assets    assets
	templates templates
	languages languages
}

// pay answers the link of a charge or of a payment request.
func (s *site) pay(w http.ResponseWriter, r *http.Request) {
	id := chi.URLParam(r, "id")
	switch {
	case chargeID.MatchString(id):
		s.charge(w, r, id)
	case requestID.MatchString(id) && s.Requests != nil:
		s.openRequest(w, r, id)
	default:
		s.fail(w, r, ErrNotFound)
	}
}

func (s *site) charge(w http.ResponseWriter, r *http.Request, id string) {
	view, err := s.Charges.PublicCharge(r.Context(), id)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if view.gone() {
		s.gone(w, r, view)
		return
	}
	s.render(w, r, http.StatusOK, "pay.html", newPayPage(s.frame(r), view, s.Now(), choiceOf(r)))
}
