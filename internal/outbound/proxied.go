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
	// budget bounds one connection, because http.Transport lets a dial continue
	// after its call has ended, and a proxy may stay silent for ever.
	budget time.Duration
}

// NewProxied returns a client whose every connection goes through the SOCKS5
// proxy at socksAddr (host:port). Without socksAddr, calls fail with
// ErrNoProxy. The client never resolves a target's name and never connects
// directly. Each target host has its own credentials, by which Tor separates
// its circuits.
//
// The policy checks a literal address (ErrForbiddenTarget). Names that only
// have a meaning on a private network are refused too. The proxy alone resolves
// all other names.
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

// toProxy connects to the proxy. It resolves the proxy's own name directly.
type toProxy struct{}

// DialContext connects to the proxy. It returns ErrProxyDown if the proxy does
// not accept the connection.
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

// isolation returns the user name for a host.
func isolation(host string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(host)))
	return hex.EncodeToString(sum[:16])
}
