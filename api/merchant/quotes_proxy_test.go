package merchant_test

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/adapter"
	"github.com/durapay/durapay/internal/provider/providertest"
)

// startProxy runs a SOCKS5 proxy (RFC 1928, 1929) that connects every client to target. For each
// connection it reports the requested kind of address (3 is a name) and the address.
func startProxy(t *testing.T, target string) (address string, asked chan string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	asked = make(chan string, 100)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go relay(conn, target, asked)
		}
	}()
	return listener.Addr().String(), asked
}

func relay(conn net.Conn, target string, asked chan<- string) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	take := func(n int) []byte {
		b := make([]byte, n)
		_, _ = io.ReadFull(in, b)
		return b
	}
	take(int(take(2)[1])) // skips the methods; a name and a password follow
	_, _ = conn.Write([]byte{5, 2})
	take(int(take(2)[1]))
	take(int(take(1)[0]))
	_, _ = conn.Write([]byte{1, 0})
	kind := take(4)[3]
	host := string(take(int(take(1)[0])))
	asked <- fmt.Sprintf("%d %s:%d", kind, host, binary.BigEndian.Uint16(take(2)))
	out, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer out.Close()
	_, _ = conn.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	go func() { _, _ = io.Copy(out, in) }()
	_, _ = io.Copy(conn, out)
}

func TestQuotesGoThroughTheProxyWithACommonUserAgent(t *testing.T) {
	t.Parallel()
	headers := make(chan http.Header, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		headers <- r.Header
		providertest.Answer(http.StatusOK, exolixRate)(w, r)
	}))
	t.Cleanup(server.Close)
	proxy, asked := startProxy(t, server.Listener.Addr().String())
	const browser = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"
	through := func(socks string) provider.Provider {
		p, err := adapter.OpenProvider(adapter.ConfigEntry{
			Name: "ex", Kind: "exolix", URL: "http://rates.provider.example.com", Risk: provider.RiskAuto, Rating: provider.RatingA,
		}, config.Outbound{SOCKS5Proxy: socks, SwapUserAgent: browser})
		require.NoError(t, err)
		return p
	}
	b := setup(t, withProviders(time.Minute, through(proxy)))
	b.quote(t, "quote", "to=ltc").require(t, http.StatusOK)
	require.Equal(t, "3 rates.provider.example.com:80", <-asked, "the proxy resolves the name")
	sent := <-headers
	require.Equal(t, browser, sent.Get("User-Agent"))
	for _, name := range []string{"X-Forwarded-For", "Forwarded", "Via", "X-Request-Id", "Traceparent"} {
		require.Empty(t, sent.Get(name), name)
	}

	for _, socks := range []string{"", "127.0.0.1:1"} { // no proxy, and a proxy that is down
		away := setup(t, withProviders(time.Minute, through(socks)))
		away.quote(t, "quote", "to=ltc").require(t, http.StatusInternalServerError)
	}
	require.Empty(t, headers, "nothing ever goes directly")
}
