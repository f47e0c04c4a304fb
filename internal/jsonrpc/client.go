package jsonrpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/sony/gobreaker/v2"
	"golang.org/x/sync/semaphore"
)

// maxAnswer bounds the size of an answer in bytes. Thousands of payments fit.
const maxAnswer = 64 << 20

// Process is the process that a client calls.
type Process struct {
	// Name begins the text of every error, such as "monero".
	Name string
	// URL is the base URL, without credentials.
	URL string
	// HTTP makes the requests, with the authentication that the process needs. It
	// must not follow redirects.
	HTTP *http.Client
	// Serial sends only one call at a time to the process, so a call's deadline
	// does not include the calls before it.
	Serial bool
	// Answers reports whether an HTTP status other than 200 carries an answer in
	// its body.
	Answers func(status int) bool
	// Unavailable, Login and Response are the errors for a process that could not
	// be reached, that refused the login, and whose answer could not be read.
	Unavailable, Login, Response error
	// Meaning returns an error variable of the process's package for an error in an
	// answer, or nil if there is none.
	Meaning func(code int, message string) error
	// Secret matches the addresses in messages. They are blanked, because errors end up
	// in logs.
	Secret *regexp.Regexp
}

// Client calls one process. It is safe for concurrent use.
type Client struct {
	process Process
	options Options
	breaker *gobreaker.CircuitBreaker[[]byte]
	// turn admits one call at a time; nil admits all.
	turn *semaphore.Weighted
}

// Call describes one request. A Safe call only reads, or has the same effect
// when it is made twice. A Long call gets LongTimeout. An Endless call has no
// deadline but that of its context.
type Call struct {
	Method              string
	Params              any
	Safe, Long, Endless bool
}

// answerError is an error in the answer of a process.
type answerError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// New makes a client. It does not call the process yet.
func New(p Process, o Options) *Client {
	o = o.withDefaults()
	p.URL = strings.TrimSuffix(p.URL, "/")
	c := &Client{process: p, options: o, breaker: newBreaker(p, o)}
	if p.Serial {
		c.turn = semaphore.NewWeighted(1)
	}
	return c
}

// newBreaker counts failures of the transport. An error in an answer does not
// count, because it shows that the process is running. A call that its caller
// cancelled counts neither way.
func newBreaker(p Process, o Options) *gobreaker.CircuitBreaker[[]byte] {
	return gobreaker.NewCircuitBreaker[[]byte](gobreaker.Settings{
		Timeout:      o.BreakerPause,
		ReadyToTrip:  func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= o.BreakerFailures },
		IsSuccessful: func(err error) bool { return err == nil || errors.Is(err, p.Login) },
		IsExcluded:   func(err error) bool { return errors.Is(err, context.Canceled) },
	})
}

// Close drops idle connections. The client can still be used.
func (c *Client) Close() { c.process.HTTP.CloseIdleConnections() }

// RPC makes a JSON-RPC call to a path and decodes its result into out, unless
// out is nil.
func (c *Client) RPC(ctx context.Context, k Call, path string, out any) error {
	answer, err := c.Post(ctx, k, path, map[string]any{
		"jsonrpc": "2.0", "id": "0", "method": k.Method, "params": k.Params,
	})
	if err != nil {
		return err
	}
	var envelope struct {
		Result json.RawMessage `json:"result"`
		Error  *answerError    `json:"error"`
	}
	if err := c.Decode(k, answer, &envelope); err != nil {
		return err
	}
	if envelope.Error != nil {
		return c.Refusal(k.Method, envelope.Error.Code, envelope.Error.Message)
	}
	if out == nil {
		return nil
	}
	if len(envelope.Result) == 0 {
		return fmt.Errorf("%w: %s", c.process.Response, k.Method)
	}
	if raw, ok := out.(*json.RawMessage); ok { // saves decoding a long answer a second time
		*raw = envelope.Result
		return nil
	}
	return c.Decode(k, envelope.Result, out)
}

// Refusal returns the error for an error in the answer to a method.
func (c *Client) Refusal(method string, code int, message string) *MethodError {
	e := &MethodError{Process: c.process.Name, Method: method, Code: code, Message: message}
	if c.process.Meaning != nil {
		e.Meaning = c.process.Meaning(code, message)
	}
	if c.process.Secret != nil {
		e.Message = c.process.Secret.ReplaceAllString(message, "[address]")
	}
	return e
}

// Batch calls the method once for each of the params, in one request. It
// returns the errors in the answers in the order of the params; nil for a success.
func (c *Client) Batch(ctx context.Context, k Call, path string, params []any) ([]error, error) {
	calls := make([]map[string]any, len(params))
	for i, p := range params {
		calls[i] = map[string]any{"jsonrpc": "2.0", "id": i, "method": k.Method, "params": p}
	}
	answer, err := c.Post(ctx, k, path, calls)
	if err != nil {
		return nil, err
	}
	var list []struct {
		ID    int          `json:"id"`
		Error *answerError `json:"error"`
	}
	if err := c.Decode(k, answer, &list); err != nil {
		return nil, err
	}
	results, answered := make([]error, len(params)), make([]bool, len(params))
	for _, one := range list {
		if one.ID < 0 || one.ID >= len(params) || answered[one.ID] {
			return nil, fmt.Errorf("%w: %s", c.process.Response, k.Method)
		}
		if answered[one.ID] = true; one.Error != nil {
			results[one.ID] = c.Refusal(k.Method, one.Error.Code, one.Error.Message)
		}
	}
	if slices.Contains(answered, false) {
		return nil, fmt.Errorf("%w: %s", c.process.Response, k.Method)
	}
	return results, nil
}

// Decode reads an answer. It returns the process's Response error if the answer
// cannot be read.
func (c *Client) Decode(k Call, answer []byte, out any) error {
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("%w: %s", c.process.Response, k.Method)
	}
	return nil
}

// Post posts body as JSON and returns the answer. It repeats a safe call once
// if its connection broke.
func (c *Client) Post(ctx context.Context, k Call, path string, body any) ([]byte, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", c.process.Name, k.Method, err)
	}
	if c.turn != nil {
		if err := c.turn.Acquire(ctx, 1); err != nil {
			return nil, c.failure(ctx, k, err)
		}
		defer c.turn.Release(1)
	}
	answer, err := c.attempt(ctx, k, path, raw)
	if err != nil && k.Safe && isBrokenConnection(err) && pause(ctx, c.options.RetryPause) {
		answer, err = c.attempt(ctx, k, path, raw)
	}
	c.options.Observe(k.Method, err)
	return answer, c.failure(ctx, k, err)
}

func (c *Client) attempt(ctx context.Context, k Call, path string, body []byte) ([]byte, error) {
	return c.breaker.Execute(func() ([]byte, error) {
		ctx, cancel := c.bounded(ctx, k)
		defer cancel()
		return c.send(ctx, path, body)
	})
}

func (c *Client) bounded(ctx context.Context, k Call) (context.Context, context.CancelFunc) {
	switch {
	case k.Endless:
		return context.WithCancel(ctx)
	case k.Long:
		return context.WithTimeout(ctx, c.options.LongTimeout)
	default:
		return context.WithTimeout(ctx, c.options.CallTimeout)
	}
}

func (c *Client) send(ctx context.Context, path string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.process.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, withoutURL(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.process.HTTP.Do(req)
	if err != nil {
		return nil, withoutURL(err)
	}
	defer func() { _ = resp.Body.Close() }()
	switch {
	case resp.StatusCode == http.StatusOK, c.process.Answers != nil && c.process.Answers(resp.StatusCode):
	case resp.StatusCode == http.StatusUnauthorized:
		return nil, c.process.Login
	default:
		return nil, fmt.Errorf("HTTP status %d", resp.StatusCode)
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if len(answer) > maxAnswer {
		return nil, c.process.Response
	}
	return answer, err
}

// failure adds the name of the call to an error and decides which errors mean
// that the process is unavailable.
func (c *Client) failure(ctx context.Context, k Call, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("%s: %s: %w", c.process.Name, k.Method, ctx.Err())
	case errors.Is(err, c.process.Login), errors.Is(err, c.process.Response):
		return fmt.Errorf("%w: %s", err, k.Method)
	}
	return fmt.Errorf("%w: %s: %w", c.process.Unavailable, k.Method, err)
}

func isBrokenConnection(err error) bool {
	broken := []error{syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE, io.EOF, io.ErrUnexpectedEOF}
	return slices.ContainsFunc(broken, func(e error) bool { return errors.Is(err, e) })
}

// withoutURL removes the URL from an HTTP error, because it may carry
// credentials.
func withoutURL(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// pause waits for d. It returns false if the context ended first.
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
