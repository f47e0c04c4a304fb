package adapter

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/provider"
)

const (
	// callTime bounds one call.
	callTime = 15 * time.Second
	// maxBody bounds an answer, in bytes.
	maxBody = 1 << 20
)

// Client calls one provider. Its calls have a deadline, a limit on the size of the
// answer and the headers of an ordinary browser. They go directly or through a SOCKS5
// proxy. The client knows whether a failed request may have arrived, which determines
// if a caller may repeat an order.
type Client struct {
	// HTTP is made by internal/outbound.
	HTTP *http.Client
	// Base is the URL to which paths are appended, without a trailing slash.
	Base string
	// UserAgent is the User-Agent header, which should be a browser's. If it is empty,
	// no such header is sent.
	UserAgent string
	// Header has the provider's key, if it requires one.
	Header http.Header
}

// request is one call. Its body is sent as JSON; a nil body sends none. header has the
// headers of this request in addition to the client's.
type request struct {
	method, path string
	query        url.Values
	header       http.Header
	body         any
}

func get(path string, query url.Values) request {
	return request{method: http.MethodGet, path: path, query: query}
}

func post(path string, body any) request {
	return request{method: http.MethodPost, path: path, body: body}
}

// answer is the provider's answer: a success, or a refusal of this request.
type answer struct {
	status int
	body   []byte
}

func (a answer) ok() bool { return a.status >= 200 && a.status < 300 }

// decode reads the body's JSON, and reports whether the body has this form.
func (a answer) decode(into any) bool { return json.Unmarshal(a.body, into) == nil }

// into reads the body of a success. It returns an error of package provider if the
// body has another form.
func (a answer) into(value any, kind error) error {
	if !a.decode(value) {
		return fmt.Errorf("%w: %w", kind, errAnswer)
	}
	return nil
}

// refused returns the provider's reason for refusing a request. It returns nil if
// an answer is not in the provider's own format, because it may come from a proxy
// that does not know what the provider did.
type refused func(answer) error

// read makes a call that changes nothing and reads its answer. Every failure, on the
// way or at the provider, is provider.ErrUnavailable, also an answer that is not in
// the provider's format.
func (c *Client) read(ctx context.Context, call request, into any, refused refused) error {
	reply, _, err := c.do(ctx, call)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", provider.ErrUnavailable, err)
	case reply.ok():
		return reply.into(into, provider.ErrUnavailable)
	case reply.refusal():
		return cmp.Or(refused(reply), reply.as(provider.ErrUnavailable))
	}
	return reply.as(provider.ErrUnavailable)
}

// place makes a call that creates something and reads its answer. The call is sent
// only once. place returns provider.ErrUnavailable if nothing was created: either
// no connection was made, or the provider rejected the caller. It returns the
// error of refused if the provider has refused the request, which some providers do
// with status 503. In all other cases it returns provider.ErrUncertain, also for an
// answer that is not in the provider's format.
func (c *Client) place(ctx context.Context, call request, into any, refused refused) error {
	reply, connected, err := c.do(ctx, call)
	switch {
	case err != nil && !connected:
		return fmt.Errorf("%w: %w", provider.ErrUnavailable, err)
	case err != nil:
		return fmt.Errorf("%w: %w", provider.ErrUncertain, err)
	case reply.turnedAway():
		return reply.as(provider.ErrUnavailable)
	case reply.ok():
		return reply.into(into, provider.ErrUncertain)
	case reply.refusal(), reply.status == http.StatusServiceUnavailable:
		return cmp.Or(refused(reply), reply.as(provider.ErrUncertain))
	}
	return reply.as(provider.ErrUncertain)
}

// as returns an error of package provider for an answer without a reason.
func (a answer) as(kind error) error { return fmt.Errorf("%w: status %d", kind, a.status) }

// turnedAway reports whether the provider rejected the caller without processing
// the request.
func (a answer) turnedAway() bool {
	switch a.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		return true
	}
	return false
}

// refusal reports whether the provider processed the request and refused it.
func (a answer) refusal() bool {
	return a.status >= 400 && a.status < 500 && !a.turnedAway() && a.status != http.StatusRequestTimeout
}

// do makes the call. connected reports whether there was a connection: if not, the
// request cannot have arrived. The errors contain no URL.
func (c *Client) do(ctx context.Context, call request) (reply answer, connected bool, err error) {
	var gotConn atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { gotConn.Store(true) }})
	req, err := c.prepare(ctx, call)
	if err != nil {
		return answer{}, false, err
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return answer{}, gotConn.Load(), describe(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return answer{}, true, describe(err)
	}
	if len(body) > maxBody {
		return answer{}, true, errAnswer
	}
	return answer{status: resp.StatusCode, body: body}, true, nil
}

func (c *Client) prepare(ctx context.Context, call request) (*http.Request, error) {
	target := strings.TrimSuffix(c.Base, "/") + call.path
	if len(call.query) > 0 {
		target += "?" + call.query.Encode()
	}
	var body io.Reader
	if call.body != nil {
		b, err := json.Marshal(call.body)
		if err != nil {
			return nil, fmt.Errorf("request: %w", err)
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, call.method, target, body)
	if err != nil {
		return nil, fmt.Errorf("request: %w", outbound.WithoutURL(err))
	}
	maps.Copy(req.Header, c.Header)
	maps.Copy(req.Header, call.header)
	req.Header.Set("User-Agent", c.UserAgent)
	req.Header.Set("Accept", "application/json, text/plain, */*")
	req.Header.Set("Accept-Language", "en-US,en;q=0.5")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// errAnswer means that an answer does not have the agreed form.
var errAnswer = errors.New("unusable answer")

// callError hides the text of a failed call, because it contains addresses. It
// keeps the cause for errors.Is.
type callError struct{ cause error }

func (e callError) Error() string { return outbound.Describe(e.cause) }

func (e callError) Unwrap() error { return e.cause }

func describe(err error) error { return callError{cause: err} }
