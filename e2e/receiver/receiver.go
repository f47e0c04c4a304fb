// Package receiver is a merchant's webhook receiver: a real HTTP server that keeps
// every request it gets, checks its signature, gives the answer that a test chose,
// and lets callers wait for requests.
package receiver

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// SignatureHeader carries the signature of the body.
const SignatureHeader = "X-MERCHANT-SIGNATURE"

// Request is one request that arrived.
type Request struct {
	// Path tells several webhooks of one receiver apart.
	Path      string
	Body      []byte
	Signature string
	Header    http.Header
	Event     Event
	// At is when it arrived, before its body was read.
	At time.Time
	// Done is closed when the exchange is over, however it ended.
	Done <-chan struct{}

	taken *atomic.Bool
}

// Taken reports whether it was answered with 2xx; it is false before the answer.
func (q Request) Taken() bool { return q.taken.Load() }

// Event is the body of a delivery.
type Event struct {
	Name      string          `json:"event"`
	Data      json.RawMessage `json:"data"`
	Timestamp time.Time       `json:"timestamp"`
	// ID is data.id.
	ID string `json:"-"`
}

// Receiver listens on a free port of 127.0.0.1.
type Receiver struct {
	listener net.Listener
	scheme   string
	server   *http.Server

	mu       sync.Mutex
	requests []Request
	answers  map[string]http.HandlerFunc
	arrived  chan struct{} // closed and replaced at each arrival
}

// Start begins to listen.
func Start() (*Receiver, error) {
	r, err := listen("http")
	if err == nil {
		go func() { _ = r.server.Serve(r.listener) }() // ends with Close
	}
	return r, err
}

// StartTLS begins to listen for https with a certificate and its key, two PEM
// files. That of a development stack is trusted by its services.
func StartTLS(certFile, keyFile string) (*Receiver, error) {
	certificate, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, fmt.Errorf("receiver: %w", err)
	}
	r, err := listen("https")
	if err == nil {
		r.server.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}}
		go func() { _ = r.server.ServeTLS(r.listener, "", "") }() // ends with Close
	}
	return r, err
}

func listen(scheme string) (*Receiver, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a port of this machine is had at once
	if err != nil {
		return nil, fmt.Errorf("receiver: %w", err)
	}
	r := &Receiver{listener: listener, scheme: scheme, answers: map[string]http.HandlerFunc{}, arrived: make(chan struct{})}
	r.server = &http.Server{Handler: http.HandlerFunc(r.receive), ReadHeaderTimeout: 10 * time.Second}
	return r, nil
}

// Close stops the server at once.
func (r *Receiver) Close() error { return r.server.Close() }

// URL is the address of a path on this receiver.
func (r *Receiver) URL(path string) string {
	return r.scheme + "://" + r.listener.Addr().String() + path
}

// Answer decides what a path answers from now on; 200 when nothing was said.
// The handler sees the request after it was kept, its body read.
func (r *Receiver) Answer(path string, with http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[path] = with
}

// Requests are all that have arrived, in order.
func (r *Receiver) Requests() []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.requests)
}

// Await returns the first request that the predicate accepts, arrived or to come.
// The error names the requests that arrived.
func (r *Receiver) Await(ctx context.Context, accept func(Request) bool) (Request, error) {
	for seen := 0; ; {
		r.mu.Lock()
		requests, arrived := r.requests, r.arrived
		r.mu.Unlock()
		if i := slices.IndexFunc(requests[seen:], accept); i >= 0 {
			return requests[seen+i], nil
		}
		seen = len(requests)
		select {
		case <-arrived:
		case <-ctx.Done():
			return Request{}, fmt.Errorf("%w; arrived: %s", ctx.Err(), names(requests))
		}
	}
}

// Signed reports whether the signature is that of the body under the secret.
func (q Request) Signed(secret string) bool { return q.signedBy(q.Signature, secret) }

func (q Request) signedBy(signature, secret string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(q.Body)
	return hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(signature))
}

func (r *Receiver) receive(w http.ResponseWriter, req *http.Request) {
	at, done := time.Now(), make(chan struct{})
	defer close(done)
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // the sender went away
	}
	var taken atomic.Bool
	r.keep(Request{
		Path: req.URL.Path, Body: body, Signature: req.Header.Get(SignatureHeader), Header: req.Header, Event: parse(body), At: at, Done: done,
		taken: &taken,
	})
	r.mu.Lock()
	answer := r.answers[req.URL.Path]
	r.mu.Unlock()
	status := &statusWriter{w, http.StatusOK}
	if answer != nil {
		answer(status, req)
	}
	taken.Store(status.code/100 == 2 && req.Context().Err() == nil)
}

// statusWriter notes the status of an answer.
type statusWriter struct {
	http.ResponseWriter

	code int
}

// WriteHeader writes the status.
func (w *statusWriter) WriteHeader(code int) {
	w.code = code
	w.ResponseWriter.WriteHeader(code)
}

func (r *Receiver) keep(q Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, q)
	close(r.arrived)
	r.arrived = make(chan struct{})
}

// parse leaves the event empty when the body is not one, so that nothing is
// found that waits for an event.
func parse(body []byte) Event {
	var event Event
	var data struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(body, &event) != nil || json.Unmarshal(event.Data, &data) != nil {
		return Event{}
	}
	event.ID = data.ID
	return event
}

func names(requests []Request) []string {
	list := make([]string, 0, len(requests))
	for _, q := range requests {
		list = append(list, q.Path+" "+q.Event.Name+" "+q.Event.ID)
	}
	return list
}
