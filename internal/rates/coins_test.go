package rates_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/rates"
)

// floor imitates the exchanges with several coins. For a coin without a price,
// an exchange answers as for an unknown pair. The keys of prices have the form
// "kraken xmr".
type floor struct {
	stall

	calls map[string]int
}

// symbols are the exchanges' own names of the coins.
func symbols() map[string][3]string {
	return map[string][3]string{
		"btc": {"XBT", "tBTCUSD", "BTC_USD"}, "ltc": {"LTC", "tLTCUSD", "LTC_USD"}, "xmr": {"XMR", "tXMRUSD", "XMR_USD"},
		"eth": {"ETH", "tETHUSD", "ETH_USD"}, "doge": {"XDG", "tDOGE:USD", "DOGE_USD"}, "bch": {"BCH", "tBCHN:USD", "BCH_USD"},
		"sol": {"SOL", "tSOLUSD", "SOL_USD"}, "trx": {"TRX", "tTRXUSD", "TRX_USD"},
	}
}

func (f *floor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls[r.URL.Path]++
	var all []string
	for ticker, names := range symbols() {
		pair := r.URL.Query().Get("pair")
		kraken, bitfinex, exmo := f.prices["kraken "+ticker], f.prices["bitfinex "+ticker], f.prices["exmo "+ticker]
		switch {
		case r.URL.Path == "/kraken/0/public/Ticker" && pair == names[0]+"USD" && kraken != "":
			key := names[0] + "USD"
			if len(ticker) == 3 && ticker != "bch" && ticker != "sol" && ticker != "trx" { // Kraken uses long names for the older coins
				key = "X" + names[0] + "ZUSD"
			}
			bid, ask := sides(kraken)
			_, _ = fmt.Fprintf(w, `{"error":[],"result":{%q:{"a":[%q,"1","1.0"],"b":[%q,"1","1.0"],"c":[%q,"1"],"h":["1","1"],"l":["1","1"],"o":"1"}}}`,
				key, ask, bid, bid)
			return
		case r.URL.Path == "/bitfinex/v2/ticker/"+names[1] && bitfinex != "":
			bid, ask := sides(bitfinex)
			_, _ = fmt.Fprintf(w, `[%s,1,%s,1,1,0.01,%s,1,1,1]`, bid, ask, bid)
			return
		case r.URL.Path == "/exmo/v1.1/ticker" && exmo != "":
			bid, ask := sides(exmo)
			all = append(all, fmt.Sprintf(`%q:{"buy_price":%q,"sell_price":%q,"last_trade":%q,"high":"1","low":"1","updated":%d}`,
				names[2], bid, ask, bid, f.now.Unix()))
		}
	}
	if r.URL.Path == "/exmo/v1.1/ticker" {
		_, _ = fmt.Fprintf(w, "{%s}", strings.Join(all, ","))
		return
	}
	_, _ = fmt.Fprint(w, `{"error":["EQuery:Unknown asset pair"]}`)
}

func sides(price string) (bid, ask string) {
	bid, ask, both := strings.Cut(price, "/")
	if !both {
		ask = bid
	}
	return bid, ask
}

func newFloor(t *testing.T, prices map[string]string) (*floor, config.Prices) {
	t.Helper()
	f := &floor{stall: stall{prices: prices, now: open()}, calls: map[string]int{}}
	return f, config.Prices{
		CoinPriceSources: sources(), CoinPriceMaxAge: 2 * time.Minute, PriceRefresh: time.Hour, CoinVolatilityWindow: 15 * time.Minute,
		CoinPriceSpread: config.Percent{Decimal: money.DecimalFromInt(10)}, PriceURLs: listen(t, f),
	}
}

func newCoins(t *testing.T, f *floor, c config.Prices, tickers ...string) *rates.Coins {
	t.Helper()
	s, err := rates.NewCoins(c, tickers, testClient(), f.clock, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return s
}

func coinNamed(t *testing.T, ticker string) coin.Coin {
	t.Helper()
	network := "Mainnet"
	if ticker == "eth" {
		network = "ERC20"
	}
	c, ok := coin.Lookup(ticker, network)
	require.True(t, ok)
	return c
}

func TestEveryCoinIsPricedByThreeExchanges(t *testing.T) {
	t.Parallel()
	prices := map[string]string{}
	var tickers []string
	for ticker := range symbols() {
		tickers = append(tickers, ticker)
		prices["kraken "+ticker], prices["bitfinex "+ticker], prices["exmo "+ticker] = "99/100", "100/103", "101/102"
	}
	f, c := newFloor(t, prices)
	s := newCoins(t, f, c, tickers...)
	require.ErrorIs(t, s.Ready(t.Context()), rates.ErrStale)
	s.Refresh(t.Context())
	for _, ticker := range tickers {
		book, err := s.Book(ticker)
		require.NoError(t, err, ticker)
		require.Equal(t, "100 102 101", fmt.Sprint(book.Bid, " ", book.Ask, " ", book.Mid()), ticker)
		require.Equal(t, []int64{203, 300, 0}, []int64{book.BidDispersionBP, book.AskDispersionBP, book.VolatilityBP}, "rounded up")
		require.Equal(t, f.clock(), book.At)
	}
	require.NoError(t, s.Ready(t.Context()))
	require.Equal(t, 1, f.calls["/exmo/v1.1/ticker"], "one answer for all coins is fetched once")
	_, err := s.Book("dash")
	require.ErrorIs(t, err, rates.ErrNoPrice)
}

func TestPairIsTheQuotientOfTheMiddles(t *testing.T) {
	t.Parallel()
	f, c := newFloor(t, map[string]string{
		"kraken xmr": "330/332", "bitfinex xmr": "330/332", "kraken ltc": "88/90", "bitfinex ltc": "89/92", "exmo ltc": "89/91",
		"kraken trx": "0.0001", "bitfinex trx": "0.0001",
	})
	s := newCoins(t, f, c, "xmr", "ltc", "trx")
	s.Refresh(t.Context())
	xmr, ltc := coinNamed(t, "xmr"), coinNamed(t, "ltc")
	rate, at, err := s.Pair(xmr, ltc)
	require.NoError(t, err)
	require.Equal(t, "3.677777777777777778", rate.String())
	require.Equal(t, f.clock(), at)
	rate, _, err = s.Pair(ltc, xmr)
	require.NoError(t, err)
	require.Equal(t, "0.271903323262839879", rate.String())
	rate, _, err = s.Pair(coinNamed(t, "trx"), ltc)
	require.NoError(t, err, "coins of little value have prices too")
	require.Equal(t, "0.000001111111111111", rate.String())
	_, _, err = s.Pair(xmr, coinNamed(t, "eth"))
	require.ErrorIs(t, err, rates.ErrNoPrice)
	_, _, err = s.Pair(coinNamed(t, "eth"), xmr)
	require.ErrorIs(t, err, rates.ErrNoPrice)
}

func TestCoinPriceGuards(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kraken, bitfinex, exmo string
		want                   string // bid/ask; empty: stale
	}{
		"three agree":               {"100", "101", "105", "101/101"},
		"the median of each side":   {"99/103", "100/101", "98/102", "99/102"},
		"on the bound":              {"100", "110", "105", "105/105"},
		"just over the bound":       {"100", "110.02", "105", ""},
		"over it on one side":       {"100/100", "100/111", "100/105", ""},
		"one of three far off":      {"100", "101", "150", ""},
		"of two the worse one each": {"100/104", "101/103", "", "100/104"},
		"one left":                  {"", "", "105", ""},
		"none":                      {"", "", "", ""},
		"zero is no price":          {"0", "101", "105", "101/105"},
		"below zero is no price":    {"-1", "101", "105", "101/105"},
		"absurd is no price":        {"99999999999", "101", "105", "101/105"},
		"a crossed book is none":    {"102/101", "101", "105", "101/105"},
		"one side is none":          {"/101", "101", "105", "101/105"},
	} {
		f, config := newFloor(t, map[string]string{"kraken ltc": c.kraken, "bitfinex ltc": c.bitfinex, "exmo ltc": c.exmo})
		s := newCoins(t, f, config, "ltc")
		s.Refresh(t.Context())
		book, err := s.Book("ltc")
		if c.want == "" {
			require.ErrorIs(t, err, rates.ErrStale, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, c.want, book.Bid.String()+"/"+book.Ask.String(), name)
	}
}

func TestOldCoinPricesAreDropped(t *testing.T) {
	t.Parallel()
	f, c := newFloor(t, map[string]string{"kraken ltc": "100", "bitfinex ltc": "104", "exmo ltc": "104"})
	s := newCoins(t, f, c, "ltc")
	s.Refresh(t.Context())
	begin := f.clock()
	f.set("kraken ltc", "")
	f.advance(2 * time.Minute)
	s.Refresh(t.Context())
	book, err := s.Book("ltc")
	require.NoError(t, err)
	require.Equal(t, int64(400), book.BidDispersionBP, "120 seconds are not too old")
	require.Equal(t, begin, book.At, "as old as the oldest part")

	f.advance(time.Second)
	book, err = s.Book("ltc")
	require.NoError(t, err)
	require.Zero(t, book.BidDispersionBP, "too old at the time of the quote, though nothing was fetched since")
	f.set("exmo ltc", "")
	f.advance(2*time.Minute - time.Second)
	s.Refresh(t.Context())
	_, err = s.Book("ltc")
	require.NoError(t, err)
	calls := len(f.calls)
	f.advance(time.Second)
	_, err = s.Book("ltc")
	require.ErrorIs(t, err, rates.ErrStale, "one source is none")
	require.Len(t, f.calls, calls, "asking does not fetch")
}

// TestVolatilityIsHowFarThePriceMoved takes a sample at each refresh, and drops
// samples that are older than the window.
func TestVolatilityIsHowFarThePriceMoved(t *testing.T) {
	t.Parallel()
	f, c := newFloor(t, map[string]string{})
	s := newCoins(t, f, c, "ltc")
	moved := func(after time.Duration, price string) int64 {
		f.advance(after)
		for _, name := range []string{"kraken", "bitfinex", "exmo"} {
			f.set(name+" ltc", price)
		}
		s.Refresh(t.Context())
		book, err := s.Book("ltc")
		require.NoError(t, err)
		return book.VolatilityBP
	}
	require.Zero(t, moved(0, "100"))
	require.Equal(t, int64(100), moved(time.Minute, "101"))
	require.Equal(t, int64(406), moved(time.Minute, "97.06"), "101 over 97.06, rounded up")
	require.Equal(t, int64(406), moved(13*time.Minute, "100"), "15 minutes after the first")
	require.Equal(t, int64(406), moved(time.Minute, "100"))
	require.Equal(t, int64(303), moved(time.Second, "100"), "101 is forgotten")
	f.set("kraken ltc", "109") // a change of a single source moves neither price nor volatility
	s.Refresh(t.Context())
	book, err := s.Book("ltc")
	require.NoError(t, err)
	require.Equal(t, int64(303), book.VolatilityBP)
}

func TestStaticCoinPrices(t *testing.T) {
	t.Parallel()
	f, c := newFloor(t, nil)
	c.CoinPriceSources, c.CoinPricesStatic = []string{"static"}, map[string]string{"xmr": "150", "ltc": "75"}
	s := newCoins(t, f, c, "xmr", "ltc")
	s.Refresh(t.Context())
	rate, _, err := s.Pair(coinNamed(t, "xmr"), coinNamed(t, "ltc"))
	require.NoError(t, err)
	require.Equal(t, "2", rate.String())
	require.Empty(t, f.calls)
}

func TestCoinConfigurationIsChecked(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*config.Prices){
		"no source":      func(c *config.Prices) { c.CoinPriceSources = nil },
		"one exchange":   func(c *config.Prices) { c.CoinPriceSources = []string{"kraken"} },
		"named twice":    func(c *config.Prices) { c.CoinPriceSources = []string{"kraken", "kraken"} },
		"unknown":        func(c *config.Prices) { c.CoinPriceSources = []string{"kraken", "mtgox"} },
		"static beside":  func(c *config.Prices) { c.CoinPriceSources = []string{"kraken", "exmo", "static"} },
		"static not set": func(c *config.Prices) { c.CoinPriceSources = []string{"static"} },
		"static is no number": func(c *config.Prices) {
			c.CoinPriceSources, c.CoinPricesStatic = []string{"static"}, map[string]string{"xmr": "x"}
		},
		"static is zero": func(c *config.Prices) {
			c.CoinPriceSources, c.CoinPricesStatic = []string{"static"}, map[string]string{"xmr": "0"}
		},
	} {
		_, c := newFloor(t, nil)
		change(&c)
		_, err := rates.NewCoins(c, []string{"xmr"}, http.DefaultClient, time.Now, slog.New(slog.DiscardHandler))
		require.Error(t, err, name)
	}
	_, c := newFloor(t, nil)
	_, err := rates.NewCoins(c, []string{"xmr", "dash"}, http.DefaultClient, time.Now, slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "price of dash")
}
