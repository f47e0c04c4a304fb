package outbound_test

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// connectRequest is a client's request to a SOCKS5 proxy.
type connectRequest struct {
	kind           byte
	host           string
	port           uint16
	user, password string
}

const (
	kindIPv4 = 1
	kindName = 3
)

// socksServer is a SOCKS5 proxy (RFC 1928, 1929) that requires credentials and
// connects every request to one fixed target. Without a target it refuses the
// request.
type socksServer struct {
	listener net.Listener
	target   string

	mu       sync.Mutex
	requests []connectRequest
}

func startSOCKS(t *testing.T, target string) *socksServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &socksServer{listener: listener, target: target}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go s.serve(conn)
		}
	}()
	return s
}

func (s *socksServer) addr() string { return s.listener.Addr().String() }

func (s *socksServer) seen() []connectRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]connectRequest(nil), s.requests...)
}

func (s *socksServer) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	in := bufio.NewReader(conn)
	request, err := handshake(in, conn)
	if err != nil {
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, request)
	s.mu.Unlock()

	out, err := net.Dial("tcp", s.target)
	if err != nil {
		_, _ = conn.Write([]byte{5, 4, 0, 1, 0, 0, 0, 0, 0, 0}) // host unreachable
		return
	}
	defer func() { _ = out.Close() }()
	_, _ = conn.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	go func() { _, _ = io.Copy(out, in) }()
	_, _ = io.Copy(conn, out)
}

func handshake(in *bufio.Reader, out io.Writer) (r connectRequest, err error) {
	if _, err = take(in, 1); err != nil {
		return r, err
	}
	if _, err = takeString(in); err != nil { // methods
		return r, err
	}
	if _, err = out.Write([]byte{5, 2}); err != nil {
		return r, err
	}
	if _, err = take(in, 1); err != nil {
		return r, err
	}
	if r.user, err = takeString(in); err != nil {
		return r, err
	}
	if r.password, err = takeString(in); err != nil {
		return r, err
	}
	if _, err = out.Write([]byte{1, 0}); err != nil {
		return r, err
	}
	head, err := take(in, 4)
	if err != nil {
		return r, err
	}
	if r.kind = head[3]; r.kind == kindIPv4 {
		var ip []byte
		ip, err = take(in, 4)
		r.host = net.IP(ip).String()
	} else {
		r.host, err = takeString(in)
	}
	if err != nil {
		return r, err
	}
	port, err := take(in, 2)
	if err == nil {
		r.port = binary.BigEndian.Uint16(port)
	}
	return r, err
}

func take(in io.Reader, n int) ([]byte, error) {
	b := make([]byte, n)
	_, err := io.ReadFull(in, b)
	return b, err
}

func takeString(in io.Reader) (string, error) {
	length, err := take(in, 1)
	if err != nil {
		return "", err
	}
	b, err := take(in, int(length[0]))
	return string(b), err
}
