package upstream

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
	// Timeout bounds one call if the options set no other.
	Timeout = 15 * time.Second
	// maxBody bounds an answer, in bytes.
	maxBody = 1 << 20
)

// Client calls one provider.
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

// Call is one request. Body is sent as JSON; a nil Body sends none. Header has the
// headers of this request in addition to the client's.
type Call struct {
	Method string
	Path   string
	Query  url.Values
	Header http.Header
	Body   any
}

// Get returns a GET request.
func Get(path string, query url.Values) Call {
	return Call{Method: http.MethodGet, Path: path, Query: query}
}

// Answer is the provider's answer: a success, or a refusal of this request.
type Answer struct {
	Status int
	Body   []byte
}

// OK reports whether the call succeeded.
func (a Answer) OK() bool { return a.Status >= 200 && a.Status < 300 }

// Decode reads the body's JSON. It returns ErrAnswer if the body has another form.
func (a Answer) Decode(into any) error {
	if err := json.Unmarshal(a.Body, into); err != nil {
		return ErrAnswer
	}
	return nil
}

// Refused returns the provider's reason for refusing a request. It returns nil if
// an answer is not in the provider's own format, because it may come from a proxy
// that does not know what the provider did.
type Refused func(Answer) error

// Read makes a call that changes nothing and reads its answer. It returns
// provider.ErrUnavailable for an answer that is not in the provider's format.
func (c *Client) Read(ctx context.Context, call Call, into any, refused Refused) error {
	answer, err := c.ask(ctx, call)
	switch {
	case err != nil:
		return err
	case !answer.OK():
		return cmp.Or(refused(answer), answer.as(provider.ErrUnavailable))
	}
	if err := answer.Decode(into); err != nil {
		return fmt.Errorf("%w: %w", provider.ErrUnavailable, err)
	}
	return nil
}

// Place makes a call that creates something and reads its answer. The call is sent
// only once. Place returns provider.ErrUnavailable if nothing was created: either
// no connection was made, or the provider rejected the caller. It returns the
// error of refused if the provider has refused the request. In all other cases it
// returns provider.ErrUncertain, also for an answer that is not in the provider's
// format.
func (c *Client) Place(ctx context.Context, call Call, into any, refused Refused) error {
	answer, err := c.order(ctx, call)
	switch {
	case err != nil:
		return err
	case !answer.OK():
		return cmp.Or(refused(answer), answer.as(provider.ErrUncertain))
	}
	if err := answer.Decode(into); err != nil {
		return fmt.Errorf("%w: %w", provider.ErrUncertain, err)
	}
	return nil
}

// ask makes a call that changes nothing. Every failure, on the way or at the
// provider, is provider.ErrUnavailable. A returned Answer is either a success or a
// refusal of the request.
func (c *Client) ask(ctx context.Context, call Call) (Answer, error) {
	answer, _, err := c.do(ctx, call)
	if err == nil && !answer.OK() && !answer.refusal() {
		err = answer.failure()
	}
	if err != nil {
		return Answer{}, fmt.Errorf("%w: %w", provider.ErrUnavailable, err)
	}
	return answer, nil
}

// order makes a call that creates something. It returns an answer with status 503
// as a refusal, because some providers refuse with it.
func (c *Client) order(ctx context.Context, call Call) (Answer, error) {
	answer, connected, err := c.do(ctx, call)
	switch {
	case err != nil && !connected, err == nil && answer.turnedAway():
		return Answer{}, fmt.Errorf("%w: %w", provider.ErrUnavailable, orFailure(err, answer))
	case err != nil, !answer.OK() && !answer.refusal() && answer.Status != http.StatusServiceUnavailable:
		return Answer{}, fmt.Errorf("%w: %w", provider.ErrUncertain, orFailure(err, answer))
	}
	return answer, nil
}

func orFailure(err error, answer Answer) error {
	if err != nil {
		return err
	}
	return answer.failure()
}

// as returns an error of package provider for an answer without a reason.
func (a Answer) as(kind error) error { return fmt.Errorf("%w: %w", kind, a.failure()) }

func (a Answer) failure() error { return fmt.Errorf("status %d", a.Status) }

// turnedAway reports whether the provider rejected the caller without processing
// the request.
func (a Answer) turnedAway() bool {
	switch a.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		return true
	}
	return false
}

// refusal reports whether the provider processed the request and refused it.
func (a Answer) refusal() bool {
	return a.Status >= 400 && a.Status < 500 && !a.turnedAway() && a.Status != http.StatusRequestTimeout
}

// do makes the call. connected reports whether there was a connection: if not, the
// request cannot have arrived. The errors contain no URL.
func (c *Client) do(ctx context.Context, call Call) (answer Answer, connected bool, err error) {
	var gotConn atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { gotConn.Store(true) }})
	req, err := c.request(ctx, call)
	if err != nil {
		return Answer{}, false, err
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return Answer{}, gotConn.Load(), describe(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return Answer{}, true, describe(err)
	}
	if len(body) > maxBody {
		return Answer{}, true, ErrAnswer
	}
	return Answer{Status: resp.StatusCode, Body: body}, true, nil
}

func (c *Client) request(ctx context.Context, call Call) (*http.Request, error) {
	target := strings.TrimSuffix(c.Base, "/") + call.Path
	if len(call.Query) > 0 {
		target += "?" + call.Query.Encode()
	}
	var body io.Reader
	if call.Body != nil {
		b, err := json.Marshal(call.Body)
		if err != nil {
			return nil, fmt.Errorf("request: %w", err)
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, call.Method, target, body)
	if err != nil {
		return nil, fmt.Errorf("request: %w", outbound.WithoutURL(err))
	}
	maps.Copy(req.Header, c.Header)
	maps.Copy(req.Header, call.Header)
	req.Header.Set("User-Agent", c.UserAgent)
	req.Header.Set("Accept", "application/json, text/plain, */*")
	req.Header.Set("Accept-Language", "en-US,en;q=0.5")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// ErrAnswer means that an answer does not have the agreed form.
var ErrAnswer = errors.New("unusable answer")

// callError hides the text of a failed call, because it contains addresses. It
// keeps the cause for errors.Is.
type callError struct{ cause error }

func (e callError) Error() string { return outbound.Describe(e.cause) }

func (e callError) Unwrap() error { return e.cause }

func describe(err error) error { return callError{cause: err} }
