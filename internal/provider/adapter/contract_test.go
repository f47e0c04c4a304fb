package adapter_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/adapter"
	"github.com/durapay/durapay/internal/provider/providertest"
	"github.com/durapay/durapay/internal/testkit"
)

// foreign is an address of another coin.
const foreign = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"

// shape contains the recorded answers of a provider.
type shape struct {
	// New makes the adapter.
	New func(c *adapter.Client) provider.Provider
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
		list = append(list, trouble{"answers " + name, providertest.Answer(http.StatusOK, body), provider.ErrUncertain})
	}
	// A proxy in front of a provider has its own pages: nginx one for each status, Caddy
	// an empty body. None of them comes from the provider.
	for _, status := range []int{400, 404, 405, 409, 414, 421, 422} {
		list = append(list, trouble{fmt.Sprintf("answers %d and nothing", status), providertest.Answer(status, ""), provider.ErrUncertain})
	}
	for status, order := range map[int]error{
		400: provider.ErrUncertain, 404: provider.ErrUncertain, 405: provider.ErrUncertain, 414: provider.ErrUncertain, 422: provider.ErrUncertain,
		302: provider.ErrUncertain, 401: provider.ErrUnavailable, 403: provider.ErrUnavailable, 408: provider.ErrUncertain,
		429: provider.ErrUnavailable, 500: provider.ErrUncertain, 502: provider.ErrUncertain, 503: provider.ErrUncertain,
		504: provider.ErrUncertain,
	} {
		list = append(list, trouble{fmt.Sprintf("answers %d", status), providertest.Answer(status, "<html>secret</html>"), order})
	}
	return list
}

// run runs the tests that all adapters must pass.
func (s shape) run(t *testing.T) {
	t.Helper()
	t.Run("trouble", s.trouble)
	t.Run("nobody there", s.unreachable)
	t.Run("not what was ordered", s.notOrdered)
	t.Run("rate changed", s.rateChanged)
	t.Run("status", s.status)
}

// A failed order is sent only once. Its error determines if the caller may repeat it.
func (s shape) trouble(t *testing.T) {
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
func (s shape) silent(t *testing.T) {
	t.Parallel()
	for timeout := 300 * time.Millisecond; ; timeout *= 4 {
		orders, err := s.failed(t, func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}, timeout)
		if orders == 0 && timeout < time.Minute {
			continue
		}
		require.ErrorIs(t, err, provider.ErrUncertain)
		require.EqualValues(t, 1, orders, "an order is sent once")
		return
	}
}

// failed calls a provider that does not work. It returns the number of orders that
// arrived there, and the error of the order.
func (s shape) failed(t *testing.T, handler http.HandlerFunc, timeout time.Duration) (int32, error) {
	t.Helper()
	var orders atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == s.CreatePath {
			orders.Add(1)
		}
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	p := s.New(providertest.Client(server.URL, timeout))
	_, err := p.Quote(t.Context(), providertest.Request(t))
	require.ErrorIs(t, err, provider.ErrUnavailable)
	_, err = p.Status(t.Context(), s.SwapID)
	require.ErrorIs(t, err, provider.ErrUnavailable)
	_, err = p.Create(t.Context(), providertest.Order(t))
	require.Error(t, err)
	require.NotContains(t, err.Error(), "127.0.0.1")
	require.NotContains(t, err.Error(), "secret")
	return orders.Load(), err
}

func (s shape) unreachable(t *testing.T) {
	t.Parallel()
	p := s.New(providertest.Client(fmt.Sprintf("http://127.0.0.1:%d", testkit.Port(t)), time.Minute))
	_, err := p.Create(t.Context(), providertest.Order(t))
	require.ErrorIs(t, err, provider.ErrUnavailable, "nothing was sent, so nothing was created")
	require.NotErrorIs(t, err, provider.ErrUncertain)
}

// created makes a provider that answers orders with the recorded object after some of
// its fields were changed.
func (s shape) created(t *testing.T, change map[string]any) provider.Provider {
	t.Helper()
	body := edited(t, s.Created, change)
	return s.New(providertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != s.CreatePath {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		providertest.Answer(http.StatusOK, body)(w, r)
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

func (s shape) notOrdered(t *testing.T) {
	t.Parallel()
	_, err := s.created(t, nil).Create(t.Context(), providertest.Order(t))
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
		_, err := s.created(t, change).Create(t.Context(), providertest.Order(t))
		require.ErrorIs(t, err, provider.ErrUncertain, name)
	}
}

func (s shape) rateChanged(t *testing.T) {
	t.Parallel()
	order := providertest.Order(t)
	order.LeastAmountTo = money.MustDecimal("2")
	_, err := s.created(t, map[string]any{s.AmountTo: json.Number("1.99999999")}).Create(t.Context(), order)
	require.ErrorIs(t, err, provider.ErrRateChanged)
	swap, err := s.created(t, map[string]any{s.AmountTo: json.Number("2.0")}).Create(t.Context(), order)
	require.NoError(t, err)
	require.Equal(t, "2", swap.AmountTo.String())
}

func (s shape) status(t *testing.T) {
	t.Parallel()
	look := func(status int, change map[string]any) (provider.Swap, error) {
		body := edited(t, s.Status, change)
		if s.StatusList {
			body = "[" + body + "]"
		}
		return s.New(providertest.Serve(t, providertest.Answer(status, body))).Status(t.Context(), s.SwapID)
	}
	swap, err := look(http.StatusOK, map[string]any{s.StatusWord: "pondering"})
	require.NoError(t, err)
	require.Equal(t, provider.Unknown, swap.State)
	require.Equal(t, "pondering", swap.Word)
	_, err = look(http.StatusOK, map[string]any{s.ID: "another"})
	require.ErrorIs(t, err, provider.ErrUnavailable)
	_, err = look(http.StatusOK, map[string]any{s.StatusWord: 7})
	require.ErrorIs(t, err, provider.ErrUnavailable)
	_, err = s.New(providertest.Serve(t, providertest.Answer(http.StatusNotFound, s.UnknownSwap))).Status(t.Context(), s.SwapID)
	require.ErrorIs(t, err, provider.ErrUnknownSwap)
}

// states looks up a swap once for each of the provider's words.
func (s shape) states(t *testing.T, want map[string]provider.State) {
	t.Helper()
	for word, state := range want {
		body := edited(t, s.Status, map[string]any{s.StatusWord: word})
		if s.StatusList {
			body = "[" + body + "]"
		}
		swap, err := s.New(providertest.Serve(t, providertest.Answer(http.StatusOK, body))).Status(t.Context(), s.SwapID)
		require.NoError(t, err)
		require.Equal(t, state, swap.State, word)
	}
}

// fuzzAnswers lets the provider return any answer. If an adapter accepts an answer to
// an order, the swap can be paid: to an address of the coin, with the ordered
// amount.
func fuzzAnswers(f *testing.F, s shape) {
	f.Helper()
	for _, body := range []string{s.Created, s.Status, "[" + s.Status + "]", "", "null", "[]", `{"error":"x"}`} {
		for _, status := range []int{200, 400, 404, 500} {
			f.Add(status, body)
		}
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 200 || status > 599 {
			status = 200
		}
		p := s.New(providertest.Serve(t, providertest.Answer(status, body)))
		order := providertest.Order(t)
		if swap, err := p.Create(t.Context(), order); err == nil {
			require.NotEmpty(t, swap.ID)
			require.NoError(t, order.From.CheckAddress(swap.DepositAddress, coin.Main))
			require.Zero(t, swap.AmountFrom.Cmp(order.Amount))
		}
		if quote, err := p.Quote(t.Context(), order.Request); err == nil {
			require.Positive(t, quote.AmountTo.Cmp(money.DecimalFromInt(0)))
		}
		_, _ = p.Status(t.Context(), s.SwapID) // it must end, whatever the answer is
	})
}

// asked are the requests to a server of keyed: the last query of each path, and
// the last body.
type asked struct {
	Queries map[string]string
	Body    string
}

// keyed serves routes, named by method and path, to clients that send a key in
// a header and look like a browser. Other clients get a 401. It returns a
// client with the key, and the record of its requests.
func keyed(t *testing.T, header string, routes map[string]http.HandlerFunc) (*adapter.Client, *asked) {
	t.Helper()
	const key = "k3y"
	record := &asked{Queries: map[string]string{}}
	client := providertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(header) != key || !strings.HasPrefix(r.Header.Get("User-Agent"), "Mozilla/5.0") {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		answer, ok := routes[r.Method+" "+r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		record.Queries[r.URL.Path] = r.URL.RawQuery
		if body, _ := io.ReadAll(r.Body); len(body) > 0 {
			record.Body = string(body)
		}
		answer(w, r)
	})
	client.Header = http.Header{header: {key}}
	return client, record
}
