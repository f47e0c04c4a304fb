package watchtest

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Opening returns the first bytes of a ZeroMQ publisher: its greeting (ZMTP 3.1, the same as
// libzmq's) and its READY command.
func Opening() string {
	return "\xff\x00\x00\x00\x00\x00\x00\x00\x01\x7f\x03\x01NULL" + strings.Repeat("\x00", 48) +
		"\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\x03PUB"
}

// Publisher sends any bytes that a test wants, as a ZeroMQ publisher or as a node of the
// same kind as Bitcoin's. It listens on a port of this machine. It is safe for concurrent
// use.
type Publisher struct {
	// Address is host:port, the same after Stop and Start.
	Address string

	t  *testing.T
	mu sync.Mutex
	// opening is sent first on each connection.
	opening  string
	listener net.Listener
	conns    map[net.Conn]bool
	// asked is everything that subscribers have sent. grown is closed and replaced when asked
	// grows.
	asked map[net.Conn][]byte
	grown chan struct{}
}

// StartPublisher starts a ZeroMQ publisher that ends with the test.
func StartPublisher(t *testing.T) *Publisher {
	t.Helper()
	p := &Publisher{
		Address: "127.0.0.1:0", t: t, opening: Opening(),
		conns: map[net.Conn]bool{}, asked: map[net.Conn][]byte{}, grown: make(chan struct{}),
	}
	p.Start()
	t.Cleanup(p.Stop)
	return p
}

// Start listens, also again after Stop.
func (p *Publisher) Start() {
	p.t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", p.Address)
	require.NoError(p.t, err)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Address, p.listener = listener.Addr().String(), listener
	go p.serve(listener)
}

// Stop ends all connections and stops listening.
func (p *Publisher) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.listener.Close()
	for conn := range p.conns {
		_ = conn.Close()
		delete(p.conns, conn)
	}
}

// Open replaces Opening for later connections.
func (p *Publisher) Open(opening string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opening = opening
}

// Say sends bytes unchanged to every subscriber.
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

// Flood sends ten thousand messages a second, if subscribers accept that many, until ctx is
// done. It counts them in said.
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

// Connections returns the number of open connections.
func (p *Publisher) Connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.conns)
}

// Message returns a ZeroMQ message of a single frame, shorter than 256 bytes.
func Message(text string) string { return "\x00" + string([]byte{byte(len(text))}) + text }

// Await waits until an open connection has sent a text, such as the topic of its
// subscription.
func (p *Publisher) Await(ctx context.Context, text string) {
	p.t.Helper()
	for {
		p.mu.Lock()
		grown, found := p.grown, false
		for conn := range p.conns {
			found = found || bytes.Contains(p.asked[conn], []byte(text))
		}
		p.mu.Unlock()
		if found {
			return
		}
		select {
		case <-grown:
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
		go p.record(conn, opening)
	}
}

// record records the bytes that a subscriber sends.
func (p *Publisher) record(conn net.Conn, opening string) {
	_, _ = io.WriteString(conn, opening)
	buffer := make([]byte, 4096)
	for {
		n, err := conn.Read(buffer)
		p.mu.Lock()
		p.asked[conn] = append(p.asked[conn], buffer[:n]...)
		close(p.grown)
		p.grown = make(chan struct{})
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

// NodeMagic begins each message of a Node: that of Litecoin's private chains.
func NodeMagic() [4]byte { return [4]byte{0xfa, 0xbf, 0xb5, 0xda} }

// Ping is the ping in NodeOpening, and Pong the answer to it.
const (
	Ping = "\xfa\xbf\xb5\xdaping\x00\x00\x00\x00\x00\x00\x00\x00\x08\x00\x00\x00\xe0\x45\xa4\x97\x29\xcd\xb1\xe7\xda\x56\x0b\x19"
	Pong = "\xfa\xbf\xb5\xdapong\x00\x00\x00\x00\x00\x00\x00\x00\x08\x00\x00\x00\xe0\x45\xa4\x97\x29\xcd\xb1\xe7\xda\x56\x0b\x19"
)

// NodeOpening returns the messages that litecoind 0.21.2 sends to a peer before
// it announces anything.
func NodeOpening() string {
	version := "\x80\x11\x01\x00\x09\x04\x00\x01\x00\x00\x00\x00\x82\x9f\x09\x6b\x00\x00\x00\x00" +
		strings.Repeat("\x00", 26) + "\x09\x04\x00\x01\x00\x00\x00\x00" + strings.Repeat("\x00", 18) +
		"\x9a\x4c\xa0\x23\x3d\xcf\xe4\x3a\x17/LitecoinCore:0.21.2.1/\x00\x00\x00\x00\x01"
	return Packet("version", version) + Packet("verack", "") + Packet("sendheaders", "") +
		Packet("sendcmpct", "\x00\x03\x00\x00\x00\x00\x00\x00\x00") + Packet("sendcmpct", "\x00\x02\x00\x00\x00\x00\x00\x00\x00") +
		Packet("sendcmpct", "\x00\x01\x00\x00\x00\x00\x00\x00\x00") +
		Ping + Packet("feefilter", "\x35\xf0\x8b\x00\x00\x00\x00\x00")
}

// Packet returns a message of a node. Its checksum is missing.
func Packet(command, body string) string {
	magic := NodeMagic()
	length := binary.LittleEndian.AppendUint32(nil, uint32(len(body)))
	return string(magic[:]) + command + strings.Repeat("\x00", 12-len(command)) + string(length) + "\x00\x00\x00\x00" + body
}

// StartNode starts a node that ends with the test.
func StartNode(t *testing.T) *Publisher {
	t.Helper()
	p := StartPublisher(t)
	p.Open(NodeOpening())
	return p
}
