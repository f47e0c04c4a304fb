package temporalui

import (
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"
)

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
