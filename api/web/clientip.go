package web

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// clientNet is the number of bits of an IPv6 address that distinguish clients. A client that has
// one address of such a network has all of them.
const clientNet = 64

// ClientIP names the client by its address: an IPv4 address, or the network of an IPv6 address.
// A client that came through Tor has no address and is named by its circuit.
func ClientIP(r *http.Request, trusted []netip.Prefix) string {
	if circuit, ok := Circuit(r); ok {
		return circuit
	}
	ip, ok := ClientAddr(r, trusted)
	if !ok {
		return r.RemoteAddr
	}
	if !ip.Is6() {
		return ip.String()
	}
	if net, err := ip.Prefix(clientNet); err == nil {
		return net.String()
	}
	return ip.String()
}

// ClientAddr returns the address of the client. It is the peer of the connection. If the peer is
// a trusted proxy, it is the rightmost address of X-Forwarded-For that is not a trusted proxy's.
// The addresses to the left of it are only the client's own claim.
func ClientAddr(r *http.Request, trusted []netip.Prefix) (netip.Addr, bool) {
	ip, ok := ParseIP(r.RemoteAddr)
	if !ok {
		return ip, false
	}
	forwarded := r.Header.Values("X-Forwarded-For")
	if len(forwarded) == 0 {
		return ip, true
	}
	hops := strings.Split(strings.Join(forwarded, ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(ip) }) {
			break
		}
		next, ok := ParseIP(strings.TrimSpace(hop))
		if !ok {
			break
		}
		ip = next
	}
	return ip, true
}

// ParseIP reads an address with or without a port.
func ParseIP(s string) (netip.Addr, bool) {
	if pair, err := netip.ParseAddrPort(s); err == nil {
		return pair.Addr().Unmap(), true
	}
	ip, err := netip.ParseAddr(s)
	return ip.Unmap(), err == nil
}
