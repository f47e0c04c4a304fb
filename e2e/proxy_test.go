package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// relayPath is the daemon's route that takes a transaction.
const relayPath = "/send_raw_transaction"

// poolPath is the daemon's route that lists its pool. Each scan asks it once.
const poolPath = "/get_transaction_pool_hashes"

// sendMethod is the method by which litecoind takes a transaction.
const sendMethod = "sendrawtransaction"

// proxy stands between the service and its daemon. It forwards everything, but one
// request can be trapped: held before the daemon has it, or after the daemon has
// done it and before the service receives the answer. The proxy distinguishes
// requests by their route, or by their method where all have one route. A request
// that the service gives up and repeats is held, too, so that nothing depends on
// how soon the test continues.
type proxy struct {
	url     string
	methods bool
	forward *httputil.ReverseProxy

	mu      sync.Mutex
	traps   map[string]*trap
	refused map[string]string
	// asked are the numbers of requests by route.
	asked map[string]int
}

// holdAgain is how long the proxy also holds any request whose answer could show
// the service the outcome of a held one. It is longer than a machine pauses between
// two steps of a test, and no longer, because a service that was killed comes back.
const holdAgain = 30 * time.Second

// trap holds one request.
type trap struct {
	// reached is closed when the request is held.
	reached chan struct{}
	// release lets it continue when closed. The proxy does not wait for a caller that
	// is gone by then: its request ends where it was held.
	release chan struct{}
	after   bool
	// sprung is when the request was held.
	sprung time.Time
	// holding counts the callers that are held.
	holding atomic.Int32
}

func startProxy() (*proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{
		url: "http://" + listener.Addr().String(), traps: map[string]*trap{}, refused: map[string]string{}, asked: map[string]int{},
	}
	go func() { _ = http.Serve(listener, p) }() // of this test process only
	return p, nil
}

func (p *proxy) forwardTo(address string) {
	p.forward = httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: address})
	p.forward.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) {
		w.WriteHeader(http.StatusBadGateway) // the daemon is down
	}
}

// holdBefore traps the next request of a route before the daemon has it.
func (p *proxy) holdBefore(path string) *trap { return p.set(path, false) }

// holdAfter traps the next request of a route when the daemon has answered.
func (p *proxy) holdAfter(path string) *trap { return p.set(path, true) }

func (p *proxy) set(path string, after bool) *trap {
	t := &trap{reached: make(chan struct{}), release: make(chan struct{}), after: after}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.traps[path] = t
	return t
}

// refuse gives every request of a route this answer until accept is called.
func (p *proxy) refuse(path, answer string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused[path] = answer
}

// accept ends refuse.
func (p *proxy) accept(path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.refused, path)
}

// count returns how many requests of a route there were.
func (p *proxy) count(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[path]
}

// take returns how to treat a request: the trap that holds it, and whether it is
// the one that the trap is for; or an answer.
func (p *proxy) take(path string) (held *trap, first bool, answer string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked[path]++
	if t := p.traps[path]; t != nil && t.sprung.IsZero() {
		t.sprung = time.Now()
		return t, true, ""
	}
	for name, t := range p.traps {
		if t.sprung.IsZero() || t.over() {
			continue
		}
		if name == path || t.after {
			return t, false, ""
		}
	}
	return nil, false, p.refused[path]
}

// nameOf is what tells a request apart.
func (p *proxy) nameOf(req *http.Request) (string, error) {
	if !p.methods {
		return req.URL.Path, nil
	}
	body, err := io.ReadAll(req.Body)
	req.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	return methodOf(body)
}

// methodOf is the method of a call, or of all calls of a batch.
func methodOf(body []byte) (string, error) {
	type call struct {
		Method string `json:"method"`
	}
	var calls []call
	if err := json.Unmarshal(body, &calls); err == nil && len(calls) > 0 {
		return calls[0].Method, nil
	}
	var single call
	err := json.Unmarshal(body, &single)
	return single.Method, err
}

// ServeHTTP forwards, holds or refuses.
func (p *proxy) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	name, err := p.nameOf(req)
	if err != nil {
		return // the caller is gone
	}
	held, first, answer := p.take(name)
	if answer != "" {
		_, _ = io.WriteString(w, answer)
		return
	}
	if held == nil {
		p.forward.ServeHTTP(w, req)
		return
	}
	// The server notices that its caller is gone only when the body is read.
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	if !first || !held.after {
		if held.hold(req, first) {
			p.forward.ServeHTTP(w, req)
		}
		return
	}
	done := httptest.NewRecorder()
	p.forward.ServeHTTP(done, req)
	if held.hold(req, first) {
		_, _ = w.Write(done.Body.Bytes())
	}
}

// hold waits for the release; false when the caller is gone before it.
func (h *trap) hold(req *http.Request, first bool) bool {
	h.holding.Add(1)
	defer h.holding.Add(-1)
	var over <-chan time.Time
	if first {
		close(h.reached)
	} else {
		over = time.After(time.Until(h.sprung.Add(holdAgain)))
	}
	select {
	case <-h.release:
		return true
	case <-over:
		return true
	case <-req.Context().Done():
		return false
	}
}

// releaseAfterCallers ends a trap once every caller that it held has died, so that no
// request continues for one of them.
func (h *trap) releaseAfterCallers(t *testing.T) {
	t.Helper()
	eventually(t, "the held request ends with its caller", func(context.Context) error {
		if n := h.holding.Load(); n > 0 {
			return fmt.Errorf("%d callers are held", n)
		}
		return nil
	})
	close(h.release)
}

// over reports whether a trap holds no request any more.
func (h *trap) over() bool {
	select {
	case <-h.release:
		return true
	default:
		return time.Since(h.sprung) > holdAgain
	}
}
