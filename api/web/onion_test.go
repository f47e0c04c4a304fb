package web

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// namer answers with the name under which a request is counted.
func namer(w http.ResponseWriter, r *http.Request) {
	_, _ = io.WriteString(w, ClientIP(r, []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("fc00::/7")}))
}

// serveNames starts a server, as an onion listener or as a plain one.
func serveNames(t *testing.T, onion bool) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := &http.Server{Handler: http.HandlerFunc(namer), ReadHeaderTimeout: time.Minute}
	served := listener
	if onion {
		served, server.ConnContext = ListenOnion(listener), OnionContext
	}
	go func() { _ = server.Serve(served) }()
	t.Cleanup(func() { _ = server.Close() })
	return listener.Addr().String()
}

// exchange sends raw bytes and returns the answer; nil when there is none.
func exchange(t *testing.T, address, text string) *http.Response {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = io.WriteString(conn, text)
	require.NoError(t, err)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return nil
	}
	return res
}

const plainRequest = "GET / HTTP/1.1\r\nHost: x.onion\r\nX-Forwarded-For: 203.0.113.5\r\nConnection: close\r\n\r\n"

// circuitLine returns the line as Tor writes it.
func circuitLine(circuit string) string { return "PROXY TCP6 " + circuit + " ::1 65535 42\r\n" }

func TestOnionListenerDistinguishesCircuits(t *testing.T) {
	t.Parallel()
	address := serveNames(t, true)
	for circuit, want := range map[string]string{
		"fc00:dead:beef:4dad::0:2a":      "circuit fc00:dead:beef:4dad::2a",
		"fc00:dead:beef:4dad::0:2b":      "circuit fc00:dead:beef:4dad::2b",
		"fc00:dead:beef:4dad::ffff:ffff": "circuit fc00:dead:beef:4dad::ffff:ffff",
	} {
		res := exchange(t, address, circuitLine(circuit)+plainRequest)
		require.NotNil(t, res)
		name, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.Equal(t, want, string(name), "whatever the visitor claims in X-Forwarded-For")
	}
}

func TestOnionListenerAnswersTorAlone(t *testing.T) {
	t.Parallel()
	address := serveNames(t, true)
	binary := "\r\n\r\n\x00\r\nQUIT\n\x20\x00\x00\x00" // version 2, LOCAL
	for _, begin := range []string{
		"", binary, "PROXY UNKNOWN\r\n", "PROXY TCP4 203.0.113.5 127.0.0.1 1 2\r\n", "PROXY TCP6 ::1 ::1 1 2\r\n",
		"PROXY TCP6 fc00:dead:beef:4dae::1 ::1 1 2\r\n", "PROXY TCP6 fc00:dead:beef:4dad::1\r\n", "PROXY " + strings.Repeat("x", 300),
	} {
		require.Nil(t, exchange(t, address, begin+plainRequest), "%q", begin)
	}
}

func TestPlainListenerKnowsNoCircuits(t *testing.T) {
	t.Parallel()
	address := serveNames(t, false)
	res := exchange(t, address, circuitLine("fc00:dead:beef:4dad::0:2a")+plainRequest)
	require.NotNil(t, res)
	require.Equal(t, http.StatusBadRequest, res.StatusCode, "the line is no request")
	res = exchange(t, address, plainRequest)
	require.NotNil(t, res)
	name, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Equal(t, "203.0.113.5", string(name))
}

// A silent connection does not delay other visitors.
func TestSilentConnectionsHoldUpNoVisitor(t *testing.T) {
	t.Parallel()
	address := serveNames(t, true)
	for range 20 {
		conn, err := net.Dial("tcp", address)
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
	}
	require.NotNil(t, exchange(t, address, circuitLine("fc00:dead:beef:4dad::0:1")+plainRequest))
}
