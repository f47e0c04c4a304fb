package web

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// ClientIP is the address of the client: the peer of the connection, or, when
// that is a trusted proxy, the rightmost address of X-Forwarded-For that is
// not one. What stands further left is the client's own claim.
func ClientIP(r *http.Request, trusted []netip.Prefix) string {
	ip, ok := parseIP(r.RemoteAddr)
	if !ok {
		return r.RemoteAddr
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(ip) }) {
			break
		}
		next, ok := parseIP(strings.TrimSpace(hop))
		if !ok {
			break
		}
		ip = next
	}
	return ip.String()
}

// parseIP reads an address with or without a port.
func parseIP(s string) (netip.Addr, bool) {
	if pair, err := netip.ParseAddrPort(s); err == nil {
		return pair.Addr().Unmap(), true
	}
	ip, err := netip.ParseAddr(s)
	return ip.Unmap(), err == nil
}
