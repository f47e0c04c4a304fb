package opdesk

import (
	"fmt"
	"html/template"
	"net/http"
	"net/http/httputil"
	"net/url"
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
// person who opens a page. Without a token nobody may call. A page of another origin
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
