package desk

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

func (v *visit) cookieName() string { return web.HostCookie(v.r, v.PublicURL, "durapay_desk") }

// place is where a person works: a shop, and live or in its sandbox.
type place struct {
	Mode config.Mode `json:"m"`
	// Shop is the merchant in whose shop the person works; empty for their own.
	Shop string `json:"s,omitempty"`
	// ShopName is the name of that shop.
	ShopName string `json:"n,omitempty"`
}

// session is the session of a person who has logged in. The cookie holds it, sealed. The
// database stores only that a session has ended, so that it can be ended before it expires.
type session struct {
	place

	Token string `json:"t"`
	// of is the token's content; its zero value means no session.
	of account.Session
	// role is the person's current role in the shop.
	role permission.Role
}

// begin begins a session with a token from the API. keepSession then keeps it.
func (v *visit) begin(token string) error {
	of, err := v.Tokens.Read(token)
	if err != nil {
		return err
	}
	v.session = session{place: place{Mode: config.Live}, Token: token, of: of}
	return nil
}

// cookieOutlives is how long a browser keeps the cookie of a session that has ended, so that the login
// can say so.
const cookieOutlives = 30 * 24 * time.Hour

// keepSession sets the session's cookie.
func (v *visit) keepSession() {
	v.setCookie(v.cookieName(), secret.SealText(v.Key, "session", v.session), int((v.session.of.ExpiresAt().Sub(v.Clock()) + cookieOutlives).Seconds()))
}

// readSession reads the session from the cookie. It returns errNoSession if there is none or
// it has ended.
func (v *visit) readSession() error {
	cookie, err := v.r.Cookie(v.cookieName())
	var s session
	if err != nil || !secret.UnsealText(v.Key, "session", cookie.Value, &s) {
		return errNoSession
	}
	v.hasEnded = true
	if s.of, err = v.Tokens.Read(s.Token); err != nil {
		return errNoSession
	}
	visitor, err := v.Store.GetVisitor(v.r.Context(), db.GetVisitorParams{EndedID: endedID(s.of), MerchantID: s.of.MerchantID})
	switch {
	case postgres.IsNotFound(err): // the API decides what to answer
	case err != nil:
		return err
	case visitor.Ended:
		return errNoSession
	default:
		own := &visitor.Merchant
		v.accountRow, v.business, v.zone, v.currency = own, own.BusinessName, own.TimeZone, own.DefaultCurrency
	}
	v.hasEnded = false
	v.session = s
	return v.readRole()
}

// endedID returns the id under which the end of a desk session is stored. It differs from the
// token's own id, which belongs to a session of the API.
func endedID(of account.Session) string { return "desk_" + of.ID }

// endSession ends the session for every copy of its cookie. A second call changes nothing.
func (v *visit) endSession() error {
	_, err := v.Store.EndLogin(v.r.Context(), db.EndLoginParams{
		ID: endedID(v.session.of), MerchantID: v.session.of.MerchantID, ExpiresAt: v.session.of.ExpiresAt(),
	})
	if err == nil {
		v.dropSession()
	}
	return err
}

// dropSession removes the session from this browser.
func (v *visit) dropSession() {
	v.session = session{}
	v.setCookie(v.cookieName(), "", -1)
}

// readRole reads the person's current role in the shop. If they no longer have one, it returns
// errNoShop, and the session continues in their own shop.
func (v *visit) readRole() error {
	if v.session.Shop == "" {
		return nil
	}
	row, err := v.Store.GetStaff(v.r.Context(), db.GetStaffParams{MerchantID: v.session.Shop, PersonID: v.session.of.MerchantID})
	if postgres.IsNotFound(err) {
		v.session.Shop, v.session.ShopName = "", ""
		v.keepSession()
		return errNoShop
	}
	v.session.role = permission.Role(row.Role)
	return err
}

// setCookie sets a cookie. The cookie requires TLS if the client uses it; an onion service
// does not.
func (v *visit) setCookie(name, value string, seconds int) {
	http.SetCookie(v.w, web.Cookie(name, value, "/", seconds, web.HasTLS(v.r, v.PublicURL)))
}

// languageCookie keeps the language that the visitor chose, for languageKept.
const (
	languageCookie = "durapay_language"
	languageKept   = 365 * 24 * time.Hour
)

// keepLanguage stores the language of the query, or else uses the one that the visitor chose
// earlier.
func (v *visit) keepLanguage() {
	if chosen := v.r.URL.Query().Get("lang"); v.kit.Speaks(chosen) {
		v.setCookie(languageCookie, chosen, int(languageKept/time.Second))
		return
	}
	if cookie, err := v.r.Cookie(languageCookie); err == nil && v.kit.Speaks(cookie.Value) {
		v.r = v.r.Clone(v.r.Context())
		v.r.Header.Set("Accept-Language", cookie.Value)
	}
}

// forbids returns an error if the person may not use a route: errLiveOnly where the sandbox does
// not have it, errNotForRole where their role in the shop does not permit it.
func (v *visit) forbids(rt route) error {
	switch {
	case rt.live && v.sandbox():
		return errLiveOnly
	case rt.open(), rt.personal(), v.session.Shop == "", v.may(rt.operation):
		return nil
	default:
		return errNotForRole
	}
}

// may reports whether the person's role in the shop permits an operation of the API. Pages
// leave out parts that the role could not read.
func (v *visit) may(operation string) bool {
	return v.session.Shop == "" || (v.session.role != permission.Merchant && permission.May(v.session.role, v.sandbox(), operation))
}

// pattern returns the pattern of the route that a path matches; empty for none.
func (d *Desk) pattern(method, path string) string {
	return d.router.Find(chi.NewRouteContext(), method, path)
}

// allowsPath reports whether the person may use the target of a link or a form. Everyone may
// use targets that are not part of the desk.
func (v *visit) allowsPath(method, href string) bool {
	u, err := url.Parse(href)
	if err != nil || u.Host != "" {
		return true
	}
	rt, known := v.routes[method+" "+v.pattern(method, u.Path)]
	return !known || v.forbids(rt) == nil
}

// onlyAllowed removes links and forms that the person may not use from a page, so a page shows
// only what works.
func (v *visit) onlyAllowed(p *kit.Page) {
	if v.session.Shop == "" && !v.sandbox() {
		return
	}
	p.Nav, p.Sub, p.Corner = v.onlyLinks(p.Nav), v.onlyLinks(p.Sub), v.onlyForms(p.Corner)
	for i := range p.Parts {
		part := &p.Parts[i]
		part.Links, part.Buttons, part.Forms = v.onlyLinks(part.Links), v.onlyLinks(part.Buttons), v.onlyForms(part.Forms)
		for _, c := range part.Cells() {
			v.onlyCell(c)
		}
	}
}

func (v *visit) onlyLinks(all []kit.Link) []kit.Link {
	return slices.DeleteFunc(all, func(l kit.Link) bool { return !v.allowsPath(http.MethodGet, l.Href) })
}

func (v *visit) onlyForms(all []kit.Form) []kit.Form {
	return slices.DeleteFunc(all, func(f kit.Form) bool { return !v.allowsForm(f) })
}

func (v *visit) allowsForm(f kit.Form) bool {
	method := http.MethodPost
	if f.Get {
		method = http.MethodGet
	}
	return v.allowsPath(method, f.Action)
}

func (v *visit) onlyCell(c *kit.Cell) {
	if c.Href != "" && !v.allowsPath(http.MethodGet, c.Href) {
		c.Href = ""
	}
	c.Links = v.onlyLinks(c.Links)
	if c.Form != nil && !v.allowsForm(*c.Form) {
		c.Form = nil
	}
}
