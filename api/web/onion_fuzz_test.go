package web

import (
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzCircuitLine checks that a connection is accepted only if its first line names a circuit of
// Tor's network, no matter which bytes it starts with.
func FuzzCircuitLine(f *testing.F) {
	for _, line := range []string{
		circuitLine("fc00:dead:beef:4dad::1"), circuitLine("fc00:dead:beef:4dae::1"), "PROXY TCP4 1.2.3.4 1.2.3.4 1 2\r\n", "PROXY UNKNOWN\r\n",
		"GET / HTTP/1.1\r\n", "\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c", "PROXY", "",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		require.NoError(t, err)
		onion := ListenOnion(listener)
		defer func() { require.NoError(t, onion.Close()) }()
		go func() {
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", listener.Addr().String())
			if err == nil {
				_, _ = io.WriteString(conn, line)
				_ = conn.Close()
			}
		}()
		conn, err := onion.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		if _, err := conn.Read(make([]byte, 1)); err != nil && !strings.Contains(err.Error(), "EOF") {
			return // refused
		}
		from, err := netip.ParseAddrPort(conn.RemoteAddr().String())
		require.NoError(t, err)
		if !from.Addr().IsLoopback() { // a refused line leaves the connection's own address
			require.True(t, netip.MustParsePrefix("fc00:dead:beef:4dad::/64").Contains(from.Addr()), line)
		}
	})
}
