package pages

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/secret"
)

// ask is the checked request of an application.
type ask struct {
	Permissions             []permission.Permission `json:"p"`
	Application, Identifier string
	// Redirect is the address that receives the key; empty if the page shows the key.
	Redirect string `json:"r"`
	// Grant identifies the page that asked; empty in a link.
	Grant string `json:"g"`
}

// Reasons why a request is refused.
var (
	errAskPermissions = errors.New("permissions that cannot be granted")
	errAskRedirect    = errors.New("address that no key is sent to")
	errAskName        = errors.New("name that cannot be shown")
)

// Limits of a request: characters, permissions, bytes.
const (
	maxApplication = 100
	maxPermissions = 50
	maxRedirect    = 2000
)

// parseAsk reads the request of an application. It accepts the requested permissions all or
// none, regardless of the parameter strict. plain allows redirects over plain HTTP.
func parseAsk(query url.Values, plain bool) (ask, error) {
	a := ask{Redirect: query.Get("redirect"), Identifier: query.Get("applicationIdentifier")}
	var err error
	if a.Permissions, err = askedPermissions(slices.Concat(query["permissions"], query["permissions[]"])); err != nil {
		return ask{}, err
	}
	if a.Redirect != "" && !isRedirect(a.Redirect, plain) {
		return ask{}, errAskRedirect
	}
	a.Application = strings.TrimSpace(query.Get("applicationName"))
	if a.Application == "" {
		a.Application = a.host()
	}
	if !isShown(a.Application) || a.Application == "" || (a.Identifier != "" && !isShown(a.Identifier)) {
		return ask{}, errAskName
	}
	return a, nil
}

func askedPermissions(names []string) ([]permission.Permission, error) {
	if len(names) == 0 || len(names) > maxPermissions {
		return nil, errAskPermissions
	}
	all := make([]permission.Permission, len(names))
	for i, name := range names {
		p, known := permission.Parse(name)
		if !known {
			return nil, errAskPermissions
		}
		all[i] = p
	}
	return permission.Of(all...).Permissions(), nil
}

// isShown reports whether a name can be shown to people: it is not too long and has no
// characters that are invisible or change the text direction.
func isShown(name string) bool {
	return utf8.ValidString(name) && utf8.RuneCountInString(name) <= maxApplication &&
		!strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

// plainHost matches a host with an optional port. Other characters that a URL allows could
// break out of a header.
var plainHost = regexp.MustCompile(`^([a-zA-Z0-9.-]{1,253}|\[[0-9a-fA-F:.]{2,45}\])(:[0-9]{1,5})?$`)

// isRedirect reports whether a key may be sent to an address: over HTTPS, over HTTP to this
// machine or an onion service, or, if plain is set, over HTTP to any host.
func isRedirect(address string, plain bool) bool {
	if len(address) > maxRedirect || strings.ContainsFunc(address, func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) || r == '\\' || r == '#' }) {
		return false
	}
	u, err := url.Parse(address)
	if err != nil || u.User != nil || u.Opaque != "" || !plainHost.MatchString(u.Host) {
		return false
	}
	switch u.Scheme {
	case "https":
		return true
	case "http":
		return plain || isLocal(u.Hostname()) || isOnion(u.Hostname())
	default:
		return false
	}
}

func isOnion(host string) bool { return strings.HasSuffix(strings.ToLower(host), ".onion") }

func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || (ip != nil && ip.IsLoopback())
}

// host returns the host that receives the key, with the port unless it is the default; empty
// if the page shows the key.
func (a ask) host() string {
	u, err := url.Parse(a.Redirect)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

// origin returns the scheme and host of the redirect, or an empty string.
func (a ask) origin() string {
	if a.Redirect == "" {
		return ""
	}
	scheme, _, _ := strings.Cut(a.Redirect, ":")
	return strings.ToLower(scheme) + "://" + a.host()
}

// link returns the address of the page with the same request, in a chosen language; empty for
// an empty request.
func (a ask) link(lang string) string {
	if len(a.Permissions) == 0 {
		return ""
	}
	query := url.Values{"permissions": permission.Of(a.Permissions...).Names(), "applicationName": {a.Application}}
	for name, value := range map[string]string{"redirect": a.Redirect, "applicationIdentifier": a.Identifier, kit.LangParam: lang} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return account.ConnectPath + "?" + query.Encode()
}

// PermissionText returns the id of the text that explains a permission in plain words.
func PermissionText(p permission.Permission) string {
	return map[permission.Permission]string{
		permission.ViewInvoices:                  "may.view_invoices",
		permission.CreateInvoice:                 "may.create_invoice",
		permission.ModifyInvoices:                "may.modify_invoices",
		permission.ViewStoreSettings:             "may.view_settings",
		permission.ModifyStoreSettings:           "may.modify_settings",
		permission.ModifyWebhooks:                "may.webhooks",
		permission.ViewPaymentRequests:           "may.view_requests",
		permission.ModifyPaymentRequests:         "may.modify_requests",
		permission.ViewReports:                   "may.view_reports",
		permission.ViewPullPayments:              "may.view_refunds",
		permission.CreateNonApprovedPullPayments: "may.propose_refunds",
		permission.CreatePullPayments:            "may.create_refunds",
		permission.ArchivePullPayments:           "may.archive_refunds",
		permission.ManagePullPayments:            "may.manage_refunds",
		permission.ViewPayouts:                   "may.view_claims",
		permission.ManagePayouts:                 "may.manage_claims",
	}[p]
}

// connectCookie returns the name of the session's cookie. The cookie is valid only for
// connecting.
func (s *Site) connectCookie(r *http.Request) string {
	return web.HostCookie(r, s.PublicURL, "durapay_connect")
}

// errForm reports a form that this service did not issue, that belongs to another visitor, or
// that has expired.
var errForm = errors.New("form that does not count")

// connectSession is the session of a visitor who connects an application. The cookie holds it,
// signed. The database stores only that a login was answered.
type connectSession struct {
	// ID changes after each step of a login.
	ID string `json:"i"`
	// Ends is in Unix seconds.
	Ends int64 `json:"e"`
	// Visitor is nil until the password was given.
	Visitor *Visitor `json:"u,omitempty"`
}

// sealedAsk is the request that a form passes on, with its session and its expiry. It is
// signed, so a client cannot change it.
type sealedAsk struct {
	Ask     ask    `json:"a"`
	Session string `json:"s"`
	Ends    int64  `json:"e"`
}

// newSession begins a session that replaces the previous one.
func (s *Site) newSession(w http.ResponseWriter, r *http.Request, v *Visitor) connectSession {
	sess := connectSession{secret.NewID(""), s.Now().Add(connectTime).Unix(), v}
	s.setSession(w, r, sess)
	return sess
}

// setSession stores a session in the cookie until the session ends.
func (s *Site) setSession(w http.ResponseWriter, r *http.Request, sess connectSession) {
	s.setCookie(w, r, secret.Sign(s.ConnectKey, "session", sess), int(sess.Ends-s.Now().Unix()))
}

// login returns the login of a visitor who has passed all steps.
func (s connectSession) login() Login {
	return Login{*s.Visitor, s.ID, time.Unix(s.Ends, 0)}
}

func (s *Site) setCookie(w http.ResponseWriter, r *http.Request, value string, seconds int) {
	http.SetCookie(w, web.Cookie(s.connectCookie(r), value, "/", seconds, web.HasTLS(r, s.PublicURL)))
}

// dropSession ends the session in this browser.
func (s *Site) dropSession(w http.ResponseWriter, r *http.Request) { s.setCookie(w, r, "", -1) }

// readSession returns the session of a request. It returns false if there is none or it has
// ended.
func (s *Site) readSession(r *http.Request) (connectSession, bool) {
	var sess connectSession
	cookie, err := r.Cookie(s.connectCookie(r))
	if err != nil || !secret.Unsign(s.ConnectKey, "session", cookie.Value, &sess) || s.Now().Unix() >= sess.Ends {
		return connectSession{}, false
	}
	return sess, true
}

// seal returns the signed request for the form of a page. Each page that asks has a grant id
// of its own.
func (s *Site) seal(a ask, sess connectSession) string {
	a.Grant = secret.NewID("")
	return secret.Sign(s.ConnectKey, "ask", sealedAsk{a, sess.ID, s.Now().Add(connectTime).Unix()})
}

// takeStep reads a form and calls do with its request. The form must be from this session and
// not have expired.
func (s *Site) takeStep(w http.ResponseWriter, r *http.Request, do func(a ask, sess connectSession)) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	var sealed sealedAsk
	if err := r.ParseForm(); err != nil || !secret.Unsign(s.ConnectKey, "ask", r.PostForm.Get("request"), &sealed) {
		s.failConnect(w, r, ask{}, errForm)
		return
	}
	sess, ok := s.readSession(r)
	if !ok || sess.ID != sealed.Session || s.Now().Unix() >= sealed.Ends {
		s.failConnect(w, r, sealed.Ask, errForm)
		return
	}
	do(sealed.Ask, sess)
}
