package rates

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
)

const (
	// leastSources is how many exchanges the price of a coin is taken from.
	leastSources = 2
	// priceDecimals is the precision of means and rates.
	priceDecimals = 18
)

// Coins answers with the prices at which coins are swapped. It is stricter than
// Service: no exchange is preferred, a price is the mean of those that are
// fresh, and when they lie too far apart there is none. It is safe for
// concurrent use.
type Coins struct {
	*board

	spread money.Decimal

	// means are the prices that were last worked out, by ticker.
	meansMu sync.RWMutex
	means   map[string]meanPrice
}

// meanPrice holds while no quote has come since it was worked out and none of
// those it is made of is too old.
type meanPrice struct {
	price       money.Decimal
	at          time.Time
	changes     uint64
	since, till time.Time
}

// Coin prices that are believed are at least this many USD.
func lowestCoin() money.Decimal { return money.MustDecimal("0.000001") }

// NewCoins returns a service for these tickers, without prices yet: call
// Refresh or Run. It fails when a ticker has no source, when exchanges are
// fewer than two, or when static prices are mixed with theirs.
func NewCoins(c config.Prices, tickers []string, client *http.Client, now func() time.Time, log *slog.Logger) (*Coins, error) {
	feeds, err := coinFeeds(c, tickers)
	if err != nil {
		return nil, fmt.Errorf("prices of coins: %w", err)
	}
	return &Coins{
		board: &board{
			feeds: feeds, client: client, maxAge: c.CoinPriceMaxAge, refresh: c.PriceRefresh, lowest: lowestCoin(),
			now: now, log: log, latest: make([]state, len(feeds)),
		},
		spread: c.CoinPriceSpread.Decimal, means: map[string]meanPrice{},
	}, nil
}

// Priced are those of the tickers that the configured sources have prices of.
func Priced(c config.Prices, tickers []string) []string {
	static := slices.Contains(c.CoinPriceSources, staticSource)
	return slices.DeleteFunc(slices.Clone(tickers), func(ticker string) bool {
		_, err := feedsOf(c, market{ticker, money.USD}, static)
		return err != nil
	})
}

func coinFeeds(c config.Prices, tickers []string) ([]feed, error) {
	if err := checkSources("COIN_PRICE_SOURCES", c.CoinPriceSources, c.PriceURLs); err != nil {
		return nil, err
	}
	static := slices.Contains(c.CoinPriceSources, staticSource)
	switch {
	case static && len(c.CoinPriceSources) > 1:
		return nil, fmt.Errorf("COIN_PRICE_SOURCES: static stands alone")
	case !static && len(c.CoinPriceSources) < leastSources:
		return nil, fmt.Errorf("COIN_PRICE_SOURCES names fewer than %d exchanges", leastSources)
	}
	var feeds []feed
	for _, ticker := range tickers {
		of, err := feedsOf(c, market{ticker, money.USD}, static)
		if err != nil {
			return nil, err
		}
		feeds = append(feeds, of...)
	}
	return feeds, nil
}

// feedsOf makes the feeds of one coin.
func feedsOf(c config.Prices, m market, static bool) ([]feed, error) {
	if static {
		f, err := staticFeed(m, c.CoinPricesStatic[m.coin], lowestCoin())
		if err != nil {
			return nil, fmt.Errorf("COIN_PRICES_STATIC: %s: %w", m.coin, err)
		}
		return []feed{f}, nil
	}
	var feeds []feed
	for _, name := range c.CoinPriceSources {
		feeds = append(feeds, exchangeFeeds(name, c.PriceURLs[name], []market{m})...)
	}
	if len(feeds) < leastSources {
		return nil, fmt.Errorf("fewer than %d exchanges have a price of %s", leastSources, m.coin)
	}
	return feeds, nil
}

// USD returns the price of one coin in USD, and when the oldest of the quotes
// that it is made of was true; it does no input or output. The price is the
// mean of the sources that are not older than COIN_PRICE_MAX_AGE. ErrStale when
// there is none, or when two of them are more than COIN_PRICE_SPREAD_PERCENT
// apart. ErrNoPrice for a coin that is not priced here.
func (s *Coins) USD(ticker string) (price money.Decimal, at time.Time, err error) {
	s.mu.RLock()
	changes := s.changes
	s.mu.RUnlock()
	s.meansMu.RLock()
	known, ok := s.means[ticker]
	s.meansMu.RUnlock()
	now := s.now()
	if ok && known.changes == changes && !now.Before(known.since) && !now.After(known.till) {
		return known.price, known.at, nil
	}
	price, at, err = s.usd(ticker)
	if err == nil {
		s.meansMu.Lock()
		defer s.meansMu.Unlock()
		s.means[ticker] = meanPrice{price, at, changes, now, at.Add(s.maxAge)}
	}
	return price, at, err
}

// usd works the price out.
func (s *Coins) usd(ticker string) (price money.Decimal, at time.Time, err error) {
	m := market{ticker, money.USD}
	if !slices.ContainsFunc(s.feeds, func(f feed) bool { return f.market == m }) {
		return money.Decimal{}, time.Time{}, fmt.Errorf("%w of %s", ErrNoPrice, ticker)
	}
	quotes := s.fresh(m)
	if len(quotes) == 0 {
		return money.Decimal{}, time.Time{}, fmt.Errorf("%w: %s", ErrStale, ticker)
	}
	byPrice := func(a, b Quote) int { return a.Price.Cmp(b.Price) }
	lowest, highest := slices.MinFunc(quotes, byPrice), slices.MaxFunc(quotes, byPrice)
	if !within(lowest.Price, highest.Price, s.spread) {
		return money.Decimal{}, time.Time{}, fmt.Errorf("%w: the sources of %s disagree", ErrStale, ticker)
	}
	price, err = mean(quotes)
	return price, slices.MinFunc(quotes, func(a, b Quote) int { return a.At.Compare(b.At) }).At, err
}

func mean(quotes []Quote) (money.Decimal, error) {
	var sum money.Decimal
	for _, q := range quotes {
		sum = sum.Add(q.Price)
	}
	return sum.Div(money.DecimalFromInt(int64(len(quotes))), priceDecimals)
}

// Pair returns how many coins of to one coin of from is worth, rounded to 18
// decimals, and when the older of the two prices was true. Errors as of USD.
func (s *Coins) Pair(from, to coin.Coin) (rate money.Decimal, at time.Time, err error) {
	priceFrom, atFrom, err := s.USD(from.Ticker)
	if err != nil {
		return money.Decimal{}, time.Time{}, err
	}
	priceTo, atTo, err := s.USD(to.Ticker)
	if err != nil {
		return money.Decimal{}, time.Time{}, err
	}
	rate, err = priceFrom.Div(priceTo, priceDecimals)
	if atTo.Before(atFrom) {
		atFrom = atTo
	}
	return rate, atFrom, err
}

// Ready returns nil while every coin has a price, and the error of the first
// that has none otherwise.
func (s *Coins) Ready(context.Context) error {
	for _, f := range s.feeds {
		if _, _, err := s.USD(f.market.coin); err != nil {
			return err
		}
	}
	return nil
}
