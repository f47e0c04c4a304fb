package web

import (
	"net/http"
	"strings"
)

// HasTLS reports whether the visitor who sent a request came by TLS, where the service has
// this base URL: an onion service and the internal listener have none.
func HasTLS(r *http.Request, publicURL string) bool {
	host, _, _ := strings.Cut(r.Host, ":")
	return strings.HasPrefix(publicURL, "https://") && !IsOnion(r.Context()) && !IsInternal(r.Context()) && !strings.HasSuffix(strings.ToLower(host), ".onion")
}

// HostCookie is what the cookie of a session is called for a visitor. With TLS its name
// has it set by this very host alone, by TLS, for all paths: a sibling host plants none.
func HostCookie(r *http.Request, publicURL, name string) string {
	if HasTLS(r, publicURL) {
		return "__Host-" + name
	}
	return name
}
