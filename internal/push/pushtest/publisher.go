// Package pushtest has a publisher for tests, which says whatever a test wants: one of
// ZeroMQ, or a node of Bitcoin's kind.
package pushtest

import (
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Opening is what a publisher of ZeroMQ says first: its greeting (ZMTP 3.1, as libzmq's), and
// that it is ready.
func Opening() string {
	return "\xff\x00\x00\x00\x00\x00\x00\x00\x01\x7f\x03\x01NULL" + strings.Repeat("\x00", 48) +
		"\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\x03PUB"
}

// Publisher listens on a port of this machine. It is safe for concurrent use.
type Publisher struct {
	// Address is host:port, the same after Stop and Start.
	Address string

	t  *testing.T
	mu sync.Mutex
	// opening is what each connection is told first.
	opening  string
	listener net.Listener
	conns    map[net.Conn]bool
	// asked is everything that subscribers have sent, and told is closed and made
	// anew when it grows.
	asked map[net.Conn][]byte
	told  chan struct{}
}

// Start makes a publisher of ZeroMQ that ends with the test.
func Start(t *testing.T) *Publisher {
	t.Helper()
	p := &Publisher{
		Address: "127.0.0.1:0", t: t, opening: Opening(),
		conns: map[net.Conn]bool{}, asked: map[net.Conn][]byte{}, told: make(chan struct{}),
	}
	p.Start()
	t.Cleanup(p.Stop)
	return p
}

// Start listens, again after Stop.
func (p *Publisher) Start() {
	p.t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", p.Address)
	require.NoError(p.t, err)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Address, p.listener = listener.Addr().String(), listener
	go p.serve(listener)
}

// Stop ends all connections and listens no more.
func (p *Publisher) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.listener.Close()
	for conn := range p.conns {
		_ = conn.Close()
		delete(p.conns, conn)
	}
}

// Open has later connections told this instead of Opening.
func (p *Publisher) Open(opening string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opening = opening
}

// Say sends bytes to every subscriber, as they are.
func (p *Publisher) Say(text string) {
	p.mu.Lock()
	conns := make([]net.Conn, 0, len(p.conns))
	for conn := range p.conns {
		conns = append(conns, conn)
	}
	p.mu.Unlock()
	for _, conn := range conns {
		_, _ = io.WriteString(conn, text)
	}
}

// Flood says ten thousand messages a second, as far as subscribers take them, until
// ctx is done, and counts them.
func (p *Publisher) Flood(ctx context.Context, said *atomic.Int64) {
	const perTick = 100
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			p.Say(strings.Repeat(Message("json-minimal-txpool_add:[]"), perTick))
			said.Add(perTick)
		case <-ctx.Done():
			return
		}
	}
}

// Connections is how many stand.
func (p *Publisher) Connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.conns)
}

// Message is one of ZeroMQ of a single frame, shorter than 256 bytes.
func Message(text string) string { return "\x00" + string([]byte{byte(len(text))}) + text }

// Await waits until a connection that stands has sent a text, such as the topic
// that it asks for.
func (p *Publisher) Await(ctx context.Context, text string) {
	p.t.Helper()
	for {
		p.mu.Lock()
		told, found := p.told, false
		for conn := range p.conns {
			found = found || bytes.Contains(p.asked[conn], []byte(text))
		}
		p.mu.Unlock()
		if found {
			return
		}
		select {
		case <-told:
		case <-ctx.Done():
			require.NoError(p.t, ctx.Err(), "nobody has asked for %q", text)
		}
	}
}

func (p *Publisher) serve(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		p.conns[conn] = true
		opening := p.opening
		p.mu.Unlock()
		go p.hear(conn, opening)
	}
}

// hear notes what a subscriber says.
func (p *Publisher) hear(conn net.Conn, opening string) {
	_, _ = io.WriteString(conn, opening)
	buffer := make([]byte, 4096)
	for {
		n, err := conn.Read(buffer)
		p.mu.Lock()
		p.asked[conn] = append(p.asked[conn], buffer[:n]...)
		close(p.told)
		p.told = make(chan struct{})
		if err != nil {
			delete(p.conns, conn)
			_ = conn.Close()
		}
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}
