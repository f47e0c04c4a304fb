package swap_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/swap"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/rates"
	"github.com/durapay/durapay/internal/secret"
)

// tickers replaces three exchanges on the internet: each shows a price of XMR, by its name,
// and LTC at 75.
type tickers struct {
	mu  sync.Mutex
	xmr map[string]string
	// ahead is the offset of their clock in nanoseconds.
	ahead atomic.Int64
}

func (s *tickers) now() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }

func (s *tickers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	symbol, price := "XMR", s.xmr[name]
	if strings.Contains(r.URL.String(), "LTC") {
		symbol, price = "LTC", "75"
	}
	switch name {
	case "kraken":
		_, _ = fmt.Fprintf(w, `{"error":[],"result":{"X%sZUSD":{"a":[%q,"1","1"],"b":[%q,"1","1"],"c":[%q,"1"],"h":["1","1"],"l":["1","1"],"o":"1"}}}`,
			symbol, price, price, price)
	case "bitfinex":
		_, _ = fmt.Fprintf(w, `[%s,1,%s,1,1,0.01,%s,1,1,1]`, price, price, price)
	default:
		_, _ = fmt.Fprintf(w, `{"XMR_USD":%s,"LTC_USD":%s}`, exmoTicker(s.xmr[name], s.now()), exmoTicker("75", s.now()))
	}
}

func exmoTicker(price string, now time.Time) string {
	return fmt.Sprintf(`{"buy_price":%q,"sell_price":%q,"last_trade":%q,"high":"1","low":"1","updated":%d}`, price, price, price, now.Unix())
}

// TestMovedPriceSourcesBringNothingOverHTTP moves price sources of XMR and requests a quote
// and a trade on both surfaces, in each direction. The client must get less than the fair
// price, or a refusal.
func TestMovedPriceSourcesBringNothingOverHTTP(t *testing.T) {
	t.Parallel()
	s := &tickers{xmr: map[string]string{"kraken": "150", "bitfinex": "150", "exmo": "150"}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	open := func() *rates.Coins {
		prices, err := rates.NewCoins(config.Prices{
			CoinPriceSources: []string{"kraken", "bitfinex", "exmo"}, CoinPriceMaxAge: 2 * time.Hour, PriceRefresh: time.Hour,
			CoinVolatilityWindow: time.Hour, CoinPriceSpread: config.Percent{Decimal: money.DecimalFromInt(10)},
			PriceURLs: map[string]string{"kraken": server.URL + "/kraken", "bitfinex": server.URL + "/bitfinex", "exmo": server.URL + "/exmo"},
		}, []string{"xmr", "ltc"}, server.Client(), time.Now, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		prices.Refresh(t.Context())
		return prices
	}
	var current atomic.Pointer[rates.Coins]
	b := setupWithTemporal(t, func(d *swap.Deps) {
		d.Quoter.Market = func(ticker string) (rates.Book, error) { return current.Load().Book(ticker) }
	}, withLimits)
	who := with("API-Key", b.key(t, "partner"))

	back := []string{"ticker_from", "ltc", "ticker_to", "xmr", "amount_from", "3", "address", monero, "refund", litecoin}
	for name, c := range map[string]struct {
		kraken, bitfinex, exmo string
		quoted                 bool
	}{
		"nobody moves":            {"150", "150", "150", true},
		"one moves up a little":   {"150", "150", "152.9", true},
		"one moves up":            {"150", "150", "164", false},
		"one moves up far":        {"1500", "150", "150", false},
		"one moves down a little": {"147.1", "150", "150", true},
		"one moves down":          {"150", "137", "150", false},
		"one is gone, one moves":  {"", "150", "152.9", true},
		"one alone":               {"", "", "1500", false},
	} {
		s.mu.Lock()
		s.xmr = map[string]string{"kraken": c.kraken, "bitfinex": c.bitfinex, "exmo": c.exmo}
		s.mu.Unlock()
		current.Store(open())
		b.forget()
		for way, fair := range map[string]string{"xmr": "3", "ltc": "1.5"} {
			var changes []string
			if way == "ltc" {
				changes = back
			}
			rate, trade := b.get(t, "new_rate", asked(changes...), who), b.get(t, "new_trade", tradeQuery(changes...), who, with("Idempotency-Key", secret.NewTradeID()))
			if !c.quoted {
				rate.requireError(t, http.StatusServiceUnavailable, "pricing_stale")
				trade.requireError(t, http.StatusServiceUnavailable, "pricing_stale")
				require.NotEqual(t, http.StatusOK, b.dialect(t, "new_rate", asked(changes...)).status, name)
				continue
			}
			require.Equal(t, http.StatusOK, rate.status, "%s: %s", name, rate.body)
			require.Equal(t, http.StatusCreated, trade.status, "%s: %s", name, trade.body)
			for _, a := range []answer{rate, trade} {
				paid, ok := a.object(t)["amount_to"].(string)
				require.True(t, ok)
				require.Negative(t, money.MustDecimal(paid).Cmp(money.MustDecimal(fair)), "%s from %s: %s", name, way, paid)
			}
		}
	}
}

// TestOldAndMovingPricesOverHTTP requests a quote and a trade, with the rate limits on, while
// the prices move and after two of three sources have become silent. The spread must follow
// the movement, and prices older than two minutes must not be used.
func TestOldAndMovingPricesOverHTTP(t *testing.T) {
	t.Parallel()
	s := &tickers{xmr: map[string]string{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	prices, err := rates.NewCoins(config.Prices{
		CoinPriceSources: []string{"kraken", "bitfinex", "exmo"}, CoinPriceMaxAge: 2 * time.Minute, PriceRefresh: time.Hour,
		CoinVolatilityWindow: 15 * time.Minute, CoinPriceSpread: config.Percent{Decimal: money.DecimalFromInt(10)},
		PriceURLs: map[string]string{"kraken": server.URL + "/kraken", "bitfinex": server.URL + "/bitfinex", "exmo": server.URL + "/exmo"},
	}, []string{"xmr", "ltc"}, server.Client(), s.now, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	b := setupWithTemporal(t, func(d *swap.Deps) { d.Quoter.Market, d.Quoter.MaxSpreadBP = prices.Book, 600 }, withLimits)
	show := func(later time.Duration, kraken, bitfinex, exmo string) {
		s.ahead.Add(int64(later))
		s.mu.Lock()
		s.xmr = map[string]string{"kraken": kraken, "bitfinex": bitfinex, "exmo": exmo}
		s.mu.Unlock()
		prices.Refresh(t.Context())
		b.forget()
	}
	n := 0
	quoted := func(status int, code string) (paid money.Decimal) {
		n++
		rate, trade := b.get(t, "new_rate", asked()), b.get(t, "new_trade", tradeQuery(), with("Idempotency-Key", strconv.Itoa(n)))
		if code != "" {
			rate.requireError(t, status, code)
			trade.requireError(t, status, code)
			return paid
		}
		require.Equal(t, []int{http.StatusOK, http.StatusCreated}, []int{rate.status, trade.status}, "%s %s", rate.body, trade.body)
		require.Equal(t, rate.object(t)["amount_to"], trade.object(t)["amount_to"])
		return money.MustDecimal(rate.object(t)["amount_to"].(string))
	}
	show(0, "150", "150", "150")
	calm := quoted(0, "")
	show(time.Minute, "154.5", "154.5", "154.5") // 3 % up
	moved := quoted(0, "")
	// 2.06 for 1 less 5 %, after 2 for 1 less 2 %. With a spread of 2 % it would be 3 % more.
	require.Negative(t, moved.Cmp(calm), "%s after a rise of 3 %%, %s before", moved, calm)
	show(2*time.Minute+time.Second, "", "", "154.5")
	quoted(http.StatusServiceUnavailable, "pricing_stale")
	show(0, "", "154.5", "154.5")
	quoted(0, "")
	show(0, "162", "162", "162") // 8 % since the first price
	quoted(http.StatusServiceUnavailable, "pricing_stale")
}
