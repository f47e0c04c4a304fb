package regtest

import (
	"net"
	"strings"
	"sync"

	"golang.org/x/net/dns/dnsmessage"
)

// nameServer says of every name that it is 127.0.0.1, and remembers who was
// asked for.
type nameServer struct {
	conn net.PacketConn

	mu    sync.Mutex
	names map[string]bool
}

func startNames() (*nameServer, error) {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0") //nolint:noctx // a port of this machine is had at once
	if err != nil {
		return nil, err
	}
	s := &nameServer{conn: conn, names: map[string]bool{}}
	go s.serve()
	return s, nil
}

// Close ends the server.
func (s *nameServer) Close() error { return s.conn.Close() }

func (s *nameServer) address() string { return s.conn.LocalAddr().String() }

func (s *nameServer) asked(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names[name]
}

func (s *nameServer) serve() {
	buf := make([]byte, 1500)
	for {
		n, from, err := s.conn.ReadFrom(buf)
		if err != nil {
			return
		}
		if reply, err := s.reply(buf[:n]); err == nil {
			_, _ = s.conn.WriteTo(reply, from)
		}
	}
}

func (s *nameServer) reply(packet []byte) ([]byte, error) {
	var query dnsmessage.Message
	if err := query.Unpack(packet); err != nil {
		return nil, err
	}
	reply := dnsmessage.Message{
		Header: dnsmessage.Header{ID: query.ID, Response: true, Authoritative: true}, Questions: query.Questions,
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range query.Questions {
		// The case of letters is the asker's check on forged answers.
		s.names[strings.ToLower(strings.TrimSuffix(q.Name.String(), "."))] = true
		if q.Type == dnsmessage.TypeA {
			reply.Answers = append(reply.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET, TTL: 60},
				Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
			})
		}
	}
	return reply.Pack()
}
