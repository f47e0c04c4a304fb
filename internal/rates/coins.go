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
	// leastSources is the minimum number of exchanges for the price of a coin.
	leastSources = 2
	// priceDecimals is the precision of rates and of results of calculations with
	// prices.
	priceDecimals = 18
)

// Coins returns the prices at which coins are swapped. It is stricter than
// Service: each side of a market is the median of at least two exchanges with
// fresh prices, and the result includes the distance between them. It is safe
// for concurrent use.
type Coins struct {
	*priceCache

	// least is the number of fresh sources that a price needs.
	least int
	// farthest is the largest allowed distance between sources, in basis points.
	farthest int64
	past     history

	// books are the last calculated books, by ticker.
	booksMu sync.RWMutex
	books   map[string]knownBook
}

// knownBook is valid from since to till, as long as no quote has arrived since
// it was calculated. At till the oldest of its quotes becomes too old.
type knownBook struct {
	Book

	changes     uint64
	since, till time.Time
}

// lowestCoin returns the lowest price of a coin that is accepted, in USD.
func lowestCoin() money.Decimal { return money.MustDecimal("0.000001") }

// NewCoins returns a service for these tickers. It has no prices yet: call
// Refresh or Run. NewCoins fails if a ticker has no source, if there are fewer
// than two exchanges, or if static prices are combined with exchanges.
func NewCoins(c config.Prices, tickers []string, client *http.Client, now func() time.Time, log *slog.Logger) (*Coins, error) {
	feeds, err := coinFeeds(c, tickers)
	if err != nil {
		return nil, fmt.Errorf("prices of coins: %w", err)
	}
	s := &Coins{
		priceCache: &priceCache{
			feeds: feeds, client: client, maxAge: c.CoinPriceMaxAge, refresh: c.PriceRefresh, lowest: lowestCoin(), sided: true,
			now: now, log: log, latest: make([]state, len(feeds)),
		},
		least: leastSources, farthest: c.CoinPriceSpread.ScaleInt(basis / 100), books: map[string]knownBook{},
		past: history{window: c.CoinVolatilityWindow, samples: map[string][]sample{}},
	}
	if slices.Contains(c.CoinPriceSources, staticSource) {
		s.least = 1
	}
	s.refreshed = s.remember
	return s, nil
}

// Priced returns the tickers for which the configured sources have prices.
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

// Book returns a coin's current market. It does no input or output. Only sources
// that are at present not older than COIN_PRICE_MAX_AGE count.
//
// Book returns ErrStale if fewer than two sources remain (one for static
// prices), or if they are more than COIN_PRICE_SPREAD_PERCENT apart. It returns
// ErrNoPrice for a coin without sources.
func (s *Coins) Book(ticker string) (Book, error) {
	s.mu.RLock()
	changes := s.changes
	s.mu.RUnlock()
	s.booksMu.RLock()
	known, ok := s.books[ticker]
	s.booksMu.RUnlock()
	now := s.now()
	if ok && known.changes == changes && !now.Before(known.since) && !now.After(known.till) {
		return known.Book, nil
	}
	book, err := s.book(ticker)
	if err != nil {
		return Book{}, err
	}
	book.VolatilityBP = s.past.volatilityBP(ticker, sample{now, book.Mid()})
	s.booksMu.Lock()
	defer s.booksMu.Unlock()
	s.books[ticker] = knownBook{book, changes, now, book.At.Add(s.maxAge)}
	return book, nil
}

// book calculates the book without its volatility.
func (s *Coins) book(ticker string) (Book, error) {
	m := market{ticker, money.USD}
	if !slices.ContainsFunc(s.feeds, func(f feed) bool { return f.market == m }) {
		return Book{}, fmt.Errorf("%w of %s", ErrNoPrice, ticker)
	}
	quotes := s.fresh(m)
	if len(quotes) < s.least {
		return Book{}, fmt.Errorf("%w: %s has %d fresh sources", ErrStale, ticker, len(quotes))
	}
	book := bookOf(quotes)
	if max(book.BidDispersionBP, book.AskDispersionBP) > s.farthest {
		return Book{}, fmt.Errorf("%w: the sources of %s disagree", ErrStale, ticker)
	}
	return book, nil
}

// remember stores the current price of each coin, for the volatility.
func (s *Coins) remember() {
	now := s.now()
	for _, f := range s.feeds {
		book, err := s.book(f.market.coin)
		if err == nil {
			s.past.add(f.market.coin, sample{now, book.Mid()})
		}
	}
}

// Pair returns the price of one coin of from in coins of to, in the middle
// between bid and ask, rounded to 18 decimals. at is the time of the older of
// the two prices. Errors: those of Book.
func (s *Coins) Pair(from, to coin.Coin) (rate money.Decimal, at time.Time, err error) {
	bookFrom, err := s.Book(from.Ticker)
	if err != nil {
		return money.Decimal{}, time.Time{}, err
	}
	bookTo, err := s.Book(to.Ticker)
	if err != nil {
		return money.Decimal{}, time.Time{}, err
	}
	rate, err = bookFrom.Mid().Div(bookTo.Mid(), priceDecimals)
	if bookTo.At.Before(bookFrom.At) {
		bookFrom.At = bookTo.At
	}
	return rate, bookFrom.At, err
}

// Ready returns nil while every coin has a price, and otherwise the error of the
// first coin without one.
func (s *Coins) Ready(context.Context) error {
	for _, f := range s.feeds {
		if _, err := s.Book(f.market.coin); err != nil {
			return err
		}
	}
	return nil
}
