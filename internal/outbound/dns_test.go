package outbound_test

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
)

// nameServer is a DNS server on loopback that knows the addresses of names.
type nameServer struct {
	conn net.PacketConn

	mu      sync.Mutex
	answers map[string][]string
}

func startDNS(t *testing.T, answers map[string][]string) *nameServer {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &nameServer{conn: conn, answers: answers}
	done := make(chan struct{})
	go func() { defer close(done); s.serve() }()
	t.Cleanup(func() { _ = conn.Close(); <-done })
	return s
}

func (s *nameServer) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		conn, err := d.DialContext(ctx, "udp", s.conn.LocalAddr().String())
		if err != nil {
			return nil, err
		}
		return noDeadlineConn{conn.(*net.UDPConn)}, nil
	}}
}

// noDeadlineConn waits for the answer however busy the machine is. By default the
// resolver would give up after the timeout in the machine's settings.
type noDeadlineConn struct{ *net.UDPConn }

// SetDeadline does nothing.
func (noDeadlineConn) SetDeadline(time.Time) error { return nil }

func (s *nameServer) point(name, address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[name] = []string{address}
}

func (s *nameServer) serve() {
	buf := make([]byte, 1500)
	for {
		n, from, err := s.conn.ReadFrom(buf)
		if err != nil {
			return
		}
		var query dnsmessage.Message
		if query.Unpack(buf[:n]) != nil || len(query.Questions) != 1 {
			continue
		}
		if reply, err := s.reply(query); err == nil {
			_, _ = s.conn.WriteTo(reply, from)
		}
	}
}

func (s *nameServer) reply(query dnsmessage.Message) ([]byte, error) {
	question := query.Questions[0]
	reply := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: query.ID, Response: true, Authoritative: true},
		Questions: query.Questions,
	}
	addrs, known := s.find(question)
	if !known {
		reply.RCode = dnsmessage.RCodeNameError
	}
	head := dnsmessage.ResourceHeader{Name: question.Name, Class: dnsmessage.ClassINET}
	for _, a := range addrs {
		switch {
		case a.Is4() && question.Type == dnsmessage.TypeA:
			reply.Answers = append(reply.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AResource{A: a.As4()}})
		case a.Is6() && question.Type == dnsmessage.TypeAAAA:
			reply.Answers = append(reply.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
		}
	}
	return reply.Pack()
}

func (s *nameServer) find(q dnsmessage.Question) ([]netip.Addr, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list, known := s.answers[strings.TrimSuffix(q.Name.String(), ".")]
	var out []netip.Addr
	for _, text := range list {
		out = append(out, netip.MustParseAddr(text))
	}
	return out, known
}
