package opdesk

import (
	"encoding/hex"
	"fmt"
	"html/template"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/sdk/converter"

	"github.com/durapay/durapay/internal/secret"
)

const (
	codecPath = "/codec/"
	loginPath = "/temporal-login"
)

// ServeTemporal serves Temporal's web UI and the codec that decrypts payloads for it, on the
// worker's internal listener. Both need the same login, because Temporal's own UI has none:
//
//   - every path that has no other handler: the web UI at ui, which no browser reaches by
//     itself; 404 without a ui, 502 while it does not answer
//   - POST /codec/decode and /codec/encode: the codec, for the UI and for the command
//     temporal
//   - /temporal-login: the form that exchanges the token for a cookie
//
// The UI is at the root because releases of it break below a path.
//
// A caller shows the token as bearer, or the cookie: otherwise 401, or the form for a
// person who opens a page. Without a token every call is refused. A page of another origin
// gets 403.
func ServeTemporal(mux *http.ServeMux, codec *secret.PayloadCodec, ui *url.URL, token string, clock func() time.Time) {
	l := temporalLogin{token: token, clock: clock, page: template.Must(template.New("login").Parse(formText))}
	origin := http.NewCrossOriginProtection()
	guard := func(next http.Handler) http.Handler {
		next = origin.Handler(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "no-store")
			w.Header().Set("X-Content-Type-Options", "nosniff")
			next.ServeHTTP(w, r)
		})
	}
	mux.Handle("GET "+loginPath, guard(http.HandlerFunc(l.form)))
	mux.Handle("POST "+loginPath, guard(http.HandlerFunc(l.enter)))
	mux.Handle(codecPath, guard(l.required(decoder(codec))))
	if ui != nil {
		mux.Handle("/", guard(l.required(proxy(ui))))
	}
}

// isPage reports whether a person opens a page, which then leads to the login.
func isPage(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// maxCodecBody bounds a request to the codec in bytes: a page of history as the web UI
// sends it.
const maxCodecBody = 16 << 20

// decoder serves Temporal's remote codec protocol.
func decoder(codec *secret.PayloadCodec) http.Handler {
	next := converter.NewPayloadCodecHTTPHandler(codec.ForDisplay())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxCodecBody)
		next.ServeHTTP(w, r)
	})
}

// csrfCookie is the only cookie of the web UI. It gets no other, because the operators'
// desk and the login have theirs on the same host.
const csrfCookie = "_csrf"

// proxy passes requests on to the web UI.
func proxy(ui *url.URL) http.Handler {
	return &httputil.ReverseProxy{
		Transport: &http.Transport{Proxy: nil, IdleConnTimeout: time.Minute},
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(ui)
			r.Out.Header.Del("Authorization")
			r.Out.Header.Del("Cookie")
			for _, cookie := range r.In.CookiesNamed(csrfCookie) {
				r.Out.AddCookie(cookie)
			}
		},
		ModifyResponse: func(resp *http.Response) error {
			resp.Header.Del("Access-Control-Allow-Origin")
			resp.Header.Del("Access-Control-Allow-Credentials")
			// In addition to the UI's own policy: it shows Markdown in frames of its own.
			resp.Header.Add("Content-Security-Policy", "frame-ancestors 'self'")
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, fmt.Sprintf("Temporal's web UI does not answer: %v", err), http.StatusBadGateway)
		},
	}
}

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
	return until + "." + hex.EncodeToString(secret.Code([]byte(l.token), "login cookie until "+until))
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
func nextPage(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(u.Path, "/") || strings.ContainsAny(u.Path, "\\\r\n") ||
		path.Clean(u.Path) != "/"+strings.Trim(u.Path, "/") {
		return "/"
	}
	return (&url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery}).String()
}
