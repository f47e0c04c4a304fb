package monero

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/icholy/digest"
	"github.com/sony/gobreaker/v2"
)

// maxAnswer bounds what is read of an answer: thousands of transfers fit.
const maxAnswer = 64 << 20

// client calls one process. It is safe for concurrent use.
type client struct {
	url     string
	http    *http.Client
	options Options
	breaker *gobreaker.CircuitBreaker[[]byte]
	meaning meanings
	// turn admits one call at a time; nil admits all.
	turn chan struct{}
}

// call is one request. A safe one only reads, so it may be made twice; a long
// one gets LongTimeout.
type call struct {
	method     string
	params     any
	safe, long bool
}

// newClient makes a client. A serial process is asked one thing at a time, so
// that a call's deadline measures the call and not those before it. So is one
// with a login: the processes bind a digest nonce and its counter to one
// connection.
func newClient(at Endpoint, o Options, m meanings, serial bool) *client {
	o = o.withDefaults()
	c := &client{
		url:     strings.TrimSuffix(at.URL, "/"),
		http:    newHTTPClient(at.Login),
		options: o,
		breaker: newBreaker(o),
		meaning: m,
	}
	if serial || at.Login != "" {
		c.turn = make(chan struct{}, 1)
	}
	return c
}

func newHTTPClient(login string) *http.Client {
	transport := &http.Transport{MaxIdleConnsPerHost: 8, IdleConnTimeout: time.Minute}
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if login == "" {
		return &http.Client{Transport: transport, CheckRedirect: refuse}
	}
	user, password, _ := strings.Cut(login, ":")
	transport.MaxConnsPerHost = 1
	auth := &digest.Transport{Username: user, Password: password, Transport: transport}
	return &http.Client{Transport: auth, CheckRedirect: refuse}
}

// newBreaker counts what the transport did: an error that the process
// answered shows that it lives, and a caller that went away shows nothing.
func newBreaker(o Options) *gobreaker.CircuitBreaker[[]byte] {
	return gobreaker.NewCircuitBreaker[[]byte](gobreaker.Settings{
		Timeout:      o.BreakerPause,
		ReadyToTrip:  func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= o.BreakerFailures },
		IsSuccessful: func(err error) bool { return err == nil || errors.Is(err, ErrLogin) },
		IsExcluded:   func(err error) bool { return errors.Is(err, context.Canceled) },
	})
}

func (c *client) close() { c.http.CloseIdleConnections() }

// rpc makes a JSON-RPC call and decodes its result into out, unless nil.
func (c *client) rpc(ctx context.Context, k call, out any) error {
	params := k.params
	if params == nil {
		params = struct{}{}
	}
	answer, err := c.exchange(ctx, k, "/json_rpc", map[string]any{
		"jsonrpc": "2.0", "id": "0", "method": k.method, "params": params,
	})
	if err != nil {
		return err
	}
	var envelope struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := decode(k, answer, &envelope); err != nil {
		return err
	}
	if e := envelope.Error; e != nil {
		return newRPCError(k.method, e.Code, e.Message, c.meaning)
	}
	if out == nil {
		return nil
	}
	// An empty list is told from no answer: without one, nothing is known.
	if len(envelope.Result) == 0 || envelope.Result[0] != '{' {
		return fmt.Errorf("%w: %s", ErrResponse, k.method)
	}
	return decode(k, envelope.Result, out)
}

// path calls an endpoint of its own path, whose answer has no envelope.
func (c *client) path(ctx context.Context, k call, out any) error {
	answer, err := c.exchange(ctx, k, "/"+k.method, k.params)
	if err != nil {
		return err
	}
	return decode(k, answer, out)
}

func decode(k call, answer []byte, out any) error {
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("%w: %s", ErrResponse, k.method)
	}
	return nil
}

// exchange posts body and returns the answer. A safe call whose connection
// broke is made once more.
func (c *client) exchange(ctx context.Context, k call, path string, body any) ([]byte, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("monero: %s: %w", k.method, err)
	}
	if err := c.enter(ctx); err != nil {
		return nil, failure(ctx, k, err)
	}
	defer c.leave()
	answer, err := c.attempt(ctx, k, path, raw)
	if err != nil && k.safe && isBrokenConnection(err) && pause(ctx, c.options.RetryPause) {
		answer, err = c.attempt(ctx, k, path, raw)
	}
	c.options.Observe(k.method, err)
	return answer, failure(ctx, k, err)
}

func (c *client) enter(ctx context.Context) error {
	if c.turn == nil {
		return nil
	}
	select {
	case c.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *client) leave() {
	if c.turn != nil {
		<-c.turn
	}
}

func (c *client) attempt(ctx context.Context, k call, path string, body []byte) ([]byte, error) {
	timeout := c.options.CallTimeout
	if k.long {
		timeout = c.options.LongTimeout
	}
	return c.breaker.Execute(func() ([]byte, error) {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		return c.send(ctx, path, body)
	})
}

func (c *client) send(ctx context.Context, path string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, withoutURL(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, withoutURL(err)
	}
	defer func() { _ = resp.Body.Close() }()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusUnauthorized:
		return nil, ErrLogin
	default:
		return nil, fmt.Errorf("HTTP status %d", resp.StatusCode)
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if len(answer) > maxAnswer {
		return nil, ErrResponse
	}
	return answer, err
}

// failure names the call and says which errors mean that the process could
// not be asked.
func failure(ctx context.Context, k call, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("monero: %s: %w", k.method, ctx.Err())
	case errors.Is(err, ErrLogin), errors.Is(err, ErrResponse):
		return fmt.Errorf("%w: %s", err, k.method)
	}
	return fmt.Errorf("%w: %s: %w", ErrUnavailable, k.method, err)
}

func isBrokenConnection(err error) bool {
	for _, broken := range []error{
		syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE, io.EOF, io.ErrUnexpectedEOF,
	} {
		if errors.Is(err, broken) {
			return true
		}
	}
	return false
}

// withoutURL drops the URL, which may carry credentials, from an HTTP error.
func withoutURL(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// pause waits; false when the context ended first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
