package swap_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/httprate"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/swap"
	"github.com/durapay/durapay/api/web"
)

// clients counts the requests of each client without a time window.
type clients struct {
	mu   sync.Mutex
	made map[string]int
}

func (c *clients) Config(int, time.Duration)                  {}
func (c *clients) Increment(client string, w time.Time) error { return c.IncrementBy(client, w, 1) }
func (c *clients) IncrementBy(client string, _ time.Time, n int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made[client] += n
	return nil
}

func (c *clients) Get(client string, _, _ time.Time) (now, before int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.made[client], 0, nil
}

// throughTor returns a client of an API behind an onion listener, on a circuit.
func throughTor(t *testing.T, address string, circuit int) func(path string, h ...header) int {
	t.Helper()
	return throughTorBy(t, address, circuit, http.MethodGet)
}

// throughTorBy is throughTor with another method.
func throughTorBy(t *testing.T, address string, circuit int, method string) func(path string, h ...header) int {
	t.Helper()
	client := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
			if err == nil {
				_, err = fmt.Fprintf(conn, "PROXY TCP6 fc00:dead:beef:4dad::%x:%x ::1 1 80\r\n", circuit>>16, circuit&0xffff)
			}
			return conn, err
		},
	}}
	return func(path string, headers ...header) int {
		req, err := http.NewRequestWithContext(t.Context(), method, onionURL+path, nil)
		require.NoError(t, err)
		for _, h := range headers {
			h(req.Header)
		}
		res, err := client.Do(req)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, onionURL+path, res.Header.Get("Onion-Location"))
		return res.StatusCode
	}
}

// limitedOnion returns an API whose rate-limit windows do not move, behind an onion listener
// and a plain one.
func limitedOnion(t *testing.T, change ...func(*swap.Deps)) (b *bench, address string) {
	t.Helper()
	limits := func(d *swap.Deps) {
		d.Counter = func(string) httprate.LimitCounter { return &clients{made: map[string]int{}} }
		for _, c := range change {
			c(d)
		}
		handler, err := swap.NewHandler(*d)
		require.NoError(t, err)
		mirror := httptest.NewUnstartedServer(handler)
		address, mirror.Listener = mirror.Listener.Addr().String(), web.ListenOnion(mirror.Listener)
		mirror.Config.ConnContext = web.OnionContext
		mirror.Start()
		t.Cleanup(mirror.Close)
	}
	if len(change) > 0 {
		return setupWithTemporal(t, limits), address
	}
	return setup(t, nil, limits), address
}

func TestCircuitsAreCountedApartAndTogether(t *testing.T) {
	t.Parallel()
	b, address := limitedOnion(t)
	const path = "/api/v1/coin"
	spend := func(circuit int) (allowed int) {
		ask := throughTor(t, address, circuit)
		for ask(path) != http.StatusTooManyRequests {
			allowed++
		}
		return allowed
	}
	for circuit := range 10 {
		require.Equal(t, 60, spend(circuit+1), "each circuit is a client")
	}
	require.Zero(t, spend(99_999), "all of them together are ten")
	key := with("API-Key", b.key(t, "affiliate"))
	require.Equal(t, http.StatusOK, throughTor(t, address, 99_999)(path, key), "who has a key is counted by it")
}

// Unpaid trades of all callers who come through Tor share one limit, because their
// reservations are not available to other callers.
func TestCircuitsShareWhatIsKeptWithoutADeposit(t *testing.T) {
	t.Parallel()
	b, address := limitedOnion(t, func(d *swap.Deps) { d.Quoter.UnfundedPercent, d.Quoter.ClientPercent = 50, 20 })
	var made int
	for circuit := range 8 {
		path := "/api/v1/new_trade?" + tradeQuery("amount_from", "20").Encode()
		status := throughTor(t, address, circuit+1)(path, with("Idempotency-Key", "circuit"+strconv.Itoa(circuit)))
		if status == http.StatusCreated {
			made++
			continue
		}
		require.Equal(t, http.StatusServiceUnavailable, status)
	}
	require.Equal(t, 5, made, "a fifth of the inventory")
	require.Equal(t, http.StatusCreated, b.get(t, "new_trade", tradeQuery("amount_from", "20"), with("Idempotency-Key", "clearnet")).status)
}
