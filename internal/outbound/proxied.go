package outbound

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net"
	"net/http"
	"strings"

	"golang.org/x/net/proxy"
)

// socksDialer connects through a SOCKS5 proxy, which resolves the names.
type socksDialer struct {
	proxyAddr string
	policy    Policy
	password  string
}

// NewProxied returns a client whose every connection goes through the SOCKS5
// proxy at socksAddr (host:port); ErrNoProxy when that is empty. It never
// resolves a target's name and never connects directly. Each target host has
// credentials of its own, by which Tor keeps its circuits apart. A literal
// address is checked by the policy (ErrForbiddenTarget), and so is a name that
// only has a meaning on a private network; what any other name resolves to is
// for the proxy to know.
func NewProxied(socksAddr string, policy Policy, o Options) *http.Client {
	d := &socksDialer{proxyAddr: socksAddr, policy: policy, password: rand.Text()}
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
	socks, err := proxy.SOCKS5("tcp", d.proxyAddr, auth, nil)
	if err != nil {
		return nil, err
	}
	return socks.(proxy.ContextDialer).DialContext(ctx, network, address) //nolint:forcetypeassert // documented
}

// isolation is the user name that stands for a host.
func isolation(host string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(host)))
	return hex.EncodeToString(sum[:16])
}
