package outbound

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Deadlines of one delivery, from the contract.
const (
	Timeout    = 10 * time.Second
	TorTimeout = 30 * time.Second
)

// maxAnswer is how much of an answer's body is read before it is discarded, in
// bytes.
const maxAnswer = 64 << 10

// Request is one delivery attempt.
type Request struct {
	// URL must have passed CheckURL when it was stored.
	URL string
	// Body is sent byte for byte, as application/json unless Header says else.
	Body   []byte
	Header http.Header
	// UseTor sends through the SOCKS5 proxy.
	UseTor bool
}

// Response is what the receiver answered. Its body is never kept.
type Response struct{ Status int }

// OK says whether the receiver accepted the delivery: any 2xx. A redirect is
// not followed and not accepted.
func (r Response) OK() bool { return r.Status >= 200 && r.Status <= 299 }

// SenderConfig says how a Sender reaches receivers.
type SenderConfig struct {
	Policy Policy
	// SOCKS5Proxy is host:port; without it, deliveries with UseTor fail.
	SOCKS5Proxy string
	// Timeout and TorTimeout replace the constants of that name when not 0.
	Timeout, TorTimeout time.Duration
	// Resolver replaces the system's name servers.
	Resolver *net.Resolver
}

// Sender delivers webhooks. It is safe for concurrent use; deliveries share
// nothing, so that a slow receiver delays its own alone.
type Sender struct {
	direct, proxied *http.Client
}

// NewSender returns a Sender.
func NewSender(c SenderConfig) *Sender {
	direct := Options{Timeout: orDefault(c.Timeout, Timeout), Resolver: c.Resolver}
	proxied := Options{Timeout: orDefault(c.TorTimeout, TorTimeout)}
	return &Sender{
		direct:  NewDirect(c.Policy, direct),
		proxied: NewProxied(c.SOCKS5Proxy, c.Policy, proxied),
	}
}

func orDefault(d, fallback time.Duration) time.Duration {
	if d == 0 {
		return fallback
	}
	return d
}

// Post sends one request and returns the status of the answer. The status
// decides as soon as it arrives; at most 64 KB of the body are then read and
// discarded. ErrForbiddenTarget means that the delivery is to be dropped;
// every other error may pass. The error names no URL; show Describe of it.
func (s *Sender) Post(ctx context.Context, r Request) (Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return Response{}, fmt.Errorf("post: %w", ErrURL)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Durapay")
	maps.Copy(req.Header, r.Header)
	resp, err := s.client(r.UseTor).Do(req)
	if err != nil {
		return Response{}, fmt.Errorf("post: %w", WithoutURL(err))
	}
	defer func() { _ = resp.Body.Close() }()
	// The receiver has answered: what becomes of its body changes nothing.
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswer))
	return Response{Status: resp.StatusCode}, nil
}

func (s *Sender) client(useTor bool) *http.Client {
	if useTor {
		return s.proxied
	}
	return s.direct
}

// WithoutURL drops the outer error of http.Client, whose text is the URL.
func WithoutURL(err error) error {
	if outer, ok := errors.AsType[*url.Error](err); ok {
		return outer.Err
	}
	return err
}
