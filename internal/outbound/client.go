package outbound

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

const (
	// tlsHandshakeTimeout is for calls that are not bounded as a whole.
	tlsHandshakeTimeout = 10 * time.Second
	maxHeaderBytes      = 64 << 10
)

// Options of a client.
type Options struct {
	// Timeout bounds a whole call, reading the body included. 0 leaves it to
	// the caller's context; then a connection alone may take 10 seconds.
	Timeout time.Duration
	// Resolver replaces the system's name servers for direct calls.
	Resolver *net.Resolver
}

// NewDirect returns a client that connects by itself, to the addresses that
// the policy allows and to none else (ErrForbiddenTarget). Every call resolves
// the host again and uses a connection of its own, so that calls that hang
// hold up no other call.
func NewDirect(policy Policy, o Options) *http.Client {
	resolver := o.Resolver
	if resolver == nil {
		// Go's own resolver waits without holding a thread.
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
