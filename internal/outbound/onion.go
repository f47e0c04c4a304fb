package outbound

import (
	"net/url"
	"strings"
)

// IsOnion reports whether a URL leads to an onion service.
func IsOnion(target string) bool {
	u, err := url.Parse(target)
	return err == nil && strings.HasSuffix(strings.ToLower(strings.TrimSuffix(u.Hostname(), ".")), ".onion")
}
