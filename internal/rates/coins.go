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
	// priceDecimals is the precision of rates and of what is between two prices.
	priceDecimals = 18
)

// Coins answers with the prices at which coins are swapped. It is stricter than
// Service: each side of a market is the median of the exchanges that are fresh,
// of which there must be two, and the answer tells how far they lie apart. It is
// safe for concurrent use.
type Coins struct {
	*priceCache

	// least is how many fresh sources a price needs.
	least int
	// farthest is how far apart sources may lie at all, in basis points.
	farthest int64
	past     history

	// books are those that were last worked out, by ticker.
	booksMu sync.RWMutex
	books   map[string]knownBook
}

// knownBook holds while no quote has come since it was worked out and none of
// those it is made of is too old.
type knownBook struct {
	Book

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

// Book returns a coin's market as it is now; it does no input or output. Only
// sources that are not older than COIN_PRICE_MAX_AGE at this moment count.
// ErrStale when fewer than two are left (one of static prices), or when they lie
// more than COIN_PRICE_SPREAD_PERCENT apart. ErrNoPrice for a coin that is not
// priced here.
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

// book works it out, but for the volatility.
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

// remember notes where each coin stands, for the volatility.
func (s *Coins) remember() {
	now := s.now()
	for _, f := range s.feeds {
		book, err := s.book(f.market.coin)
		if err == nil {
			s.past.add(f.market.coin, sample{now, book.Mid()})
		}
	}
}

// Pair returns how many coins of to one coin of from is worth between bid and
// ask, rounded to 18 decimals, and when the older of the two prices was true.
// Errors as of Book.
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

// Ready returns nil while every coin has a price, and the error of the first
// that has none otherwise.
func (s *Coins) Ready(context.Context) error {
	for _, f := range s.feeds {
		if _, err := s.Book(f.market.coin); err != nil {
			return err
		}
	}
	return nil
}
