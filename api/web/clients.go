package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/pires/go-proxyproto"
)

// Together is the name of all circuits where they are counted as one client.
const Together = "circuits"

// circuitLineTime is how long Tor's line may take. Tor sends the line first, so only Tor itself,
// on a busy machine, can be slow with it.
const circuitLineTime = 30 * time.Second

// circuitNet is the network of the addresses that Tor computes from the numbers of its circuits
// (HiddenServiceExportCircuitID haproxy). It is in a private range, so no other client has such
// an address.
func circuitNet() netip.Prefix { return netip.MustParsePrefix("fc00:dead:beef:4dad::/64") }

// ListenOnion returns a listener for Tor alone. Each connection must begin with the line of the
// PROXY protocol, version 1, in which Tor writes the circuit of the visitor. A connection
// without that line, or with a different one, is closed without an answer.
func ListenOnion(listener net.Listener) net.Listener {
	return &proxyproto.Listener{
		Listener: listener, ReadHeaderTimeout: circuitLineTime, ValidateHeader: checkCircuit,
		ConnPolicy: func(proxyproto.ConnPolicyOptions) (proxyproto.Policy, error) { return proxyproto.REQUIRE, nil },
	}
}

// checkCircuit refuses lines that Tor would not write.
func checkCircuit(h *proxyproto.Header) error {
	if h.Version != 1 || h.SourceAddr == nil {
		return errors.New("not a line of Tor's")
	}
	from, ok := ParseIP(h.SourceAddr.String())
	if !ok || !circuitNet().Contains(from) {
		return fmt.Errorf("%s is not a circuit", h.SourceAddr)
	}
	return nil
}

// throughOnion is the context key that marks connections to the onion listener.
type throughOnion struct{}

// OnionContext marks a connection of the onion listener. It is used as http.Server.ConnContext.
func OnionContext(ctx context.Context, _ net.Conn) context.Context {
	return context.WithValue(ctx, throughOnion{}, true)
}

// Circuit returns the name of the Tor circuit that a request came through, if it came to the
// onion listener. A visitor can open any number of circuits. So every count by circuit needs a
// second limit for all of them Together.
func Circuit(r *http.Request) (name string, ok bool) {
	if r.Context().Value(throughOnion{}) == nil {
		return "", false
	}
	ip, ok := ParseIP(r.RemoteAddr)
	return "circuit " + ip.String(), ok
}

// throughInternal is the context key that marks requests to the internal listener.
type throughInternal struct{}

// Internal marks the requests that handler gets as requests to the internal listener, which is
// not public.
func Internal(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), throughInternal{}, true)))
	})
}

// IsInternal reports whether a request came to the internal listener.
func IsInternal(ctx context.Context) bool { return ctx.Value(throughInternal{}) != nil }

// IsOnion reports whether a request came to the onion listener.
func IsOnion(ctx context.Context) bool { return ctx.Value(throughOnion{}) != nil }

// HasTLS reports whether a request came by TLS, at a service with this base URL. The onion
// service and the internal listener have no TLS.
func HasTLS(r *http.Request, publicURL string) bool {
	host, _, _ := strings.Cut(r.Host, ":")
	return strings.HasPrefix(publicURL, "https://") && !IsOnion(r.Context()) && !IsInternal(r.Context()) && !strings.HasSuffix(strings.ToLower(host), ".onion")
}

// Cookie returns a cookie that scripts cannot read, for some paths and seconds. A negative number of
// seconds removes it. secure is set where the browser uses TLS; without TLS it would not send the
// cookie back.
func Cookie(name, value, path string, seconds int, secure bool) *http.Cookie {
	return &http.Cookie{Name: name, Value: value, Path: path, MaxAge: seconds, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: secure} //nolint:gosec // secure is up to the connection
}

// CameByTLS reports whether a request came by TLS, to this service or to a proxy in front of it.
func CameByTLS(r *http.Request) bool {
	return r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"
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
