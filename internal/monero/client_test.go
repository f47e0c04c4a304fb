package monero

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sony/gobreaker/v2"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/jsonrpc"
	"github.com/durapay/durapay/internal/testkit"
)

func TestDigestLogin(t *testing.T) {
	t.Parallel()
	needProcesses(t)
	p, _ := startWallet(t, testkit.Port(t), "--rpc-login", "someone:a:secret")
	at := p.endpoint()
	at.Login = "someone:a:secret"
	w := NewWallet(at, unhurried())
	defer w.Close()
	awaitReady(t, func(ctx context.Context) error { _, err := w.Version(ctx); return err })

	t.Run("many calls at once", func(t *testing.T) {
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				for range 5 {
					v, err := w.Version(t.Context())
					if err != nil || v.Major != 1 {
						t.Errorf("version %v: %v", v, err)
					}
				}
			})
		}
		group.Wait()
	})
	t.Run("a broken connection needs a new nonce", func(t *testing.T) {
		w.Close()
		_, err := w.Version(t.Context())
		require.NoError(t, err)
	})
	for name, login := range map[string]string{"none": "", "wrong": "someone:else"} {
		t.Run(name, func(t *testing.T) {
			stranger := NewWallet(Endpoint{URL: at.URL, Login: login}, Options{CallTimeout: maxWait, BreakerFailures: 1})
			defer stranger.Close()
			for range 3 {
				_, err := stranger.Version(t.Context())
				require.ErrorIs(t, err, ErrLogin)
				require.NotContains(t, err.Error(), "else")
			}
		})
	}
}

// lossyProxy stands in front of a real process. It drops as many connections as
// it is allowed to, after it has read the request.
type lossyProxy struct {
	listener net.Listener
	target   int
	drops    atomic.Int32
	dropped  atomic.Int32
}

func startLossyProxy(t *testing.T, target *process) *lossyProxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &lossyProxy{listener: l, target: target.port}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(conn)
		}
	}()
	return p
}

func (p *lossyProxy) serve(conn net.Conn) {
	defer conn.Close()
	first := make([]byte, 4096)
	n, err := conn.Read(first)
	if err != nil {
		return
	}
	if p.drops.Add(-1) >= 0 {
		p.dropped.Add(1)
		return
	}
	up, err := net.DialTCP("tcp", nil, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: p.target})
	if err != nil {
		return
	}
	defer up.Close()
	if _, err := up.Write(first[:n]); err != nil {
		return
	}
	go func() { _, _ = io.Copy(up, conn); _ = up.CloseWrite() }()
	_, _ = io.Copy(conn, up)
}

func (p *lossyProxy) endpoint() Endpoint {
	return Endpoint{URL: "http://" + p.listener.Addr().String()}
}

func TestOnlyReadsAreRetriedWhenTheConnectionBreaks(t *testing.T) {
	t.Parallel()
	needProcesses(t)
	p, direct := startWallet(t, testkit.Port(t), "--disable-rpc-login")
	awaitReady(t, func(ctx context.Context) error { _, err := direct.Version(ctx); return err })
	proxy := startLossyProxy(t, p)
	options := Options{CallTimeout: maxWait, RetryPause: time.Millisecond}

	t.Run("a read succeeds the second time", func(t *testing.T) {
		w := NewWallet(proxy.endpoint(), options)
		defer w.Close()
		proxy.drops.Store(1)
		v, err := w.Version(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 1, v.Major)
		require.EqualValues(t, 1, proxy.dropped.Swap(0))
	})
	t.Run("twice broken is unavailable", func(t *testing.T) {
		w := NewWallet(proxy.endpoint(), options)
		defer w.Close()
		proxy.drops.Store(2)
		_, err := w.Version(t.Context())
		require.ErrorIs(t, err, ErrUnavailable)
		require.EqualValues(t, 2, proxy.dropped.Swap(0))
	})
	t.Run("making an address is not repeated", func(t *testing.T) {
		w := NewWallet(proxy.endpoint(), options)
		defer w.Close()
		proxy.drops.Store(1)
		_, err := w.CreateAddresses(t.Context(), 1)
		require.ErrorIs(t, err, ErrUnavailable)
		require.EqualValues(t, 1, proxy.dropped.Swap(0))
	})
	t.Run("relaying is not repeated", func(t *testing.T) {
		d := NewDaemon(proxy.endpoint(), options)
		defer d.Close()
		proxy.drops.Store(1)
		require.ErrorIs(t, d.Relay(t.Context(), "00"), ErrUnavailable)
		require.EqualValues(t, 1, proxy.dropped.Swap(0))
	})
}

func TestBreakerOpensAndTheWalletComesBack(t *testing.T) {
	t.Parallel()
	needProcesses(t)
	p, w := startWallet(t, testkit.Port(t), "--disable-rpc-login")
	awaitReady(t, func(ctx context.Context) error { _, err := w.Version(ctx); return err })
	guarded := NewWallet(p.endpoint(), Options{
		CallTimeout: maxWait, BreakerFailures: 2, BreakerPause: 10 * time.Millisecond, RetryPause: time.Millisecond,
	})
	defer guarded.Close()

	for range 5 {
		_, err := guarded.Height(t.Context())
		var rpc *jsonrpc.MethodError
		require.ErrorAs(t, err, &rpc, "no wallet is open: answered, not a failure of transport")
		require.Equal(t, "get_height", rpc.Method)
		require.ErrorIs(t, err, ErrUnavailable)
		require.NotErrorIs(t, err, gobreaker.ErrOpenState)
	}
	p.kill()
	await(t, func() bool {
		_, err := guarded.Version(t.Context())
		require.ErrorIs(t, err, ErrUnavailable)
		return errors.Is(err, gobreaker.ErrOpenState)
	})
	p.start(t)
	awaitReady(t, func(ctx context.Context) error { _, err := guarded.Version(ctx); return err })
}

func TestASilentProcessIsUnavailableAndACallerMayGo(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	at := Endpoint{URL: "http://user:password@" + silent.Addr().String()}

	w := NewWallet(at, Options{CallTimeout: 20 * time.Millisecond})
	defer w.Close()
	_, err = w.Version(t.Context())
	require.ErrorIs(t, err, ErrUnavailable)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NotContains(t, err.Error(), "password")

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = w.Version(gone)
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, ErrUnavailable)
}
