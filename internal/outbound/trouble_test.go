package outbound_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/testkit"
)

// startBadProxy accepts connections and calls serve with each. ended receives a
// value for each connection that its client has closed.
func startBadProxy(t *testing.T, serve func(in *bufio.Reader, conn net.Conn)) (address string, ended chan struct{}) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	ended = make(chan struct{}, 100)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				serve(bufio.NewReader(conn), conn)
				_, _ = io.Copy(io.Discard, conn) // until the client hangs up
				_ = conn.Close()
				ended <- struct{}{}
			}()
		}
	}()
	return listener.Addr().String(), ended
}

// A faulty proxy makes the call fail with an error that describes the fault.
// Nothing is ever sent directly to the target.
func TestProxyInTrouble(t *testing.T) {
	t.Parallel()
	target := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the target was called directly") })
	const connected = "\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00"
	after := func(answer string) func(*bufio.Reader, net.Conn) {
		return func(in *bufio.Reader, conn net.Conn) {
			_, _ = handshake(in, conn)
			_, _ = io.WriteString(conn, answer)
			_ = conn.Close()
		}
	}
	// asked connects, and answers once it has received the request, because an
	// earlier answer belongs to no request.
	asked := func(answer string) func(*bufio.Reader, net.Conn) {
		return func(in *bufio.Reader, conn net.Conn) {
			_, _ = handshake(in, conn)
			_, _ = io.WriteString(conn, connected)
			if req, err := http.ReadRequest(in); err == nil {
				_, _ = io.Copy(io.Discard, req.Body)
			}
			_, _ = io.WriteString(conn, answer)
			_ = conn.Close()
		}
	}
	bad := func(f func(*bufio.Reader, net.Conn)) string { address, _ := startBadProxy(t, f); return address }
	for name, c := range map[string]struct{ proxy, want string }{
		"down":               {closedAddress(t), "the proxy does not answer"},
		"hangs up at once":   {bad(func(_ *bufio.Reader, conn net.Conn) { _ = conn.Close() }), "the proxy could not reach the target"},
		"wants no password":  {bad(func(_ *bufio.Reader, conn net.Conn) { _, _ = conn.Write([]byte{5, 255}) }), "the proxy could not reach the target"},
		"speaks HTTP":        {bad(func(_ *bufio.Reader, conn net.Conn) { _, _ = io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\n\r\n") }), "the proxy could not reach the target"},
		"refuses":            {bad(after("\x05\x05\x00\x01\x00\x00\x00\x00\x00\x00")), "the proxy could not reach the target"},
		"knows no such host": {bad(after("\x05\x04\x00\x01\x00\x00\x00\x00\x00\x00")), "the proxy could not reach the target"},
		"dies midway":        {bad(after("\x05\x00\x00")), "the proxy could not reach the target"},
		"closes when asked":  {bad(asked("")), "connection closed"},
		"closes mid-answer":  {bad(asked("HTTP/1.1 200 OK\r\n")), "connection closed"},
		"talks nonsense":     {bad(asked("nonsense\r\n\r\n")), "request failed"},
	} {
		for _, url := range []string{target.URL, "http://" + onion + "/", "http://shop.example/"} {
			sender := newSender(outbound.SenderConfig{Policy: here(), SOCKS5Proxy: c.proxy})
			_, err := postTor(t, sender, url)
			require.Error(t, err, name)
			// A connection that is cut off may also show as a reset of the connection.
			require.Equal(t, c.want, outbound.Describe(err), "%s: %v", name, err)
			require.NotErrorIs(t, err, outbound.ErrForbiddenTarget, "%s: it is tried again", name)
		}
	}
}

// A proxy that is silent, or silent after it has connected, costs the time of
// one call. It leaves no connection behind.
func TestSlowProxyIsHungUpOn(t *testing.T) {
	t.Parallel()
	for name, serve := range map[string]func(*bufio.Reader, net.Conn){
		"silent":             func(*bufio.Reader, net.Conn) {},
		"silent after hello": func(_ *bufio.Reader, conn net.Conn) { _, _ = conn.Write([]byte{5, 2}) },
		"never connects":     func(in *bufio.Reader, conn net.Conn) { _, _ = handshake(in, conn) },
		"connects and is mute": func(in *bufio.Reader, conn net.Conn) {
			_, _ = handshake(in, conn)
			_, _ = conn.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
		},
	} {
		proxy, ended := startBadProxy(t, serve)
		timeout := 300 * time.Millisecond
		for !hungUpOn(t, proxy, timeout, ended) {
			timeout *= 4
			require.Less(t, timeout, 2*time.Minute, "%s: the connection is kept", name)
		}
	}
}

// hungUpOn reports whether a call through the proxy ended in its timeout and
// left no connection. Otherwise the machine may have been too busy to reach the
// proxy in that time.
func hungUpOn(t *testing.T, proxy string, timeout time.Duration, ended chan struct{}) bool {
	t.Helper()
	sender := newSender(outbound.SenderConfig{SOCKS5Proxy: proxy, TorTimeout: timeout})
	_, err := postTor(t, sender, "http://"+onion+"/")
	if said := outbound.Describe(err); said != "timeout" {
		require.Equal(t, "the proxy does not answer", said, "%v", err)
		return false
	}
	select {
	case <-ended:
		return true
	case <-time.After(8 * time.Minute):
		return false
	}
}

// closedAddress returns an address on which no process listens until the test ends.
func closedAddress(t *testing.T) string {
	t.Helper()
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(testkit.Port(t)))
}

// records stores the log.
type records struct {
	mu    sync.Mutex
	lines strings.Builder
}

func (r *records) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lines.Write(b)
}

func (r *records) text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lines.String()
}

// watch probes a proxy once and returns the result and the log.
func watch(t *testing.T, address string) (up bool, log string, w *outbound.Watch) {
	t.Helper()
	kept := &records{}
	looked := make(chan bool, 100)
	w = &outbound.Watch{
		Address: address, Log: slog.New(slog.NewTextHandler(kept, nil)), Probed: func(up bool) { looked <- up },
	}
	require.True(t, w.Up(), "nobody has asked yet")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); w.Run(ctx) }()
	up = <-looked
	cancel()
	<-ended
	return up, kept.text(), w
}

func TestStartSaysWhetherTheProxyIsThere(t *testing.T) {
	t.Parallel()
	good := startSOCKS(t, "127.0.0.1:1")
	up, log, w := watch(t, good.addr())
	for range 10 { // a busy machine may not have answered within the time for a proxy
		if !up {
			up, log, w = watch(t, good.addr())
		}
	}
	require.True(t, up)
	require.True(t, w.Up())
	require.Contains(t, log, "the SOCKS5 proxy answers")
	require.Empty(t, good.seen(), "nothing is asked for")

	other, _ := startBadProxy(t, func(_ *bufio.Reader, conn net.Conn) { _, _ = io.WriteString(conn, "SSH-2.0-x\r\n") })
	for _, address := range []string{closedAddress(t), other} {
		up, log, w := watch(t, address)
		require.False(t, up)
		require.False(t, w.Up())
		require.Contains(t, log, "level=ERROR")
		require.Contains(t, log, "the SOCKS5 proxy is down")
		require.Contains(t, log, address)
	}

	kept := &records{}
	none := &outbound.Watch{Log: slog.New(slog.NewTextHandler(kept, nil)), Probed: func(bool) { t.Error("there is nothing to look at") }}
	none.Run(t.Context())
	require.True(t, none.Up())
	require.Contains(t, kept.text(), "no SOCKS5 proxy is configured")
}
