// Package temporalui serves operators Temporal's web UI and the codec that decrypts
// payloads for it. Both need the same login, because Temporal's own UI has none.
package temporalui

import (
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"github.com/durapay/durapay/internal/secret"
)

// Root is the path of the web UI, which is started with it as its public path.
const Root = "/temporal"

const (
	codecPath = "/codec"
	loginPath = "/temporal-login"
)

// Handler serves on the worker's internal listener:
//
//   - /temporal/…: the web UI at ui, which the browser never reaches by itself; 404
//     without a ui, 502 while it does not answer
//   - POST /codec/decode and /codec/encode: the codec, for the UI and for the command
//     temporal
//   - /temporal-login: the form that exchanges the token for a cookie
//
// A caller shows the token as bearer, or the cookie: otherwise 401, or the form for a
// person who opens a page. Without a token nobody may call. A page of another origin
// gets 403.
func Handler(codec *secret.PayloadCodec, ui *url.URL, token string) http.Handler {
	l := login{token: token, page: template.Must(template.New("login").Parse(formText))}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+loginPath, l.form)
	mux.HandleFunc("POST "+loginPath, l.enter)
	mux.Handle(codecPath+"/", l.required(decoder(codec)))
	if ui != nil {
		mux.Handle(Root+"/", l.required(proxy(ui)))
	}
	guarded := http.NewCrossOriginProtection().Handler(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		guarded.ServeHTTP(w, r)
	})
}

// Paths are where Handler serves.
func Paths() []string { return []string{Root + "/", codecPath + "/", loginPath} }

// isPage reports whether a person opens a page, which then leads to the login.
func isPage(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html")
}
