package merchant

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5/middleware"

	"github.com/durapay/durapay/api/greenfield"
)

// unversioned serves /api/v1/… as an alias of /api/…, except for paths of the Greenfield
// surface.
func unversioned(next http.Handler) http.Handler {
	const alias, prefix = "/api/v1/", "/api/"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rest, ok := strings.CutPrefix(r.URL.Path, alias); ok && !greenfield.Owns(r.URL.Path) {
			copied := *r
			copied.URL = new(url.URL)
			*copied.URL = *r.URL
			copied.URL.Path = prefix + rest
			if raw, ok := strings.CutPrefix(r.URL.RawPath, alias); ok {
				copied.URL.RawPath = prefix + raw
			} else {
				copied.URL.RawPath = ""
			}
			r = &copied
		}
		next.ServeHTTP(w, r)
	})
}

// slashless makes the Greenfield surface accept paths with a trailing slash too, as BTCPay
// Server does, because some of its clients send one.
func slashless(next http.Handler) http.Handler {
	stripped := middleware.StripSlashes(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if greenfield.Owns(r.URL.Path) {
			stripped.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}
