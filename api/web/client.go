package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/go-chi/chi/v5"
)

// Error is an error answer of the API. Its text is for people.
type Error struct {
	Text   string `json:"error"`
	Status int    `json:"-"`
	// Challenge is the header WWW-Authenticate, or empty.
	Challenge string `json:"-"`
}

// Error returns the text.
func (e *Error) Error() string { return e.Text }

// Request is a request to the API.
type Request struct {
	Method, Path string
	// Authorization is the header Authorization; empty for a request without a credential.
	Authorization string
	// Body is written as JSON; nil for none.
	Body any
}

// Send passes a request to the API's handler, with the address and the listener of the visitor's
// own request. It returns an *Error for an answer that is not a success, and for a body with a
// malformed number (400).
func Send(api http.Handler, visit *http.Request, q Request, into any) error {
	r, err := q.from(visit)
	if err != nil {
		return err
	}
	kept := &kept{header: http.Header{}}
	api.ServeHTTP(kept, r)
	if kept.status != http.StatusOK {
		refused := &Error{Status: kept.status, Challenge: kept.header.Get("WWW-Authenticate")}
		if err := json.Unmarshal(kept.body.Bytes(), refused); err != nil {
			return fmt.Errorf("answer %d of the API: %w", kept.status, err)
		}
		return refused
	}
	if err := json.Unmarshal(kept.body.Bytes(), into); err != nil {
		return fmt.Errorf("answer of the API: %w", err)
	}
	return nil
}

// Forward passes the API's answer on to a visitor while it arrives, so that a file need not fit
// into memory.
func Forward(api http.Handler, w http.ResponseWriter, visit *http.Request, q Request) error {
	r, err := q.from(visit)
	if err != nil {
		return err
	}
	api.ServeHTTP(w, r)
	return nil
}

// from returns the request as the API receives it.
func (q Request) from(visit *http.Request) (*http.Request, error) {
	content := io.Reader(http.NoBody)
	if q.Body != nil {
		raw, err := json.Marshal(q.Body)
		if err != nil {
			return nil, &Error{Text: "a number is not written as one", Status: http.StatusBadRequest}
		}
		content = bytes.NewReader(raw)
	}
	// The API must route the request from scratch, not continue with the rest of the page's route.
	ctx := context.WithValue(PartOf(visit.Context()), chi.RouteCtxKey, (*chi.Context)(nil))
	r, err := http.NewRequestWithContext(ctx, q.Method, q.Path, content)
	if err != nil {
		return nil, err
	}
	r.RemoteAddr, r.Host, r.RequestURI = visit.RemoteAddr, visit.Host, q.Path
	if forwarded := visit.Header.Values("X-Forwarded-For"); len(forwarded) > 0 {
		r.Header["X-Forwarded-For"] = forwarded
	}
	if q.Body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if q.Authorization != "" {
		r.Header.Set("Authorization", q.Authorization)
	}
	return r, nil
}

// kept is an answer that stays in the process.
type kept struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header returns the headers of the answer.
func (k *kept) Header() http.Header { return k.header }

// WriteHeader stores the first status.
func (k *kept) WriteHeader(status int) {
	if k.status == 0 {
		k.status = status
	}
}

// Write stores a part of the body.
func (k *kept) Write(b []byte) (int, error) {
	k.WriteHeader(http.StatusOK)
	return k.body.Write(b)
}
