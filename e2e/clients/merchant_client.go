package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
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

// call sends body as JSON, when there is one, and decodes the answer.
func (c *Merchant) call(ctx context.Context, method, path string, body, answer any) error {
	return c.send(ctx, method, path, c.authorise, body, answer)
}

// callGreenfield is call as shop plugins make theirs.
func (c *Merchant) callGreenfield(ctx context.Context, method, path string, body, answer any) error {
	return c.send(ctx, method, path, func(req *http.Request) { req.Header.Set("Authorization", "token "+c.APIKey) }, body, answer)
}

func (c *Merchant) send(ctx context.Context, method, path string, authorise func(*http.Request), body, answer any) error {
	var content io.Reader = http.NoBody
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("%s %s: %w", method, path, err)
		}
		content = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.BaseURL+path, content)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	authorise(req)
	if err := c.do(req, answer); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}

func (c *Merchant) authorise(req *http.Request) {
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	if c.APIKey != "" {
		req.Header.Set("X-Api-Key", c.APIKey)
	}
}

func (c *Merchant) do(req *http.Request, answer any) error {
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return refusal(resp)
	}
	if answer == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(answer)
}

func refusal(resp *http.Response) error {
	e := &StatusError{Status: resp.StatusCode}
	var body struct {
		Error string `json:"error"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&body); err != nil {
		e.Message = "the answer is not an error of the contract: " + err.Error()
	} else {
		e.Message = body.Error
	}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	return e
}
