package e2e

import (
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// accept serves connections until the test ends, and returns where.
func accept(t *testing.T, carry func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				carry(conn)
			}()
		}
	}()
	return listener.Addr().String()
}

// line carries bytes between a service and a server. While it is shut nothing that the
// service says arrives.
type line struct {
	addr string
	shut sync.RWMutex
}

func startLine(t *testing.T, server string) *line {
	t.Helper()
	l := &line{}
	l.addr = accept(t, func(client net.Conn) {
		there, err := net.Dial("tcp", server)
		if err != nil {
			return
		}
		defer func() { _ = there.Close() }()
		go func() {
			defer func() { _ = client.Close() }()
			_, _ = io.Copy(client, there)
		}()
		for said := make([]byte, 32<<10); ; {
			n, err := client.Read(said)
			if err != nil {
				return
			}
			l.shut.RLock()
			_, err = there.Write(said[:n])
			l.shut.RUnlock()
			if err != nil {
				return
			}
		}
	})
	return l
}
