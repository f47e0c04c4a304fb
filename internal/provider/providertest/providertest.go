// Package providertest contains tests that every adapter of a swap provider must
// pass. They cover a provider that is down, answers nonsense, stops answering after
// an order, or makes a swap that differs from the order. The provider is an HTTP
// server in the test that sends the provider's recorded answers.
package providertest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/upstream"
	"github.com/durapay/durapay/internal/testkit"
)

// The values of the tests' order: 1.5 XMR for LTC.
const (
	Amount  = "1.5"
	Deposit = "888tNkZrPN6JsEgekjMnABU4TBzc2Dt29EPAvkRxbANsAnjyPbb3iQ1YBRk1UXcdRsiKc9dhwMVgN5S9cQUiyoogDavup3H"
	Payout  = "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9"
	Refund  = "44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A"
	// foreign is an address of another coin.
	foreign = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
)

// Shape contains the recorded answers of a provider.
type Shape struct {
	// New makes the adapter.
	New func(c *upstream.Client) provider.Provider
	// CreatePath is the path for orders.
	CreatePath string
	// Created is the JSON object that answers an order. The fields below are the names of
	// its checked fields.
	Created                                   string
	ID, Deposit, PaidTo, AmountFrom, AmountTo string
	// Status answers a look-up of SwapID. StatusWord is the name of its field for the
	// state.
	Status, StatusWord, SwapID string
	// StatusList reports whether Status is wrapped in a list.
	StatusList bool
	// UnknownSwap is the body of the 404 for a swap that the provider does not know.
	UnknownSwap string
}

// Request returns a request for a quote of the tests' swap.
func Request(t *testing.T) provider.Request {
	t.Helper()
	from, ok := coin.Lookup("xmr", "Mainnet")
	require.True(t, ok)
	to, ok := coin.Lookup("ltc", "Mainnet")
	require.True(t, ok)
	return provider.Request{From: from, To: to, Amount: money.MustDecimal(Amount)}
}

// Token returns a request to swap tokens of one network for tokens of another.
func Token(t *testing.T) provider.Request {
	t.Helper()
	from, ok := coin.Lookup("usdt", "ERC20")
	require.True(t, ok)
	to, ok := coin.Lookup("usdt", "TRC20")
	require.True(t, ok)
	return provider.Request{From: from, To: to, Amount: money.MustDecimal(Amount)}
}

// Order returns an order of the tests' swap.
func Order(t *testing.T) provider.Order {
	t.Helper()
	return provider.Order{Request: Request(t), Address: Payout, Refund: Refund}
}

// Serve starts a server and returns a client for it.
func Serve(tb testing.TB, handler http.HandlerFunc) *upstream.Client {
	tb.Helper()
	server := httptest.NewServer(handler)
	tb.Cleanup(server.Close)
	return client(server.URL, time.Minute)
}

func client(url string, timeout time.Duration) *upstream.Client {
	policy := outbound.Policy{AllowedNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	return &upstream.Client{
		HTTP: outbound.NewDirect(policy, outbound.Options{Timeout: timeout}), Base: url, UserAgent: "Mozilla/5.0 (of the tests)",
	}
}

// Answer returns a handler that writes a status and a body.
func Answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// trouble is a fault of a provider, and the expected error of an order.
type trouble struct {
	name    string
	handler http.HandlerFunc
	order   error
}

func troubles() []trouble {
	list := []trouble{
		{"closes the connection", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_ = conn.Close()
			}
		}, provider.ErrUncertain},
	}
	for name, body := range map[string]string{
		"nothing": "", "a page": "<html>error</html>", "null": "null", "a number": "1", "a text": `"ok"`, "half": `{"id":"1"`,
		"an empty object": "{}", "an empty list": "[]", "too much": `{"id":"` + strings.Repeat("a", 2<<20) + `"}`,
	} {
		list = append(list, trouble{"answers " + name, Answer(http.StatusOK, body), provider.ErrUncertain})
	}
	// A proxy in front of a provider has its own pages: nginx one for each status, Caddy
	// an empty body. None of them comes from the provider.
	for _, status := range []int{400, 404, 405, 409, 414, 421, 422} {
		list = append(list, trouble{fmt.Sprintf("answers %d and nothing", status), Answer(status, ""), provider.ErrUncertain})
	}
	for status, order := range map[int]error{
		400: provider.ErrUncertain, 404: provider.ErrUncertain, 405: provider.ErrUncertain, 414: provider.ErrUncertain, 422: provider.ErrUncertain,
		302: provider.ErrUncertain, 401: provider.ErrUnavailable, 403: provider.ErrUnavailable, 408: provider.ErrUncertain,
		429: provider.ErrUnavailable, 500: provider.ErrUncertain, 502: provider.ErrUncertain, 503: provider.ErrUncertain,
		504: provider.ErrUncertain,
	} {
		list = append(list, trouble{fmt.Sprintf("answers %d", status), Answer(status, "<html>secret</html>"), order})
	}
	return list
}

// Run runs the tests that all adapters must pass.
func Run(t *testing.T, s Shape) {
	t.Helper()
	t.Run("trouble", s.trouble)
	t.Run("nobody there", s.nobody)
	t.Run("not what was ordered", s.notOrdered)
	t.Run("rate changed", s.rateChanged)
	t.Run("status", s.status)
}

// A failed order is sent only once. Its error determines if the caller may repeat it.
func (s Shape) trouble(t *testing.T) {
	t.Parallel()
	for _, c := range troubles() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			orders, err := s.failed(t, c.handler, time.Minute)
			require.ErrorIs(t, err, c.order)
			require.EqualValues(t, 1, orders, "an order is sent once")
		})
	}
	t.Run("falls silent", s.silent)
}

// silent tests a provider that receives a request and does not answer. On a busy
// machine the timeout may end before the order arrives. The test then tries again
// with a longer timeout.
func (s Shape) silent(t *testing.T) {
	t.Parallel()
	for patience := 300 * time.Millisecond; ; patience *= 4 {
		orders, err := s.failed(t, func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}, patience)
		if orders == 0 && patience < time.Minute {
			continue
		}
		require.ErrorIs(t, err, provider.ErrUncertain)
		require.EqualValues(t, 1, orders, "an order is sent once")
		return
	}
}

// failed calls a provider that does not work. It returns the number of orders that
// arrived there, and the error of the order.
func (s Shape) failed(t *testing.T, handler http.HandlerFunc, patience time.Duration) (int32, error) {
	t.Helper()
	var orders atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == s.CreatePath {
			orders.Add(1)
		}
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	p := s.New(client(server.URL, patience))
	_, err := p.Quote(t.Context(), Request(t))
	require.ErrorIs(t, err, provider.ErrUnavailable)
	_, err = p.Status(t.Context(), s.SwapID)
	require.ErrorIs(t, err, provider.ErrUnavailable)
	_, err = p.Create(t.Context(), Order(t))
	require.Error(t, err)
	require.NotContains(t, err.Error(), "127.0.0.1")
	require.NotContains(t, err.Error(), "secret")
	return orders.Load(), err
}

func (s Shape) nobody(t *testing.T) {
	t.Parallel()
	p := s.New(client(fmt.Sprintf("http://127.0.0.1:%d", testkit.Port(t)), time.Minute))
	_, err := p.Create(t.Context(), Order(t))
	require.ErrorIs(t, err, provider.ErrUnavailable, "nothing was sent, so nothing was created")
	require.NotErrorIs(t, err, provider.ErrUncertain)
}

// created makes a provider that answers orders with the recorded object after some of
// its fields were changed.
func (s Shape) created(t *testing.T, change map[string]any) provider.Provider {
	t.Helper()
	body := edited(t, s.Created, change)
	return s.New(Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != s.CreatePath {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		Answer(http.StatusOK, body)(w, r)
	}))
}

func edited(t *testing.T, object string, change map[string]any) string {
	t.Helper()
	var fields map[string]any
	decoder := json.NewDecoder(strings.NewReader(object))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&fields))
	maps.Copy(fields, change)
	b, err := json.Marshal(fields)
	require.NoError(t, err)
	return string(b)
}

func (s Shape) notOrdered(t *testing.T) {
	t.Parallel()
	_, err := s.created(t, nil).Create(t.Context(), Order(t))
	require.NoError(t, err)
	for name, change := range map[string]map[string]any{
		"a deposit address of another coin": {s.Deposit: foreign},
		"no deposit address":                {s.Deposit: ""},
		"a deposit address of wrong type":   {s.Deposit: 7},
		"another payout address":            {s.PaidTo: foreign},
		"another amount":                    {s.AmountFrom: json.Number("1.50000001")},
		"no amount":                         {s.AmountFrom: nil},
		"nothing paid":                      {s.AmountTo: json.Number("0")},
		"a negative payout":                 {s.AmountTo: json.Number("-1")},
		"an amount of wrong type":           {s.AmountTo: map[string]any{}},
		"an amount in words":                {s.AmountTo: "much"},
		"no id":                             {s.ID: ""},
		"an id that is none":                {s.ID: "a\nb"},
	} {
		_, err := s.created(t, change).Create(t.Context(), Order(t))
		require.ErrorIs(t, err, provider.ErrUncertain, name)
	}
}

func (s Shape) rateChanged(t *testing.T) {
	t.Parallel()
	order := Order(t)
	order.LeastAmountTo = money.MustDecimal("2")
	_, err := s.created(t, map[string]any{s.AmountTo: json.Number("1.99999999")}).Create(t.Context(), order)
	require.ErrorIs(t, err, provider.ErrRateChanged)
	swap, err := s.created(t, map[string]any{s.AmountTo: json.Number("2.0")}).Create(t.Context(), order)
	require.NoError(t, err)
	require.Equal(t, "2", swap.AmountTo.String())
}

func (s Shape) status(t *testing.T) {
	t.Parallel()
	look := func(status int, change map[string]any) (provider.Swap, error) {
		body := edited(t, s.Status, change)
		if s.StatusList {
			body = "[" + body + "]"
		}
		return s.New(Serve(t, Answer(status, body))).Status(t.Context(), s.SwapID)
	}
	swap, err := look(http.StatusOK, map[string]any{s.StatusWord: "pondering"})
	require.NoError(t, err)
	require.Equal(t, provider.Unknown, swap.State)
	require.Equal(t, "pondering", swap.Word)
	_, err = look(http.StatusOK, map[string]any{s.ID: "another"})
	require.ErrorIs(t, err, provider.ErrUnavailable)
	_, err = look(http.StatusOK, map[string]any{s.StatusWord: 7})
	require.ErrorIs(t, err, provider.ErrUnavailable)
	_, err = s.New(Serve(t, Answer(http.StatusNotFound, s.UnknownSwap))).Status(t.Context(), s.SwapID)
	require.ErrorIs(t, err, provider.ErrUnknownSwap)
}

// States looks up a swap once for each of the provider's words.
func (s Shape) States(t *testing.T, want map[string]provider.State) {
	t.Helper()
	for word, state := range want {
		body := edited(t, s.Status, map[string]any{s.StatusWord: word})
		if s.StatusList {
			body = "[" + body + "]"
		}
		swap, err := s.New(Serve(t, Answer(http.StatusOK, body))).Status(t.Context(), s.SwapID)
		require.NoError(t, err)
		require.Equal(t, state, swap.State, word)
	}
}
