package swap_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
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

// tickers stand in for three exchanges on the internet: each shows a price of
// XMR, by its name, and LTC at 75.
type tickers struct {
	mu  sync.Mutex
	xmr map[string]string
}

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
		_, _ = fmt.Fprintf(w, `{"XMR_USD":%s,"LTC_USD":%s}`, exmoTicker(s.xmr[name]), exmoTicker("75"))
	}
}

func exmoTicker(price string) string {
	return fmt.Sprintf(`{"buy_price":%q,"sell_price":%q,"last_trade":%q,"high":"1","low":"1","updated":%d}`, price, price, price, time.Now().Unix())
}

// TestMovedPriceSourcesBringNothingOverHTTP moves sources of the price of XMR
// and asks for a quote and for a trade on both surfaces, each way: what one gets
// is less than the fair price, or there is nothing.
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
	})

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
			rate, trade := b.get(t, "new_rate", asked(changes...)), b.get(t, "new_trade", wanted(changes...), with("Idempotency-Key", secret.NewTradeID()))
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
