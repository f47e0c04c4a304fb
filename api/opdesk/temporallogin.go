package opdesk

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/secret"
)

const (
	// loginCookie stands for the token, for loginTime.
	loginCookie = "durapay_temporal"
	loginTime   = 12 * time.Hour
	// maxTokenForm bounds the login form in bytes: a link of the UI can be long.
	maxTokenForm = 64 << 10
)

// formText has no script and no link.
const formText = `<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Temporal: log in</title>
<form method="post"><input type="hidden" name="next" value="{{.}}">
<label>Token <input type="password" name="token" autocomplete="current-password" autofocus required></label>
<button>Log in</button></form></html>
`

// temporalLogin knows the token.
type temporalLogin struct {
	token string
	clock func() time.Time
	page  *template.Template
}

// required lets callers through that show the token or its cookie.
func (l temporalLogin) required(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case l.allows(r):
			next.ServeHTTP(w, r)
		case isPage(r):
			http.Redirect(w, r, loginPath+"?"+url.Values{"next": {r.URL.RequestURI()}}.Encode(), http.StatusSeeOther)
		default:
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "log in at "+loginPath+", or send the token as bearer", http.StatusUnauthorized)
		}
	})
}

// allows reports whether the request shows the token or its cookie.
func (l temporalLogin) allows(r *http.Request) bool {
	if l.token == "" {
		return false
	}
	if shown, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); found {
		return l.isToken(shown)
	}
	cookie, err := r.Cookie(loginCookie)
	if err != nil {
		return false
	}
	until, _, _ := strings.Cut(cookie.Value, ".")
	ends, err := strconv.ParseInt(until, 10, 64)
	return err == nil && l.clock().Before(time.Unix(ends, 0)) && secret.Equal([]byte(cookie.Value), []byte(l.cookie(ends)))
}

// isToken compares in constant time and does not reveal the token's length.
func (l temporalLogin) isToken(shown string) bool {
	return l.token != "" && secret.Equal(secret.HashAPIKey(shown), secret.HashAPIKey(l.token))
}

// cookie derives the cookie's value from the token and the end of the login: a new token
// ends every login.
func (l temporalLogin) cookie(ends int64) string {
	until := strconv.FormatInt(ends, 10)
	mac := hmac.New(sha256.New, []byte(l.token))
	_, _ = io.WriteString(mac, "login cookie until "+until) // a hash accepts everything
	return until + "." + hex.EncodeToString(mac.Sum(nil))
}

func (l temporalLogin) form(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", "default-src 'none'; form-action 'self'; frame-ancestors 'none'")
	header.Set("Content-Type", "text/html; charset=utf-8")
	_ = l.page.Execute(w, r.URL.Query().Get("next")) // it fails only when the browser has hung up
}

// enter exchanges the token for the cookie and leads to the page that the person opened,
// or to the UI: 303, or 401.
func (l temporalLogin) enter(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxTokenForm)
	if !l.isToken(strings.TrimSpace(r.PostFormValue("token"))) {
		http.Error(w, "that is not the token", http.StatusUnauthorized)
		return
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // plain HTTP on the loopback interface: a Secure cookie would not come back
		Name: loginCookie, Value: l.cookie(l.clock().Add(loginTime).Unix()), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	w.Header().Set("Location", nextPage(r.PostFormValue("next")))
	w.WriteHeader(http.StatusSeeOther)
}

// nextPage is where a login leads: a page of this listener and nothing else.
func nextPage(wanted string) string {
	u, err := url.Parse(wanted)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(u.Path, "/") || strings.ContainsAny(u.Path, "\\\r\n") ||
		path.Clean(u.Path) != "/"+strings.Trim(u.Path, "/") {
		return "/"
	}
	return (&url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery}).String()
}
