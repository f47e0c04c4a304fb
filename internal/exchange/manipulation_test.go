package exchange_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/rates"
	"github.com/durapay/durapay/internal/trade"
	_ "github.com/durapay/durapay/tools/testseed"
)

// tickers simulates three price sources on the internet, over HTTP. Prices are
// "bid/ask" by exchange and coin; a missing price is not listed.
type tickers struct {
	mu     sync.Mutex
	prices map[string]string
	now    time.Time
}

func (s *tickers) set(exchange, coin, price string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prices[exchange+" "+coin] = price
}

func (s *tickers) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *tickers) pass(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

func (s *tickers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var exmo []string
	for _, ticker := range []string{"xmr", "ltc"} {
		symbol := strings.ToUpper(ticker)
		sides := func(name string) (bid, ask string, listed bool) {
			return strings.Cut(s.prices[name+" "+ticker], "/")
		}
		if bid, ask, listed := sides("kraken"); listed && r.URL.Query().Get("pair") == symbol+"USD" {
			_, _ = fmt.Fprintf(w, `{"error":[],"result":{"X%sZUSD":{"a":[%q,"1","1"],"b":[%q,"1","1"],"c":[%q,"1"],"h":["1","1"],"l":["1","1"],"o":"1"}}}`,
				symbol, ask, bid, bid)
			return
		}
		if bid, ask, listed := sides("bitfinex"); listed && strings.HasSuffix(r.URL.Path, "/t"+symbol+"USD") {
			_, _ = fmt.Fprintf(w, `[%s,1,%s,1,1,0.01,%s,1,1,1]`, bid, ask, bid)
			return
		}
		if bid, ask, listed := sides("exmo"); listed {
			exmo = append(exmo, fmt.Sprintf(`"%s_USD":{"buy_price":%q,"sell_price":%q,"last_trade":%q,"high":"1","low":"1","updated":%d}`,
				symbol, bid, ask, bid, s.now.Unix()))
		}
	}
	_, _ = fmt.Fprintf(w, "{%s}", strings.Join(exmo, ","))
}

// plenty is a balance reader of wallets that were just scanned and hold plenty.
type plenty struct{ now func() time.Time }

func (p plenty) GetWallet(context.Context, string) (db.Wallet, error) {
	at := p.now()
	return db.Wallet{Unlocked: money.MustDecimal("100000"), NetworkFee: money.MustDecimal("0"), BalanceCurrentAt: &at}, nil
}

func (plenty) ReservedInventory(context.Context, string) (db.ReservedInventoryRow, error) {
	return db.ReservedInventoryRow{}, nil
}

// attacked is a quoter whose prices come from the tickers.
type attacked struct {
	tickers *tickers
	prices  *rates.Coins
	quoter  *exchange.Quoter
	pairs   [2]exchange.Pair
}

func newAttacked(t *testing.T) *attacked {
	t.Helper()
	s := &tickers{prices: map[string]string{}, now: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	prices, err := rates.NewCoins(config.Prices{
		CoinPriceSources: []string{"kraken", "bitfinex", "exmo"}, CoinPriceMaxAge: 2 * time.Minute, PriceRefresh: time.Hour,
		CoinVolatilityWindow: 15 * time.Minute, CoinPriceSpread: config.Percent{Decimal: money.DecimalFromInt(10)},
		PriceURLs: map[string]string{"kraken": server.URL + "/kraken", "bitfinex": server.URL + "/bitfinex", "exmo": server.URL + "/exmo"},
	}, []string{"xmr", "ltc"}, server.Client(), s.clock, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	a := &attacked{tickers: s, prices: prices}
	var coins [2]exchange.Coin
	for i, ticker := range []string{"xmr", "ltc"} {
		known, ok := coin.Lookup(ticker, "Mainnet")
		require.True(t, ok)
		coins[i] = exchange.Coin{Coin: known, WalletID: ticker, Confirmations: 2}
	}
	least, most := money.MustDecimal("0.01"), money.MustDecimal("1000")
	a.pairs = [2]exchange.Pair{
		{From: coins[0], To: coins[1], Min: least, Max: most, Step: least}, {From: coins[1], To: coins[0], Min: least, Max: most, Step: least},
	}
	a.quoter = &exchange.Quoter{
		Settings: exchange.Settings{Pairs: a.pairs[:], SpreadBP: 200, MaxSpreadBP: 600, UnfundedPercent: 100}, Market: prices.Book,
	}
	return a
}

// quote returns what one coin pays, or the error of the quoter.
func (a *attacked) quote(p exchange.Pair) (money.Decimal, error) {
	offer, err := a.quoter.Quote(context.Background(), plenty{a.tickers.clock}, p, money.MustDecimal("1"), 0, a.tickers.clock())
	return offer.AmountTo, err
}

// fair returns the true prices of the coins.
func fair() map[string]string { return map[string]string{"xmr": "150", "ltc": "75"} }

// honest makes an exchange show an order book around the fair price.
func (a *attacked) honest(t *rapid.T, name string) {
	for ticker, price := range fair() {
		half := money.FromAtomic(rapid.Uint64Range(0, 100).Draw(t, name+" half of the spread of "+ticker), 2)
		middle := money.MustDecimal(price)
		a.tickers.set(name, ticker, middle.Sub(half).String()+"/"+middle.Add(half).String())
	}
}

// corrupt makes an exchange show any price, near the fair one or far from it.
func (a *attacked) corrupt(t *rapid.T, name string) {
	for ticker, price := range fair() {
		factor := money.FromAtomic(rapid.OneOf(
			rapid.Uint64Range(9950, 10_080), rapid.Uint64Range(9950, 10_080), rapid.Uint64Range(10_000, 10_900), rapid.Uint64Range(9000, 11_000), rapid.Uint64Range(1, 1_000_000),
		).Draw(t, name+" moves "+ticker), 4)
		width := money.FromAtomic(rapid.OneOf(rapid.Uint64Range(0, 100), rapid.Uint64Range(0, 100), rapid.Uint64Range(0, 100_000)).Draw(t, name+" opens "+ticker), 4)
		bid := money.MustDecimal(price).Mul(factor)
		a.tickers.set(name, ticker, bid.String()+"/"+bid.Add(bid.Mul(width)).String())
	}
}

// agree makes one exchange show what another shows.
func (a *attacked) agree(one, other string) {
	a.tickers.mu.Lock()
	defer a.tickers.mu.Unlock()
	for ticker := range fair() {
		a.tickers.prices[other+" "+ticker] = a.tickers.prices[one+" "+ticker]
	}
}

// checkNoGain compares every available quote with the fair price.
func (a *attacked) checkNoGain(t *rapid.T) (quoted bool) {
	whole := money.MustDecimal("1")
	worth := map[string]money.Decimal{"xmr": money.MustDecimal("2"), "ltc": money.MustDecimal("0.5")}
	round := whole
	for _, p := range a.pairs {
		paid, err := a.quote(p)
		if err != nil {
			if !errors.Is(err, exchange.ErrStale) && !errors.Is(err, trade.ErrUnfillable) {
				if _, limit := errors.AsType[*trade.LimitError](err); !limit {
					t.Fatalf("%v", err)
				}
			}
			return quoted
		}
		quoted = true
		require.Negative(t, paid.Cmp(worth[p.From.Ticker]), "%s for one %s", paid, p.From.Ticker)
		round = round.Mul(paid)
	}
	require.Negative(t, round.Cmp(whole), "there and back")
	return quoted
}

// TestWhoMovesOneSourceOfThreeGainsNothing moves any one exchange by any amount
// on either side, at some of the moments at which prices are read, and takes
// every quote that is available. None is as good as the fair price.
func TestWhoMovesOneSourceOfThreeGainsNothing(t *testing.T) {
	t.Parallel()
	a := newAttacked(t)
	quotes := 0
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"kraken", "bitfinex", "exmo"}
		moved := rapid.SampledFrom(names).Draw(t, "moved")
		for range rapid.IntRange(1, 3).Draw(t, "reads") {
			for _, name := range names {
				a.honest(t, name)
			}
			if rapid.Bool().Draw(t, "at this moment") {
				a.corrupt(t, moved)
			}
			a.tickers.pass(time.Duration(rapid.IntRange(0, 60).Draw(t, "seconds")) * time.Second)
			a.prices.Refresh(context.Background())
			if a.checkNoGain(t) {
				quotes++
			}
		}
		a.tickers.pass(time.Hour) // the next case starts without these prices
	})
	require.Positive(t, quotes, "some are quoted")
}

// TestOneRightSourceIsEnough breaks the assumption of the test above: two of
// three sources, or one of two, are moved. While a correct one is fresh, an
// attacker gains nothing: the gain from the moved ones is less than the spread,
// or there is no quote.
func TestOneRightSourceIsEnough(t *testing.T) {
	t.Parallel()
	a := newAttacked(t)
	quotes := 0
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.Permutation([]string{"kraken", "bitfinex", "exmo"}).Draw(t, "order")
		a.honest(t, names[0])
		if rapid.Bool().Draw(t, "moved a little") {
			a.honest(t, names[1])
			a.honest(t, names[2])
		} else {
			a.corrupt(t, names[1])
			a.corrupt(t, names[2])
		}
		if rapid.Bool().Draw(t, "together") {
			a.agree(names[1], names[2])
		}
		if rapid.Bool().Draw(t, "two are left") {
			a.tickers.set(names[2], "xmr", "")
			a.tickers.set(names[2], "ltc", "")
		}
		a.prices.Refresh(context.Background())
		if a.checkNoGain(t) {
			quotes++
		}
		a.tickers.pass(time.Hour)
	})
	require.Positive(t, quotes, "some are quoted")
}

// TestSpreadFollowsVolatility widens the spread by the movement of the prices, up
// to its bound. Beyond the bound there is no quote.
func TestSpreadFollowsVolatility(t *testing.T) {
	t.Parallel()
	a := newAttacked(t)
	at := func(xmr, ltc string) (string, error) {
		for _, name := range []string{"kraken", "bitfinex", "exmo"} {
			a.tickers.set(name, "xmr", xmr+"/"+xmr)
			a.tickers.set(name, "ltc", ltc+"/"+ltc)
		}
		a.tickers.pass(time.Minute)
		a.prices.Refresh(t.Context())
		paid, err := a.quote(a.pairs[0])
		return paid.Round(4).String(), err
	}
	for _, step := range []struct{ xmr, ltc, want string }{
		{"150", "75", "1.96"},        // 2 %
		{"151.5", "75", "1.9594"},    // 2.02 less 3 %
		{"151.5", "75.75", "1.92"},   // 2 less 4 %
		{"153", "75.75", "1.9188"},   // 2.0198 less 5 %
		{"154.5", "75.75", "1.9172"}, // 2.0396 less 6 %
	} {
		paid, err := at(step.xmr, step.ltc)
		require.NoError(t, err, step.xmr)
		require.Equal(t, step.want, paid, "%s/%s", step.xmr, step.ltc)
	}
	_, err := at("154.52", "75.75")
	require.ErrorIs(t, err, exchange.ErrStale, "more than 6 %")
	a.tickers.pass(15*time.Minute + time.Second)
	paid, err := at("150", "75")
	require.NoError(t, err, "what is long ago is forgotten")
	require.Equal(t, "1.96", paid)
}

// TestDispersionIsBelowTheSpread checks that there is no quote when sources
// differ by as much as the spread.
func TestDispersionIsBelowTheSpread(t *testing.T) {
	t.Parallel()
	for bid, quoted := range map[string]bool{"150": true, "152.98": true, "153": false, "160": false, "147.09": true, "147.05": false} {
		a := newAttacked(t)
		for _, name := range []string{"kraken", "bitfinex", "exmo"} {
			a.tickers.set(name, "xmr", "150/170")
			a.tickers.set(name, "ltc", "70/75")
		}
		a.tickers.set("exmo", "xmr", bid+"/170")
		a.prices.Refresh(t.Context())
		_, err := a.quote(a.pairs[0])
		if quoted {
			require.NoError(t, err, bid)
		} else {
			require.ErrorIs(t, err, exchange.ErrStale, bid)
		}
	}
}
