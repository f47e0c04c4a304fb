package outbound

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

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
