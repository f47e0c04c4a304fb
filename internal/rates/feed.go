package rates

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/outbound"
)

// staticSource is the name of the source whose prices are configured.
const staticSource = "static"

const (
	fetchTimeout = 10 * time.Second
	maxBody      = 1 << 20 // bytes
)

// feed is one source of the price in one market.
type feed struct {
	source string
	market market
	// url is the URL of the ticker. Feeds with the same URL share one call. A
	// static feed has no URL.
	url   string
	parse func(body []byte) (Quote, error)
}

// newFeeds makes the feeds of the configured sources, in their order.
func newFeeds(c config.Prices) ([]feed, error) {
	if err := checkSources("PRICE_SOURCES", c.PriceSources, c.PriceURLs); err != nil {
		return nil, err
	}
	var feeds []feed
	for _, name := range c.PriceSources {
		if name == staticSource {
			static, err := staticFeeds(c)
			if err != nil {
				return nil, err
			}
			feeds = append(feeds, static...)
			continue
		}
		feeds = append(feeds, exchangeFeeds(name, c.PriceURLs[name], []market{xmrIn(money.USD), xmrIn(money.EUR)})...)
	}
	return feeds, nil
}

// checkSources verifies the names in a setting, and the names for which URLs
// are configured.
func checkSources(setting string, sources []string, urls map[string]string) error {
	known := []string{staticSource}
	for _, x := range exchanges() {
		known = append(known, x.name)
	}
	if len(sources) == 0 {
		return fmt.Errorf("%s is empty", setting)
	}
	for i, name := range sources {
		if !slices.Contains(known, name) || slices.Contains(sources[:i], name) {
			return fmt.Errorf("%s: %q is unknown or named twice", setting, name)
		}
	}
	for name := range urls {
		if !slices.Contains(known, name) {
			return fmt.Errorf("PRICE_URLS: %q is unknown", name)
		}
	}
	return nil
}

// exchangeFeeds makes an exchange's feeds of the markets that it lists.
func exchangeFeeds(name, base string, markets []market) []feed {
	all := exchanges()
	x := all[slices.IndexFunc(all, func(x exchange) bool { return x.name == name })]
	if base == "" {
		base = x.base
	}
	var feeds []feed
	for _, m := range markets {
		if path, listed := x.path(m); listed {
			parse := func(body []byte) (Quote, error) { return x.parse(body, m) }
			feeds = append(feeds, feed{name, m, strings.TrimSuffix(base, "/") + path, parse})
		}
	}
	return feeds
}

func staticFeeds(c config.Prices) ([]feed, error) {
	var feeds []feed
	for currency, text := range map[money.Currency]string{money.USD: c.PriceStaticUSD, money.EUR: c.PriceStaticEUR} {
		if text == "" {
			continue
		}
		f, err := staticFeed(xmrIn(currency), text, money.MinAmount)
		if err != nil {
			return nil, fmt.Errorf("PRICE_STATIC_%s: %w", currency, err)
		}
		feeds = append(feeds, f)
	}
	if len(feeds) == 0 {
		return nil, fmt.Errorf("PRICE_SOURCES names static, but no PRICE_STATIC_USD or PRICE_STATIC_EUR is set")
	}
	return feeds, nil
}

// staticFeed returns a feed with a constant price, which must be at least
// lowest.
func staticFeed(m market, text string, lowest money.Decimal) (feed, error) {
	price, err := money.ParseDecimal(text)
	if err != nil {
		return feed{}, err
	}
	quote := Quote{Price: price, Bid: price, Ask: price, High24h: price, Low24h: price}
	if !quote.plausible(lowest) {
		return feed{}, money.ErrRange
	}
	return feed{staticSource, m, "", func([]byte) (Quote, error) { return quote, nil }}, nil
}

// get reads a whole answer of at most maxBody bytes, within the client's
// timeout. Its errors contain no URL.
func get(ctx context.Context, client *http.Client, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, fmt.Errorf("price: %w", outbound.WithoutURL(err))
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("price: %w", outbound.WithoutURL(err))
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%w: status %d", ErrTicker, resp.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return nil, fmt.Errorf("price: %w", err)
	}
	if len(body) > maxBody {
		return nil, fmt.Errorf("%w: larger than %d bytes", ErrTicker, maxBody)
	}
	return body, nil
}
