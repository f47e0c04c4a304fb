package outbound_test

import (
	"io"
	"net"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/outbound"
)

func torSender(proxy string) *outbound.Sender {
	return newSender(outbound.SenderConfig{SOCKS5Proxy: proxy})
}

func postTor(t *testing.T, s *outbound.Sender, url string) (outbound.Response, error) {
	t.Helper()
	return s.Post(t.Context(), outbound.Request{URL: url, Body: []byte(`{}`), UseTor: true})
}

func TestProxyGetsTheNameUnresolved(t *testing.T) {
	t.Parallel()
	var host string
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) { host = r.Host })
	socks := startSOCKS(t, server.Listener.Addr().String())
	resp, err := postTor(t, torSender(socks.addr()), "http://"+onion+":81/hook")
	require.NoError(t, err)
	require.True(t, resp.OK())
	require.Equal(t, onion+":81", host)

	seen := socks.seen()
	require.Len(t, seen, 1)
	require.EqualValues(t, kindName, seen[0].kind)
	require.Equal(t, onion, seen[0].host)
	require.EqualValues(t, 81, seen[0].port)
}

func TestPublicLiteralAddressGoesThroughTheProxyToo(t *testing.T) {
	t.Parallel()
	server := serve(t, func(http.ResponseWriter, *http.Request) {})
	socks := startSOCKS(t, server.Listener.Addr().String())
	_, err := postTor(t, torSender(socks.addr()), "http://1.1.1.1/")
	require.NoError(t, err)
	require.EqualValues(t, kindIPv4, socks.seen()[0].kind)
	require.Equal(t, "1.1.1.1", socks.seen()[0].host)
}

func TestEachHostHasItsOwnCircuit(t *testing.T) {
	t.Parallel()
	server := serve(t, func(http.ResponseWriter, *http.Request) {})
	socks := startSOCKS(t, server.Listener.Addr().String())
	sender := torSender(socks.addr())
	for _, url := range []string{"http://a.example/", "http://b.example/", "http://A.example/again"} {
		_, err := postTor(t, sender, url)
		require.NoError(t, err)
	}
	_, err := postTor(t, torSender(socks.addr()), "http://a.example/")
	require.NoError(t, err)

	seen := socks.seen()
	require.Len(t, seen, 4)
	require.NotEmpty(t, seen[0].user)
	require.NotEmpty(t, seen[0].password)
	require.NotEqual(t, seen[0].user, seen[1].user, "another host")
	require.Equal(t, seen[0].user, seen[2].user, "the same host")
	require.Equal(t, seen[0].password, seen[2].password)
	require.NotEqual(t, seen[0].password, seen[3].password, "another process")
}

func TestProxyIsNotAskedForPrivateHosts(t *testing.T) {
	t.Parallel()
	server := serve(t, func(http.ResponseWriter, *http.Request) {})
	socks := startSOCKS(t, server.Listener.Addr().String())
	sender := torSender(socks.addr())
	hosts := []string{
		"localhost", "LOCALHOST.", "app.localhost", "postgres", "postgres.", "db.internal", "printer.local", "nas.lan",
		"127.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.0.0.1.", "１２７.0.0.1",
	}
	for _, text := range forbidden() {
		addr := netip.MustParseAddr(text)
		if addr.Is6() {
			text = "[" + text + "]"
		}
		hosts = append(hosts, text)
	}
	for _, host := range hosts {
		_, err := postTor(t, sender, "http://"+host+"/")
		require.ErrorIs(t, err, outbound.ErrForbiddenTarget, host)
	}
	require.Empty(t, socks.seen())
}

func TestAllowedNetsCountThroughTheProxy(t *testing.T) {
	t.Parallel()
	server := serve(t, func(http.ResponseWriter, *http.Request) {})
	socks := startSOCKS(t, server.Listener.Addr().String())
	sender := newSender(outbound.SenderConfig{Policy: here(), SOCKS5Proxy: socks.addr()})
	for _, host := range []string{"127.0.0.1", "localhost"} {
		_, err := postTor(t, sender, "http://"+host+"/")
		require.NoError(t, err, host)
	}
	_, err := postTor(t, sender, "http://127.0.0.2/")
	require.ErrorIs(t, err, outbound.ErrForbiddenTarget)
}

func TestThereIsNoDirectFallback(t *testing.T) {
	t.Parallel()
	server := serve(t, func(http.ResponseWriter, *http.Request) {})
	for proxy, want := range map[string]string{
		"":                                  "no proxy is configured",
		startSOCKS(t, "127.0.0.1:1").addr(): "the proxy could not reach the target",
		"127.0.0.1:1":                       "the proxy does not answer",
	} {
		sender := newSender(outbound.SenderConfig{Policy: here(), SOCKS5Proxy: proxy})
		_, err := postTor(t, sender, server.URL)
		require.Error(t, err)
		require.Equal(t, want, outbound.Describe(err), "%v", err)
		require.NotErrorIs(t, err, outbound.ErrForbiddenTarget)
	}
	_, err := outbound.NewProxied("", outbound.Policy{}, outbound.Options{}).Get("http://shop.example/")
	require.ErrorIs(t, err, outbound.ErrNoProxy)
}

func TestSilentProxyTimesOut(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = silent.Close() })
	// On a busy machine the timeout may end before the proxy is reached.
	for timeout := 50 * time.Millisecond; timeout < 2*time.Minute; timeout *= 4 {
		sender := newSender(outbound.SenderConfig{SOCKS5Proxy: silent.Addr().String(), TorTimeout: timeout})
		if _, err = postTor(t, sender, "http://shop.example/"); outbound.Describe(err) == "timeout" {
			break
		}
	}
	require.Equal(t, "timeout", outbound.Describe(err), "%v", err)
}

func TestProxiedClientDoesNotFollowRedirects(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://b.example/", http.StatusFound)
	})
	socks := startSOCKS(t, server.Listener.Addr().String())
	resp, err := outbound.NewProxied(socks.addr(), outbound.Policy{}, outbound.Options{Timeout: time.Minute}).Get("http://a.example/")
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusFound, resp.StatusCode)
	require.Len(t, socks.seen(), 1)
}
