package opdesk

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/go-chi/chi/v5"
)

// apiError is what the API answered in place of what was asked for. Its text is for
// the operator.
type apiError struct {
	Text   string `json:"error"`
	Status int    `json:"-"`
}

// Error is the text.
func (e *apiError) Error() string { return e.Text }

// get reads from the API.
func (v *visit) get(path string, into any) error { return v.call(http.MethodGet, path, nil, into) }

// post changes something by the API; body is nil for none.
func (v *visit) post(path string, body, into any) error {
	return v.call(http.MethodPost, path, body, into)
}

// call sends a request of the session to the API.
func (v *visit) call(method, path string, body, into any) error {
	token, err := v.token()
	if err != nil {
		return err
	}
	return v.send(method, path, "Bearer "+token, body, into)
}

// send hands a request to the API's handler: from the visitor's address, on the
// visitor's listener. authorization is empty for nobody. An answer that is no
// success is an *apiError.
func (v *visit) send(method, path, authorization string, body, into any) error {
	var content io.Reader = http.NoBody
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return &apiError{"a number is not written as one", http.StatusBadRequest}
		}
		content = bytes.NewReader(raw)
	}
	// The API finds its route anew, not the rest of the desk's.
	ctx := context.WithValue(v.r.Context(), chi.RouteCtxKey, (*chi.Context)(nil))
	r, err := http.NewRequestWithContext(ctx, method, path, content)
	if err != nil {
		return err
	}
	r.RemoteAddr, r.Host, r.RequestURI = v.r.RemoteAddr, v.r.Host, path
	if forwarded := v.r.Header.Values("X-Forwarded-For"); len(forwarded) > 0 {
		r.Header["X-Forwarded-For"] = forwarded
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	answer := &kept{header: http.Header{}}
	v.API.ServeHTTP(answer, r)
	if answer.status != http.StatusOK {
		refused := &apiError{Status: answer.status}
		if err := json.Unmarshal(answer.body.Bytes(), refused); err != nil {
			return fmt.Errorf("answer %d of the API: %w", answer.status, err)
		}
		return refused
	}
	if err := json.Unmarshal(answer.body.Bytes(), into); err != nil {
		return fmt.Errorf("answer of the API: %w", err)
	}
	return nil
}

// kept is an answer that stays in the process.
type kept struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header are the headers of the answer.
func (k *kept) Header() http.Header { return k.header }

// WriteHeader keeps the first status.
func (k *kept) WriteHeader(status int) {
	if k.status == 0 {
		k.status = status
	}
}

// Write keeps a part of the body.
func (k *kept) Write(b []byte) (int, error) {
	k.WriteHeader(http.StatusOK)
	return k.body.Write(b)
}
