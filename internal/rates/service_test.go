package rates_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/rates"
)

// stall is the common part of the imitated exchanges: prices that a test sets,
// and a clock.
type stall struct {
	mu     sync.Mutex
	prices map[string]string
	now    time.Time
}

func (s *stall) set(key, price string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prices[key] = price
}

func (s *stall) get(key string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.prices[key]
}

func (s *stall) advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

func (s *stall) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// open returns the first time of every stall's clock.
func open() time.Time { return time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC) }

// market imitates the three exchanges. For a pair without a price, an exchange
// answers as for an unknown pair. The keys of prices have the form "kraken
// USD". A value that is not a number is used as the whole body.
type market struct {
	stall

	calls atomic.Int32
}

func (m *market) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.calls.Add(1)
	switch r.URL.Path {
	case "/kraken/0/public/Ticker":
		pair := r.URL.Query().Get("pair")
		currency := strings.TrimPrefix(pair, "XMR")
		m.answer(w, "kraken "+currency, `{"error":["EQuery:Unknown asset pair"]}`, func(p string) string {
			return fmt.Sprintf(`{"error":[],"result":{"XXMRZ%s":{"c":[%q,"1"],"h":["1","400"],"l":["1","300"],"o":"320.00"}}}`, currency, p)
		})
	case "/bitfinex/v2/ticker/tXMRUSD":
		m.answer(w, "bitfinex USD", `["error",10020,"symbol: invalid"]`, func(p string) string {
			return fmt.Sprintf(`[1,1,1,1,1,0.01,%s,1,400,300]`, p)
		})
	case "/exmo/v1.1/ticker":
		var pairs []string
		for _, currency := range []string{"USD", "EUR"} {
			if p := m.get("exmo " + currency); p != "" {
				pairs = append(pairs, fmt.Sprintf(`"XMR_%s":{"last_trade":%q,"high":"400","low":"300","updated":%d}`, currency, p, m.clock().Unix()))
			}
		}
		_, _ = fmt.Fprintf(w, "{%s}", strings.Join(pairs, ","))
	default:
		http.NotFound(w, r)
	}
}

func (m *market) answer(w http.ResponseWriter, key, missing string, ticker func(string) string) {
	switch p := m.get(key); {
	case p == "":
		_, _ = fmt.Fprint(w, missing)
	case p == "down":
		w.WriteHeader(http.StatusBadGateway)
	case strings.Trim(p, "-0123456789.") != "":
		_, _ = fmt.Fprint(w, p)
	default:
		_, _ = fmt.Fprint(w, ticker(p))
	}
}

func newMarket(t *testing.T, prices map[string]string) (*market, config.Prices) {
	t.Helper()
	m := &market{stall: stall{prices: prices, now: open()}}
	return m, config.Prices{
		PriceSources: sources(), PriceMaxAge: 5 * time.Minute, PriceRefresh: time.Millisecond,
		PriceOutlierPercent: config.Percent{Decimal: money.DecimalFromInt(10)}, PriceURLs: listen(t, m),
	}
}

// sources returns the imitated exchanges, in the order of preference.
func sources() []string { return []string{"kraken", "bitfinex", "exmo"} }

// listen serves an imitation and returns the URL of each exchange. One URL ends
// with a slash.
func listen(t *testing.T, exchanges http.Handler) map[string]string {
	t.Helper()
	server := httptest.NewServer(exchanges)
	t.Cleanup(server.Close)
	return map[string]string{"kraken": server.URL + "/kraken/", "bitfinex": server.URL + "/bitfinex", "exmo": server.URL + "/exmo"}
}

// testClient returns a client for this machine that waits however busy the machine
// is.
func testClient() *http.Client {
	loopback := outbound.Policy{AllowedNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	return outbound.NewDirect(loopback, outbound.Options{Timeout: time.Minute})
}

func newService(t *testing.T, c config.Prices, now func() time.Time) *rates.Service {
	t.Helper()
	return newLoggingService(t, c, now, slog.New(slog.DiscardHandler))
}

func newLoggingService(t *testing.T, c config.Prices, now func() time.Time, log *slog.Logger) *rates.Service {
	t.Helper()
	s, err := rates.New(c, testClient(), now, log)
	require.NoError(t, err)
	return s
}

func refreshed(t *testing.T, prices map[string]string) (*rates.Service, *market) {
	t.Helper()
	m, c := newMarket(t, prices)
	s := newService(t, c, m.clock)
	s.Refresh(t.Context())
	return s, m
}

func requirePrice(t *testing.T, s *rates.Service, currency money.Currency, source, price string) {
	t.Helper()
	q, err := s.Price(currency)
	require.NoError(t, err)
	require.Equal(t, source, q.Source)
	require.Equal(t, price, q.Price.String())
	require.NoError(t, s.Ready(t.Context()))
}

func requireNoPrice(t *testing.T, s *rates.Service, currency money.Currency) {
	t.Helper()
	_, err := s.Price(currency)
	require.ErrorIs(t, err, rates.ErrNoPrice)
}

func TestMedianOfTheSourcesIsUsed(t *testing.T) {
	t.Parallel()
	s, m := refreshed(t, map[string]string{
		"kraken USD": "331.25", "bitfinex USD": "330", "exmo USD": "332", "kraken EUR": "285.123456789", "exmo EUR": "286",
	})
	requirePrice(t, s, money.USD, "kraken", "331.25")
	requirePrice(t, s, money.EUR, "kraken", "285.123456789")
	m.set("kraken EUR", "287")
	s.Refresh(t.Context())
	requirePrice(t, s, money.EUR, "exmo", "286") // the lower of two: a source with a higher price makes no charge cheaper
	q, err := s.Price(money.USD)
	require.NoError(t, err)
	require.Equal(t, "3.52", q.ChangePercent24h.String())
	require.Equal(t, "400", q.High24h.String())
	require.Equal(t, "300", q.Low24h.String())
	require.Equal(t, m.clock(), q.At)
	requireNoPrice(t, s, money.XMR)
}

func TestNextSourceStepsIn(t *testing.T) {
	t.Parallel()
	huge := `{"error":[],"result":{"XXMRZUSD":{"c":["331"],"h":["1","1"],"l":["1","1"],"o":"1"}}}` + strings.Repeat(" ", 1<<20)
	for _, bad := range []string{
		"", "down", "0", "-331.25", "0.001", "99999999999", "<html>", "{}", "[]",
		`{"error":[],"result":{"XXMRZUSD":{"c":["NaN"],"h":["1","1"],"l":["1","1"],"o":"1"}}}`, huge,
	} {
		s, _ := refreshed(t, map[string]string{"kraken USD": bad, "bitfinex USD": "330.5", "exmo USD": "332"})
		requirePrice(t, s, money.USD, "bitfinex", "330.5")
	}
	s, _ := refreshed(t, map[string]string{"kraken USD": "down", "bitfinex USD": "down", "exmo USD": "332", "kraken EUR": "down", "exmo EUR": "286"})
	requirePrice(t, s, money.USD, "exmo", "332")
	requirePrice(t, s, money.EUR, "exmo", "286")
}

func TestMajorityOutvotesAWrongSource(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ kraken, bitfinex, exmo, source string }{
		"first too high":             {"500", "330", "332", "bitfinex"},
		"first too low":              {"33.1", "330", "332", "bitfinex"},
		"second wrong":               {"331", "3310", "332", "kraken"},
		"third wrong":                {"331", "330", "1", "bitfinex"},
		"on the bound":               {"110", "100", "110", "kraken"},
		"just over the bound":        {"110.01", "100", "100", "bitfinex"},
		"none agrees":                {"100", "150", "225", ""},
		"two agree":                  {"331", "330", "", "bitfinex"},
		"one moved within the bound": {"360", "330", "331", "exmo"},
		"two disagree":               {"331", "400", "", ""},
		"two disagree, other way":    {"400", "331", "", ""},
		"two, bound of the smaller":  {"111", "100", "", ""},
		"one alone":                  {"", "330", "", "bitfinex"},
		"none":                       {"", "", "", ""},
	} {
		s, _ := refreshed(t, map[string]string{"kraken USD": c.kraken, "bitfinex USD": c.bitfinex, "exmo USD": c.exmo})
		q, err := s.Price(money.USD)
		if c.source == "" {
			require.ErrorIs(t, err, rates.ErrNoPrice, name)
			require.ErrorIs(t, s.Ready(t.Context()), rates.ErrNoPrice, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, c.source, q.Source, name)
	}
}

func TestOldPricesAreNotUsed(t *testing.T) {
	t.Parallel()
	s, m := refreshed(t, map[string]string{"kraken USD": "329", "bitfinex USD": "330"})
	m.set("kraken USD", "down")
	m.advance(4 * time.Minute)
	s.Refresh(t.Context())
	requirePrice(t, s, money.USD, "kraken", "329")
	m.advance(time.Minute)
	requirePrice(t, s, money.USD, "kraken", "329")
	m.advance(time.Second)
	requirePrice(t, s, money.USD, "bitfinex", "330")

	m.advance(4 * time.Minute)
	requireNoPrice(t, s, money.USD)
	m.set("kraken USD", "340")
	s.Refresh(t.Context())
	requirePrice(t, s, money.USD, "bitfinex", "330")
}

// The service rejects an old ticker even if the exchange serves it as new.
func TestSourceReportsItsOwnAge(t *testing.T) {
	t.Parallel()
	frozen, c := newMarket(t, map[string]string{"exmo USD": "332"})
	later := func() time.Time { return frozen.clock().Add(5*time.Minute + time.Second) }
	s := newService(t, c, later)
	s.Refresh(t.Context())
	requireNoPrice(t, s, money.USD)

	earlier := func() time.Time { return frozen.clock().Add(-time.Hour) }
	s = newService(t, c, earlier)
	s.Refresh(t.Context())
	q, err := s.Price(money.USD)
	require.NoError(t, err)
	require.Equal(t, earlier(), q.At, "no price is of the future")
}

func TestAllDownAndRecover(t *testing.T) {
	t.Parallel()
	m, c := newMarket(t, map[string]string{})
	s := newService(t, c, m.clock)
	requireNoPrice(t, s, money.USD)
	s.Refresh(t.Context())
	requireNoPrice(t, s, money.USD)
	require.ErrorIs(t, s.Ready(t.Context()), rates.ErrNoPrice)
	m.set("exmo EUR", "286")
	s.Refresh(t.Context())
	requirePrice(t, s, money.EUR, "exmo", "286")
	requireNoPrice(t, s, money.USD)
}

func TestPriceDoesNoInput(t *testing.T) {
	t.Parallel()
	s, m := refreshed(t, map[string]string{"kraken USD": "331"})
	before := m.calls.Load()
	m.advance(time.Hour)
	for range 100 {
		requireNoPrice(t, s, money.USD)
	}
	require.Equal(t, before, m.calls.Load())
}

func TestRunRefreshesUntilTheEnd(t *testing.T) {
	t.Parallel()
	m, c := newMarket(t, map[string]string{"kraken USD": "331"})
	s := newService(t, c, m.clock)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.Run(ctx) }()
	require.Eventually(t, func() bool { _, err := s.Price(money.USD); return err == nil }, 8*time.Minute, time.Millisecond)
	m.set("kraken USD", "345")
	require.Eventually(t, func() bool {
		q, err := s.Price(money.USD)
		return err == nil && q.Price.String() == "345"
	}, 8*time.Minute, time.Millisecond)
	cancel()
	<-done
}

func TestStaticSource(t *testing.T) {
	t.Parallel()
	m, c := newMarket(t, map[string]string{})
	c.PriceSources, c.PriceStaticUSD = []string{"static"}, "150.5"
	var logged bytes.Buffer
	s := newLoggingService(t, c, m.clock, slog.New(slog.NewTextHandler(&logged, nil)))
	s.Refresh(t.Context())
	requirePrice(t, s, money.USD, "static", "150.5")
	requireNoPrice(t, s, money.EUR)
	require.Contains(t, logged.String(), "source=static")
	m.advance(time.Hour)
	s.Refresh(t.Context())
	requirePrice(t, s, money.USD, "static", "150.5")
	require.Zero(t, m.calls.Load())
}

func TestFailureIsLoggedOnceAndWithoutURL(t *testing.T) {
	t.Parallel()
	m, c := newMarket(t, map[string]string{"bitfinex USD": "330"})
	c.PriceSources = []string{"kraken", "bitfinex"}
	c.PriceURLs["kraken"] = "http://user:hunter2@127.0.0.1:1/"
	var logged bytes.Buffer
	s := newLoggingService(t, c, m.clock, slog.New(slog.NewTextHandler(&logged, nil)))
	for range 3 {
		s.Refresh(t.Context())
	}
	require.Equal(t, 2, strings.Count(logged.String(), "price source fails"), "once for each pair")
	require.NotContains(t, logged.String(), "hunter2")
}

func TestConfigurationIsChecked(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*config.Prices){
		"no source":          func(c *config.Prices) { c.PriceSources = nil },
		"unknown source":     func(c *config.Prices) { c.PriceSources = []string{"kraken", "mtgox"} },
		"source named twice": func(c *config.Prices) { c.PriceSources = []string{"kraken", "kraken"} },
		"unknown URL":        func(c *config.Prices) { c.PriceURLs = map[string]string{"mtgox": "http://x"} },
		"static unset":       func(c *config.Prices) { c.PriceSources = []string{"static"} },
		"static no number":   func(c *config.Prices) { c.PriceSources, c.PriceStaticEUR = []string{"static"}, "1,5" },
		"static zero":        func(c *config.Prices) { c.PriceSources, c.PriceStaticEUR = []string{"static"}, "0" },
	} {
		_, c := newMarket(t, nil)
		change(&c)
		_, err := rates.New(c, http.DefaultClient, time.Now, slog.New(slog.DiscardHandler))
		require.Error(t, err, name)
	}
}

func TestExchangesAreCalledOnPublicAddressesAlone(t *testing.T) {
	t.Parallel()
	m, c := newMarket(t, map[string]string{"kraken USD": "331"})
	s, err := rates.New(c, rates.Client(c, config.Outbound{}), m.clock, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	s.Refresh(t.Context())
	requireNoPrice(t, s, money.USD)
	require.Zero(t, m.calls.Load())

	c.PriceUseProxy = true
	s, err = rates.New(c, rates.Client(c, config.Outbound{}), m.clock, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	s.Refresh(t.Context())
	requireNoPrice(t, s, money.USD)
}
