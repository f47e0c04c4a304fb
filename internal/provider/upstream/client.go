package upstream

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
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
	// Timeout bounds one call when the options say nothing.
	Timeout = 15 * time.Second
	// maxBody bounds an answer, in bytes.
	maxBody = 1 << 20
)

// Client calls one provider.
type Client struct {
	// HTTP is made by internal/outbound.
	HTTP *http.Client
	// Base is the URL that paths are added to, without a trailing slash.
	Base string
	// UserAgent is the browser that the provider sees; nothing is sent when it
	// is empty.
	UserAgent string
	// Header has the provider's key, if it wants one.
	Header http.Header
}

// Call is one request. Body is sent as JSON; without one the call has none. Header
// has what this request says beside the client's.
type Call struct {
	Method string
	Path   string
	Query  url.Values
	Header http.Header
	Body   any
}

// Get makes a call that only reads.
func Get(path string, query url.Values) Call {
	return Call{Method: http.MethodGet, Path: path, Query: query}
}

// Answer is what came back: a success, or a refusal of this request.
type Answer struct {
	Status int
	Body   []byte
}

// OK says whether the provider did what was asked.
func (a Answer) OK() bool { return a.Status >= 200 && a.Status < 300 }

// Decode reads the body's JSON; ErrAnswer when it has another form.
func (a Answer) Decode(into any) error {
	if err := json.Unmarshal(a.Body, into); err != nil {
		return ErrAnswer
	}
	return nil
}

// Refused says why the provider does not do what it looked at. nil says that an
// answer is not in the provider's own form: it may be the page of a proxy, which
// knows nothing of what the provider did.
type Refused func(Answer) error

// Read makes a call that changes nothing and reads its answer. What is not in the
// provider's form is provider.ErrUnavailable.
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

// Place makes a call that creates something and reads its answer. It is sent
// once. provider.ErrUnavailable says that nothing was created: no connection
// was made, or the provider turned the caller away; refused is the error for a
// request that it looked at. provider.ErrUncertain is everything else, also what is
// not in the provider's form.
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

// ask makes a call that changes nothing. Whatever goes wrong, on the way or at
// the provider, is provider.ErrUnavailable; an Answer is a success or says
// what is wrong with the request.
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

// order makes a call that creates something. A 503 is an answer: some
// providers refuse with it.
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

// as is an error of package provider for an answer that says nothing.
func (a Answer) as(kind error) error { return fmt.Errorf("%w: %w", kind, a.failure()) }

func (a Answer) failure() error { return fmt.Errorf("status %d", a.Status) }

// turnedAway says that the request was not looked at.
func (a Answer) turnedAway() bool {
	switch a.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		return true
	}
	return false
}

// refusal says that the provider looked at the request and does not do it.
func (a Answer) refusal() bool {
	return a.Status >= 400 && a.Status < 500 && !a.turnedAway() && a.Status != http.StatusRequestTimeout
}

// do says whether there was a connection: if not, nothing can have arrived.
// Its errors name no URL.
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
