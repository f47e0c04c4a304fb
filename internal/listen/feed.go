package listen

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Errors that end or interrupt the feed.
var (
	// ErrKey is returned when the API does not accept the key.
	ErrKey = errors.New("the API does not take the key")
	// ErrLiveKey is returned for a live key, because its events must not reach a
	// developer's machine.
	ErrLiveKey = errors.New("this is a live key: listen with the key of the sandbox, cm_test_…")
	// errLost is returned when the feed cannot continue from a cursor.
	errLost = errors.New("the feed does not go on from where it was")
)

// maxAnswer is the longest answer that is read: a page of the feed.
const maxAnswer = 16 << 20

type event struct {
	Cursor string `json:"cursor"`
	Type   string `json:"type"`
	Body   string `json:"body"`
}

// about returns the identifier in the event's data, such as that of the charge; a dash if there is
// none.
func (e event) about() string {
	var body struct {
		Data struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	_ = json.Unmarshal([]byte(e.Body), &body) // such a body has no identifier
	return cmp.Or(body.Data.ID, "-")
}

// feedPage is a part of the feed, oldest first.
type feedPage struct {
	Events []event `json:"events"`
	Next   *string `json:"next"`
	More   bool    `json:"more"`
}

// API is the merchants' API, as the owner of a key sees it.
type API struct {
	// Base is its address, without a slash at its end.
	Base string
	// Key is a key of the sandbox. It is never printed.
	Key    string
	Client *http.Client
}

// page is what comes after a cursor; all for an empty one.
func (a API) page(ctx context.Context, after string, types []string) (feedPage, error) {
	query := url.Values{"limit": {"100"}, "type": types}
	if after != "" {
		query.Set("after", after)
	}
	var p feedPage
	err := a.call(ctx, http.MethodGet, "/api/events?"+query.Encode(), nil, &p)
	return p, err
}

// end is the cursor of the newest event; empty while there was none.
func (a API) end(ctx context.Context) (string, error) {
	after := ""
	for {
		p, err := a.page(ctx, after, nil)
		if err != nil {
			return "", err
		}
		if p.Next != nil {
			after = *p.Next
		}
		if !p.More {
			return after, nil
		}
	}
}

// Trigger brings an event about.
func (a API) Trigger(ctx context.Context, eventType string) error {
	body, err := json.Marshal(map[string]string{"type": eventType})
	if err != nil {
		return err
	}
	return a.call(ctx, http.MethodPost, "/api/test/webhooks/trigger", body, &struct{}{})
}

// refusedError is what the API said against a request.
type refusedError struct {
	status int
	text   string
}

// Error is what it said.
func (e *refusedError) Error() string { return fmt.Sprintf("the API answers %d: %s", e.status, e.text) }

func (a API) call(ctx context.Context, method, path string, body []byte, into any) error {
	r, err := http.NewRequestWithContext(ctx, method, a.Base+path, strings.NewReader(string(body)))
	if err != nil {
		return err
	}
	r.Header.Set("X-Api-Key", a.Key)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := a.Client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return err
	}
	switch answer.StatusCode {
	case http.StatusOK:
		return json.Unmarshal(raw, into)
	case http.StatusUnauthorized:
		return ErrKey
	case http.StatusGone:
		return errLost
	default:
		var problem struct {
			Error string `json:"error"`
		}
		if json.Unmarshal(raw, &problem) != nil {
			problem.Error = http.StatusText(answer.StatusCode)
		}
		return &refusedError{answer.StatusCode, problem.Error}
	}
}
