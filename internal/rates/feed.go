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

// feed is one source of the price in one currency.
type feed struct {
	source   string
	currency money.Currency
	fetch    func(ctx context.Context) (Quote, error)
}

// newFeeds makes the feeds of the configured sources, in their order.
func newFeeds(c config.Prices, client *http.Client) ([]feed, error) {
	if err := checkSources(c); err != nil {
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
		feeds = append(feeds, exchangeFeeds(name, c.PriceURLs[name], client)...)
	}
	return feeds, nil
}

func checkSources(c config.Prices) error {
	known := []string{staticSource}
	for _, x := range exchanges() {
		known = append(known, x.name)
	}
	if len(c.PriceSources) == 0 {
		return fmt.Errorf("PRICE_SOURCES is empty")
	}
	for i, name := range c.PriceSources {
		if !slices.Contains(known, name) || slices.Contains(c.PriceSources[:i], name) {
			return fmt.Errorf("PRICE_SOURCES: %q is unknown or named twice", name)
		}
	}
	for name := range c.PriceURLs {
		if !slices.Contains(known, name) {
			return fmt.Errorf("PRICE_URLS: %q is unknown", name)
		}
	}
	return nil
}

func exchangeFeeds(name, base string, client *http.Client) []feed {
	all := exchanges()
	x := all[slices.IndexFunc(all, func(x exchange) bool { return x.name == name })]
	if base == "" {
		base = x.base
	}
	var feeds []feed
	for _, currency := range []money.Currency{money.USD, money.EUR} {
		path, listed := x.paths[currency]
		if !listed {
			continue
		}
		url := strings.TrimSuffix(base, "/") + path
		feeds = append(feeds, feed{name, currency, func(ctx context.Context) (Quote, error) {
			body, err := get(ctx, client, url)
			if err != nil {
				return Quote{}, err
			}
			return x.parse(body, currency)
		}})
	}
	return feeds
}

func staticFeeds(c config.Prices) ([]feed, error) {
	var feeds []feed
	for currency, text := range map[money.Currency]string{money.USD: c.PriceStaticUSD, money.EUR: c.PriceStaticEUR} {
		if text == "" {
			continue
		}
		price, err := money.ParseDecimal(text)
		if err != nil {
			return nil, fmt.Errorf("PRICE_STATIC_%s: %w", currency, err)
		}
		quote := Quote{Price: price, High24h: price, Low24h: price}
		if !quote.plausible() {
			return nil, fmt.Errorf("PRICE_STATIC_%s: %w", currency, money.ErrRange)
		}
		feeds = append(feeds, feed{staticSource, currency, func(context.Context) (Quote, error) { return quote, nil }})
	}
	if len(feeds) == 0 {
		return nil, fmt.Errorf("PRICE_SOURCES names static, but no PRICE_STATIC_USD or PRICE_STATIC_EUR is set")
	}
	return feeds, nil
}

// get reads a whole answer of at most maxBody bytes. Errors name no URL.
func get(ctx context.Context, client *http.Client, url string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
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
