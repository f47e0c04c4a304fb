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

// keptAnswer is the number of bytes of an answer's body that Post returns.
const keptAnswer = 1 << 10

// maxAnswer is the number of further bytes of an answer's body that Post reads
// and discards.
const maxAnswer = 64 << 10

// Request is one delivery attempt.
type Request struct {
	// URL must have passed CheckURL when it was stored.
	URL string
	// Body is sent byte for byte, as application/json unless Header has another
	// Content-Type.
	Body   []byte
	Header http.Header
	// UseTor sends through the SOCKS5 proxy.
	UseTor bool
}

// Response is the receiver's answer.
type Response struct {
	Status int
	// Answer is the beginning of the body, at most 1 KiB.
	Answer []byte
}

// OK reports whether the receiver accepted the delivery with any 2xx status. A
// redirect is neither followed nor accepted.
func (r Response) OK() bool { return r.Status >= 200 && r.Status <= 299 }

// SenderConfig configures how a Sender reaches receivers.
type SenderConfig struct {
	Policy Policy
	// SOCKS5Proxy is host:port; without it, deliveries with UseTor fail.
	SOCKS5Proxy string
	// Timeout and TorTimeout replace the constants of the same name unless they are
	// 0.
	Timeout, TorTimeout time.Duration
	// Resolver replaces the system's name servers.
	Resolver *net.Resolver
}

// Sender delivers webhooks. It is safe for concurrent use. Deliveries share
// nothing, so a slow receiver only delays its own.
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

// Post sends one request and returns the status of the answer. The status alone
// determines the result, as soon as it arrives. Post then returns the first KiB
// of the body and discards at most 64 KiB more. ErrForbiddenTarget means that
// the delivery must be dropped; all other errors may be temporary. The error
// contains no URL. To show it, use Describe.
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
	// The receiver has answered, so an error in the body changes nothing.
	answer, _ := io.ReadAll(io.LimitReader(resp.Body, keptAnswer))
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswer))
	return Response{Status: resp.StatusCode, Answer: answer}, nil
}

func (s *Sender) client(useTor bool) *http.Client {
	if useTor {
		return s.proxied
	}
	return s.direct
}

// WithoutURL removes the outer error of http.Client, whose text contains the
// URL.
func WithoutURL(err error) error {
	if outer, ok := errors.AsType[*url.Error](err); ok {
		return outer.Err
	}
	return err
}
