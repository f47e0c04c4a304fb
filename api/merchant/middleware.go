package merchant

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/durapay/durapay/api/greenfield"
)

// unversioned serves /api/v1/… as what it is an alias of, /api/…, where it is not
// the Greenfield surface's.
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
