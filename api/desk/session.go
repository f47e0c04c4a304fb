package desk

import (
	"net/http"
	"time"

	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/staff"
)

// cookieName is the session's cookie.
func (v *visit) cookieName() string { return web.HostCookie(v.r, v.PublicURL, "durapay_desk") }

// session is somebody who has logged in. It is in the cookie, sealed. Only that it has
// ended is stored, so it can be ended before its time.
type session struct {
	Token string      `json:"t"`
	Mode  config.Mode `json:"m"`
	// Shop is the merchant in whose shop the person works; empty for their own.
	Shop string `json:"s,omitempty"`
	// ShopName is what that shop is called.
	ShopName string `json:"n,omitempty"`
	// of is what the token says; its zero value is nobody.
	of account.Session
	// role is what the person is in the shop now.
	role staff.Role
}

// begin makes a session of a token that the API gave.
func (v *visit) begin(token string) error {
	of, err := v.Tokens.Read(token)
	if err != nil {
		return err
	}
	v.session = session{Token: token, Mode: config.Live, of: of}
	v.keepSession()
	return nil
}

// keepSession gives the browser the session's cookie.
func (v *visit) keepSession() {
	v.setCookie(v.cookieName(), secret.SealText(v.Key, "session", v.session), int(v.session.of.ExpiresAt().Unix()-v.Clock().Unix()))
}

// readSession takes the session of the cookie; errNoSession without one that goes on.
func (v *visit) readSession() error {
	cookie, err := v.r.Cookie(v.cookieName())
	var s session
	if err != nil || !secret.UnsealText(v.Key, "session", cookie.Value, &s) {
		return errNoSession
	}
	if s.of, err = v.Tokens.Read(s.Token); err != nil {
		return errNoSession
	}
	visitor, err := v.Store.GetVisitor(v.r.Context(), db.GetVisitorParams{EndedID: endedID(s.of), MerchantID: s.of.MerchantID})
	switch {
	case postgres.IsNotFound(err): // the API says what it thinks of them
	case err != nil:
		return err
	case visitor.Ended:
		return errNoSession
	default:
		v.accountRow = &visitor.Merchant
	}
	v.session = s
	return v.readRole()
}

// endedID names the end of a session of the desk. The token's own name is that of a
// session of the API, which has nothing to do with it.
func endedID(of account.Session) string { return "desk_" + of.ID }

// endSession ends the session wherever its cookie is. Ending it again changes
// nothing.
func (v *visit) endSession() error {
	_, err := v.Store.EndLogin(v.r.Context(), db.EndLoginParams{
		ID: endedID(v.session.of), MerchantID: v.session.of.MerchantID, ExpiresAt: v.session.of.ExpiresAt(),
	})
	if err == nil {
		v.dropSession()
	}
	return err
}

// dropSession ends the session in this browser.
func (v *visit) dropSession() {
	v.session = session{}
	v.setCookie(v.cookieName(), "", -1)
}

// readRole asks what the person is in the shop now; errNoShop once they are nothing
// there, and then the session is in their own.
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
	v.session.role = staff.Role(row.Role)
	return err
}

// setCookie asks for TLS where the service is reached by it; an onion service has none.
func (v *visit) setCookie(name, value string, seconds int) {
	http.SetCookie(v.w, &http.Cookie{ //nolint:gosec // an onion service has no TLS to ask for
		Name: name, Value: value, Path: "/", MaxAge: seconds, HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: web.HasTLS(v.r, v.PublicURL),
	})
}

// languageCookie keeps the language that a visitor chose.
const (
	languageCookie = "durapay_language"
	languageKept   = 365 * 24 * time.Hour
)

// keepLanguage goes on in the language that the visitor chose on some page.
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
