package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// inbox receives webhooks and remembers when each came.
type inbox struct {
	url string

	mu      sync.Mutex
	arrived map[arrival]time.Time
	waiting map[arrival]chan struct{}
	// held is closed to let go the requests to the path that hangs; nil while
	// that path answers at once.
	held chan struct{}
}

// arrival is one event about one resource on one path.
type arrival struct{ path, event, id string }

func startInbox() (*inbox, error) {
	return openInbox("http://", (*http.Server).Serve)
}

// startSafeInbox is startInbox behind TLS, with a certificate and its key.
func startSafeInbox(certFile, keyFile string) (*inbox, error) {
	return openInbox("https://", func(s *http.Server, l net.Listener) error { return s.ServeTLS(l, certFile, keyFile) })
}

func openInbox(scheme string, serve func(*http.Server, net.Listener) error) (*inbox, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a port of this machine is had at once
	if err != nil {
		return nil, fmt.Errorf("inbox: %w", err)
	}
	i := &inbox{
		url:     scheme + listener.Addr().String(),
		arrived: map[arrival]time.Time{}, waiting: map[arrival]chan struct{}{},
	}
	server := &http.Server{Handler: i, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = serve(server, listener) }() // ends with this process
	return i, nil
}

// hangingPath is where requests are held while the inbox hangs.
const hangingPath = "/tenth"

// ServeHTTP notes the arrival and answers 200.
func (i *inbox) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	now := time.Now()
	// A charge's event and its subject, in either shape, or a trade's status and
	// itself.
	var body struct {
		Event string `json:"event"`
		Data  struct {
			ID string `json:"id"`
		} `json:"data"`
		Status string `json:"status"`
		ID     string `json:"id"`
		// BTCPay's names of an event and of its subject.
		Type      string `json:"type"`
		InvoiceID string `json:"invoiceId"`
	}
	if json.NewDecoder(r.Body).Decode(&body) != nil {
		return // the sender went away
	}
	told := arrival{r.URL.Path, cmp.Or(body.Event, body.Status, body.Type), cmp.Or(body.Data.ID, body.ID, body.InvoiceID)}
	if held := i.note(told, now); held != nil {
		select {
		case <-held:
		case <-r.Context().Done():
		}
	}
}

func (i *inbox) note(a arrival, at time.Time) (held chan struct{}) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if _, again := i.arrived[a]; !again {
		i.arrived[a] = at
		if c, ok := i.waiting[a]; ok {
			close(c)
			delete(i.waiting, a)
		}
	}
	if a.path == hangingPath {
		return i.held
	}
	return nil
}

// hang makes the hanging path hang, or lets everything go that it held.
func (i *inbox) hang(on bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.held != nil {
		close(i.held)
		i.held = nil
	}
	if on {
		i.held = make(chan struct{})
	}
}

// patience is how long a delivery may take that is expected to come.
const patience = 60 * time.Second

// await returns when an event arrived first that is expected soon.
func (i *inbox) await(ctx context.Context, a arrival) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return i.wait(ctx, a)
}

// wait returns when an event arrived first.
func (i *inbox) wait(ctx context.Context, a arrival) (time.Time, error) {
	i.mu.Lock()
	at, ok := i.arrived[a]
	c := i.waiting[a]
	if !ok && c == nil {
		c = make(chan struct{})
		i.waiting[a] = c
	}
	i.mu.Unlock()
	if ok {
		return at, nil
	}
	select {
	case <-c:
	case <-ctx.Done():
		return time.Time{}, fmt.Errorf("%s about %s: %w", a.event, a.id, ctx.Err())
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.arrived[a], nil
}
