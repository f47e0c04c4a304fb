package web

import (
	"net/http"
	"strings"
)

// HasTLS reports whether a request came by TLS, at a service with this base URL. The onion
// service and the internal listener have no TLS.
func HasTLS(r *http.Request, publicURL string) bool {
	host, _, _ := strings.Cut(r.Host, ":")
	return strings.HasPrefix(publicURL, "https://") && !IsOnion(r.Context()) && !IsInternal(r.Context()) && !strings.HasSuffix(strings.ToLower(host), ".onion")
}

// HostCookie returns the name of a session's cookie for a visitor. With TLS the prefix __Host-
// makes browsers accept the cookie only from this very host, by TLS and for all paths, so that a
// sibling host cannot plant one.
func HostCookie(r *http.Request, publicURL, name string) string {
	if HasTLS(r, publicURL) {
		return "__Host-" + name
	}
	return name
}
