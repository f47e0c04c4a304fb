package outbound_test

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
)

// nameServer is a DNS server on loopback. Each name has a list of answers; one
// is used up by each address lookup, and the last one stays.
type nameServer struct {
	conn net.PacketConn

	mu      sync.Mutex
	answers map[string][][]string
	asked   map[string]int
}

func startDNS(t *testing.T, answers map[string][][]string) *nameServer {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &nameServer{conn: conn, answers: answers, asked: map[string]int{}}
	done := make(chan struct{})
	go func() { defer close(done); s.serve() }()
	t.Cleanup(func() { _ = conn.Close(); <-done })
	return s
}

func (s *nameServer) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", s.conn.LocalAddr().String())
	}}
}

// lookups is how often the IPv4 addresses of a name were asked for.
func (s *nameServer) lookups(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[name]
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
	addrs, known := s.take(question)
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

func (s *nameServer) take(q dnsmessage.Question) ([]netip.Addr, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := strings.TrimSuffix(q.Name.String(), ".")
	list, known := s.answers[name]
	if !known {
		return nil, false
	}
	turn := min(s.asked[name], len(list)-1)
	if q.Type == dnsmessage.TypeA {
		s.asked[name]++
	}
	var out []netip.Addr
	for _, text := range list[turn] {
		out = append(out, netip.MustParseAddr(text))
	}
	return out, true
}
