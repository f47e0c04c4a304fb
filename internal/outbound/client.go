package outbound

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// minDialTime is the minimum time for each address of a host, so that a dead
// address does not use up the time of the next.
const minDialTime = 2 * time.Second

// dialer resolves, checks and connects. It refuses a host if any of its
// addresses is forbidden, and checks each address again when it dials it.
type dialer struct {
	policy   Policy
	resolver *net.Resolver
	// budget bounds one connection, because http.Transport hides the request's
	// deadline from its dialer.
	budget time.Duration
}

// DialContext connects to host:port. It returns ErrForbiddenTarget if the
// policy forbids an address.
func (d *dialer) DialContext(ctx context.Context, _, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	deadline := time.Now().Add(d.budget)
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	addrs, err := d.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	for _, a := range addrs {
		if err := d.policy.Check(a); err != nil {
			return nil, err
		}
	}
	return d.dialFirst(ctx, deadline, addrs, port)
}

// resolve returns the addresses in the order to try. An IPv4 address that the
// URL itself contains in IPv6 form stays in that form, and is refused as such.
func (d *dialer) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr}, nil
	}
	if isOnion(host) {
		return nil, fmt.Errorf("%w: an onion name needs the proxy", ErrForbiddenTarget)
	}
	addrs, err := d.resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	for i := range addrs {
		addrs[i] = addrs[i].Unmap()
	}
	return addrs, nil
}

// dialFirst tries the addresses in turn. If all fail, it returns the first
// error.
func (d *dialer) dialFirst(
	ctx context.Context, deadline time.Time, addrs []netip.Addr, port string,
) (net.Conn, error) {
	var firstErr error
	for i, a := range addrs {
		share := max(time.Until(deadline)/time.Duration(len(addrs)-i), minDialTime)
		dial := net.Dialer{Control: d.control, Timeout: share}
		conn, err := dial.DialContext(ctx, "tcp", net.JoinHostPort(a.String(), port))
		if err == nil {
			return conn, nil
		}
		if firstErr == nil {
			firstErr = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, firstErr
}

// control is called with the address to which the socket is about to connect.
func (d *dialer) control(_, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: not an address", ErrForbiddenTarget)
	}
	return d.policy.Check(target.Addr())
}

const (
	// tlsHandshakeTimeout is for calls without a timeout for the whole call.
	tlsHandshakeTimeout = 10 * time.Second
	maxHeaderBytes      = 64 << 10
)

// Options of a client.
type Options struct {
	// Timeout bounds a whole call, including the reading of the body. With 0, only
	// the caller's context bounds the call, and a connection may take at most 10
	// seconds.
	Timeout time.Duration
	// Resolver replaces the system's name servers for direct calls.
	Resolver *net.Resolver
}

// NewDirect returns a client that connects directly, and only to addresses that
// the policy allows. For all else it returns ErrForbiddenTarget. Every call
// resolves the host again and uses its own connection, so a call that hangs
// does not delay other calls.
func NewDirect(policy Policy, o Options) *http.Client {
	resolver := o.Resolver
	if resolver == nil {
		// Go's own resolver does not block a thread while it waits.
		resolver = &net.Resolver{PreferGo: true}
	}
	d := &dialer{policy: policy, resolver: resolver, budget: orDefault(o.Timeout, Timeout)}
	return newClient(d.DialContext, o.Timeout)
}

func newClient(
	dial func(ctx context.Context, network, address string) (net.Conn, error), timeout time.Duration,
) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DialContext:            dial,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    orDefault(timeout, tlsHandshakeTimeout),
			DisableKeepAlives:      true,
			DisableCompression:     true,
			MaxResponseHeaderBytes: maxHeaderBytes,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       timeout,
	}
}
