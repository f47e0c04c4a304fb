package clients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Merchant is one merchant's access. The zero credential calls public routes.
type Merchant struct {
	// BaseURL is the service's, without a trailing slash.
	BaseURL string
	// Token is the JWT; APIKey goes with the routes that take a key.
	Token, APIKey string
	// HTTP makes the calls; http.DefaultClient when nil.
	HTTP *http.Client
}

// StatusError is an answer other than 2xx.
type StatusError struct {
	Status int
	// Message is the error text of the answer, for humans.
	Message string
	// RetryAfter is what the answer asks to wait for; 0 when it asks nothing.
	RetryAfter time.Duration
}

// Error tells status and text.
func (e *StatusError) Error() string { return fmt.Sprintf("status %d: %s", e.Status, e.Message) }

// Status is the HTTP status of a failed call; 0 when there was no answer.
func Status(err error) int {
	if answer, ok := errors.AsType[*StatusError](err); ok {
		return answer.Status
	}
	return 0
}

// WithKey is the same merchant with another API key.
func (c *Merchant) WithKey(key string) *Merchant {
	other := *c
	other.APIKey = key
	return &other
}

// get reads a route, such as GET /api/charges, and post sends a body to one, unless it is nil.
func get[T any](ctx context.Context, c *Merchant, path string) (answer T, err error) {
	err = c.call(ctx, "GET "+path, nil, &answer)
	return answer, err
}

func post[T any](ctx context.Context, c *Merchant, path string, body any) (answer T, err error) {
	err = c.call(ctx, "POST "+path, body, &answer)
	return answer, err
}

// list reads a route whose answer has a list under a name.
func list[T any](ctx context.Context, c *Merchant, path, name string) (items []T, err error) {
	answer, err := get[map[string]json.RawMessage](ctx, c, path)
	if err != nil {
		return nil, err
	}
	return items, json.Unmarshal(answer[name], &items)
}

// call sends body as JSON to a route, when there is one, and decodes the answer.
func (c *Merchant) call(ctx context.Context, route string, body, answer any) error {
	header := map[string]string{}
	if c.Token != "" {
		header["Authorization"] = "Bearer " + c.Token
	}
	if c.APIKey != "" {
		header["X-Api-Key"] = c.APIKey
	}
	return c.callAs(ctx, header, route, body, answer)
}

func (c *Merchant) callAs(ctx context.Context, header map[string]string, route string, body, answer any) error {
	method, path, _ := strings.Cut(route, " ")
	got, err := Send(ctx, c.HTTP, method, c.BaseURL+path, header, body)
	if err == nil && got.Status/100 != 2 {
		err = refusal(got)
	}
	if err == nil && answer != nil {
		err = json.Unmarshal(got.Body, answer)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", route, err)
	}
	return nil
}

func refusal(answer Answer) error {
	e := &StatusError{Status: answer.Status}
	var body struct {
		Error string `json:"error"`
	}
	if err := json.Unmarshal(answer.Body, &body); err != nil {
		e.Message = "the answer is not an error of the contract: " + err.Error()
	} else {
		e.Message = body.Error
	}
	if seconds, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	return e
}
