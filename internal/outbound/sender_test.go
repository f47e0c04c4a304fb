package outbound_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/outbound"
)

// here returns a policy that allows one loopback address, which stands for the
// public internet.
func here() outbound.Policy {
	return outbound.Policy{AllowedNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
}

// newSender returns a Sender that waits for answers however busy the machine
// is, unless the configuration sets a timeout.
func newSender(c outbound.SenderConfig) *outbound.Sender {
	if c.Timeout == 0 {
		c.Timeout = time.Minute
	}
	if c.TorTimeout == 0 {
		c.TorTimeout = time.Minute
	}
	return outbound.NewSender(c)
}

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func post(t *testing.T, s *outbound.Sender, url string) (outbound.Response, error) {
	t.Helper()
	return s.Post(t.Context(), outbound.Request{URL: url, Body: []byte(`{}`)})
}

func TestPostSendsTheRequestAsItIs(t *testing.T) {
	t.Parallel()
	const body = `{"event":"ping", "data":{} }`
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got, err := io.ReadAll(r.Body)
		if err != nil || string(got) != body || r.Method != http.MethodPost || r.URL.String() != "/hook?a=1" ||
			r.Header.Get("X-Merchant-Signature") != "abc" || r.Header.Get("Content-Type") != "application/json" ||
			r.Header.Get("Accept-Encoding") != "" || r.Header.Get("Cookie") != "" {
			w.WriteHeader(http.StatusBadRequest)
		}
		w.Header().Set("Set-Cookie", "a=b")
		_, _ = w.Write([]byte("thanks"))
	})
	sender := newSender(outbound.SenderConfig{Policy: here()})
	for range 2 {
		resp, err := sender.Post(t.Context(), outbound.Request{
			URL: server.URL + "/hook?a=1", Body: []byte(body), Header: http.Header{"X-Merchant-Signature": {"abc"}},
		})
		require.NoError(t, err)
		require.Equal(t, outbound.Response{Status: 200, Answer: []byte("thanks")}, resp)
		require.True(t, resp.OK())
	}
}

func TestRedirectsAreAnswersNotOrders(t *testing.T) {
	t.Parallel()
	var followed atomic.Int32
	target := serve(t, func(http.ResponseWriter, *http.Request) { followed.Add(1) })
	for _, status := range []int{301, 302, 303, 307, 308} {
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, target.URL, status)
		})
		resp, err := post(t, newSender(outbound.SenderConfig{Policy: here()}), server.URL)
		require.NoError(t, err)
		require.Equal(t, status, resp.Status)
		require.False(t, resp.OK())
	}
	require.Zero(t, followed.Load())
}

func TestForbiddenTargetsAreNeverDialled(t *testing.T) {
	t.Parallel()
	answers := map[string][]string{}
	for class, text := range forbidden() {
		answers[hostOf(class)] = []string{text}
		answers["mixed-"+hostOf(class)] = []string{"1.1.1.1", text}
	}
	// A mapped address in a DNS answer is dialled and checked as plain IPv4.
	delete(answers, hostOf("mapped public"))
	delete(answers, "mixed-"+hostOf("mapped public"))
	sender := newSender(outbound.SenderConfig{Resolver: startDNS(t, answers).resolver()})
	for host := range answers {
		_, err := post(t, sender, "http://"+host+":8080/")
		require.ErrorIs(t, err, outbound.ErrForbiddenTarget, host)
		require.Equal(t, "target address is not allowed", outbound.Describe(err))
	}
	for class, text := range forbidden() {
		_, err := post(t, sender, "http://"+net.JoinHostPort(text, "8080")+"/")
		require.ErrorIs(t, err, outbound.ErrForbiddenTarget, class)
	}
}

func hostOf(class string) string {
	return strings.NewReplacer(" ", "-", "(", "", ")", "", "/", "-", ".", "-").Replace(class) + ".example"
}

func TestOddSpellingsReachNothing(t *testing.T) {
	t.Parallel()
	canary := serve(t, func(http.ResponseWriter, *http.Request) {})
	_, port, err := net.SplitHostPort(canary.Listener.Addr().String())
	require.NoError(t, err)
	sender := newSender(outbound.SenderConfig{Resolver: startDNS(t, nil).resolver()})
	for _, host := range []string{
		"localhost", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.0.0.1.", "１２７.0.0.1", "127。0。0。1",
		"[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::1]", "0", "0.0.0.0", "[::]",
	} {
		_, err := post(t, sender, "http://"+host+":"+port+"/")
		require.Error(t, err, host)
	}
}

// If a name changes from an allowed address to a private one, the next delivery
// must be refused.
func TestNameIsResolvedAgainAtEveryAttempt(t *testing.T) {
	t.Parallel()
	var public, private atomic.Int32
	server := serve(t, func(http.ResponseWriter, *http.Request) { public.Add(1) })
	port := server.Listener.Addr().(*net.TCPAddr).Port
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.2:%d", port))
	require.NoError(t, err)
	canary := &httptest.Server{Listener: listener, Config: &http.Server{
		Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { private.Add(1) }),
	}}
	canary.Start()
	t.Cleanup(canary.Close)

	dns := startDNS(t, map[string][]string{"shop.example": {"127.0.0.1"}})
	sender := newSender(outbound.SenderConfig{Policy: here(), Resolver: dns.resolver()})
	url := fmt.Sprintf("http://shop.example:%d/", port)

	resp, err := post(t, sender, url)
	require.NoError(t, err)
	require.True(t, resp.OK())
	dns.point("shop.example", "127.0.0.2")
	_, err = post(t, sender, url)
	require.ErrorIs(t, err, outbound.ErrForbiddenTarget)
	dns.point("shop.example", "127.0.0.1")
	_, err = post(t, sender, url)
	require.NoError(t, err)

	require.EqualValues(t, 2, public.Load())
	require.Zero(t, private.Load())
}

func TestDeadAddressDoesNotHideALivingOne(t *testing.T) {
	t.Parallel()
	server := serve(t, func(http.ResponseWriter, *http.Request) {})
	port := server.Listener.Addr().(*net.TCPAddr).Port
	policy := outbound.Policy{AllowedNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	dns := startDNS(t, map[string][]string{"shop.example": {"127.0.0.9", "127.0.0.1"}})
	sender := newSender(outbound.SenderConfig{Policy: policy, Resolver: dns.resolver()})
	resp, err := post(t, sender, fmt.Sprintf("http://shop.example:%d/", port))
	require.NoError(t, err)
	require.True(t, resp.OK())
}

func TestSilentReceiverTimesOut(t *testing.T) {
	t.Parallel()
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	sender := newSender(outbound.SenderConfig{Policy: here(), Timeout: 50 * time.Millisecond})
	_, err := post(t, sender, server.URL)
	require.Error(t, err)
	require.Equal(t, "timeout", outbound.Describe(err))
	require.NotErrorIs(t, err, outbound.ErrForbiddenTarget)
}

func TestStatusCountsEvenIfTheBodyNeverEnds(t *testing.T) {
	t.Parallel()
	var sent atomic.Int64
	endless := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		chunk := make([]byte, 32<<10)
		for {
			n, err := w.Write(chunk)
			sent.Add(int64(n))
			if err != nil {
				return
			}
		}
	})
	stalled := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusAccepted)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	resp, err := post(t, newSender(outbound.SenderConfig{Policy: here()}), endless.URL)
	require.NoError(t, err)
	require.True(t, resp.OK())
	endless.Close() // waits for the handler, which ends because the client went away
	require.Less(t, sent.Load(), int64(64<<20))

	// On a busy machine even the status may take longer than the timeout.
	for timeout := 100 * time.Millisecond; timeout < time.Minute; timeout *= 4 {
		short := newSender(outbound.SenderConfig{Policy: here(), Timeout: timeout})
		if resp, err = post(t, short, stalled.URL); err == nil {
			break
		}
	}
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, resp.Status)
}

func TestHangingReceiversDoNotStarveOtherReceivers(t *testing.T) {
	t.Parallel()
	const hanging = 1000
	arrived := make(chan struct{}, hanging)
	release := make(chan struct{})
	stuck := serve(t, func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-release
	})
	good := serve(t, func(http.ResponseWriter, *http.Request) {})
	sender := newSender(outbound.SenderConfig{Policy: here(), Timeout: time.Hour})
	done := make(chan error, hanging)
	for range hanging {
		go func() {
			_, err := sender.Post(t.Context(), outbound.Request{URL: stuck.URL})
			done <- err
		}()
	}
	for range hanging {
		<-arrived
	}
	for range 10 {
		resp, err := post(t, sender, good.URL)
		require.NoError(t, err)
		require.True(t, resp.OK())
	}
	close(release)
	for range hanging {
		require.NoError(t, <-done)
	}
}

func TestDescribeIsGeneral(t *testing.T) {
	t.Parallel()
	plain := serve(t, func(http.ResponseWriter, *http.Request) {})
	untrusted := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	untrusted.Config.ErrorLog = nil
	untrusted.StartTLS()
	t.Cleanup(untrusted.Close)
	old := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	old.TLS = &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}
	old.StartTLS()
	t.Cleanup(old.Close)

	sender := newSender(outbound.SenderConfig{Policy: here(), Resolver: startDNS(t, nil).resolver()})
	for url, want := range map[string]string{
		"http://" + closedAddress(t) + "/s3cret":    "connection refused",
		"https://" + plain.Listener.Addr().String(): "TLS error",
		untrusted.URL:                         "TLS error",
		old.URL:                               "TLS error",
		"http://missing.example/s3cret":       "host name could not be resolved",
		"http://" + answering(t, "").String(): "connection closed",
		"http://" + answering(t, "garbage\n").String(): "request failed",
		"http://10.0.0.1/s3cret":                       "target address is not allowed",
		"http://" + onion + "/s3cret":                  "target address is not allowed",
	} {
		_, err := post(t, sender, url)
		require.Error(t, err, url)
		require.Equal(t, want, outbound.Describe(err), "%s: %v", url, err)
		require.NotContains(t, err.Error(), "s3cret", "the error names no URL")
	}
	require.Empty(t, outbound.Describe(nil))
	require.Equal(t, "request failed", outbound.Describe(errors.New("pq: secret")))
	require.Equal(t, "no proxy is configured", outbound.Describe(outbound.ErrNoProxy))
}

// answering accepts connections, reads a request and writes raw bytes.
func answering(t *testing.T, text string) net.Addr {
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
			if req, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				_, _ = io.Copy(io.Discard, req.Body)
			}
			_, _ = io.WriteString(conn, text)
			_ = conn.Close()
		}
	}()
	return listener.Addr()
}

func TestOldTLSIsRefused(t *testing.T) {
	t.Parallel()
	for version, works := range map[uint16]bool{tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		server.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: version}
		server.StartTLS()
		t.Cleanup(server.Close)
		client := outbound.NewDirect(here(), outbound.Options{Timeout: time.Minute})
		transport, ok := client.Transport.(*http.Transport)
		require.True(t, ok)
		transport.TLSClientConfig.RootCAs = x509.NewCertPool()
		transport.TLSClientConfig.RootCAs.AddCert(server.Certificate())
		resp, err := client.Get(server.URL)
		require.Equal(t, works, err == nil, "%x: %v", version, err)
		if err == nil {
			require.NoError(t, resp.Body.Close())
		}
	}
}

func TestHugeHeadersAreRefused(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Big", strings.Repeat("a", 256<<10))
	})
	_, err := post(t, newSender(outbound.SenderConfig{Policy: here()}), server.URL)
	require.Error(t, err)
}

func TestProxyOfTheEnvironmentIsIgnored(t *testing.T) {
	t.Parallel()
	for _, client := range []*http.Client{
		outbound.NewDirect(outbound.Policy{}, outbound.Options{}),
		outbound.NewProxied("127.0.0.1:9050", outbound.Policy{}, outbound.Options{}),
	} {
		transport, ok := client.Transport.(*http.Transport)
		require.True(t, ok)
		require.Nil(t, transport.Proxy)
		require.Nil(t, client.Jar)
	}
}
