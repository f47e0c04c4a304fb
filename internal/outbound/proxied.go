package outbound

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"golang.org/x/net/proxy"
)

// socksDialer connects through a SOCKS5 proxy, which resolves the names.
type socksDialer struct {
	proxyAddr string
	policy    Policy
	password  string
	// budget bounds one connection: http.Transport lets a dial go on when its
	// call has ended, and a proxy may say nothing for ever.
	budget time.Duration
}

// NewProxied returns a client whose every connection goes through the SOCKS5
// proxy at socksAddr (host:port); ErrNoProxy when that is empty. It never
// resolves a target's name and never connects directly. Each target host has
// credentials of its own, by which Tor keeps its circuits apart. A literal
// address is checked by the policy (ErrForbiddenTarget), and so is a name that
// only has a meaning on a private network; what any other name resolves to is
// for the proxy to know.
func NewProxied(socksAddr string, policy Policy, o Options) *http.Client {
	d := &socksDialer{proxyAddr: socksAddr, policy: policy, password: rand.Text(), budget: orDefault(o.Timeout, TorTimeout)}
	return newClient(d.DialContext, o.Timeout)
}

// DialContext asks the proxy for a connection to host:port.
func (d *socksDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if d.proxyAddr == "" {
		return nil, ErrNoProxy
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if err := checkProxiedHost(d.policy, host); err != nil {
		return nil, err
	}
	auth := &proxy.Auth{User: isolation(host), Password: d.password}
	socks, err := proxy.SOCKS5("tcp", d.proxyAddr, auth, toProxy{})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, d.budget)
	defer cancel()
	return socks.(proxy.ContextDialer).DialContext(ctx, network, address) //nolint:forcetypeassert // documented
}

// toProxy connects to the proxy, whose own name is resolved here.
type toProxy struct{}

// DialContext connects to the proxy; ErrProxyDown when it does not take the
// connection.
func (toProxy) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrProxyDown, err)
	}
	return conn, nil
}

// Dial is DialContext without a context.
func (p toProxy) Dial(network, address string) (net.Conn, error) {
	return p.DialContext(context.Background(), network, address)
}

// isolation is the user name that stands for a host.
func isolation(host string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(host)))
	return hex.EncodeToString(sum[:16])
}
