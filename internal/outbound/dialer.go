package outbound

import (
	"context"
	"fmt"
	"net"
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
		conn, err := d.dialOne(ctx, net.JoinHostPort(a.String(), port), share)
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

func (d *dialer) dialOne(ctx context.Context, target string, timeout time.Duration) (net.Conn, error) {
	dial := net.Dialer{Control: d.control, Timeout: timeout}
	return dial.DialContext(ctx, "tcp", target)
}

// control is called with the address to which the socket is about to connect.
func (d *dialer) control(_, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: not an address", ErrForbiddenTarget)
	}
	return d.policy.Check(target.Addr())
}
