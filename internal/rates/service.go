package rates

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/outbound"
)

// Service returns the latest usable prices of XMR. It is safe for concurrent
// use.
type Service struct {
	*priceCache

	outlier money.Decimal
}

// Client returns the HTTP client for exchanges according to the configuration:
// through the proxy, or direct to public addresses.
func Client(p config.Prices, o config.Outbound) *http.Client {
	policy := outbound.Policy{AllowedNets: o.WebhookAllowedNets}
	options := outbound.Options{Timeout: fetchTimeout}
	if p.PriceUseProxy {
		return outbound.NewProxied(o.SOCKS5Proxy, policy, options)
	}
	return outbound.NewDirect(policy, options)
}

// New returns a service. It has no prices yet: call Refresh or Run. New fails if
// the configuration names an unknown source or contains an invalid static price.
func New(c config.Prices, client *http.Client, now func() time.Time, log *slog.Logger) (*Service, error) {
	feeds, err := newFeeds(c)
	if err != nil {
		return nil, fmt.Errorf("prices: %w", err)
	}
	return &Service{
		priceCache: &priceCache{
			feeds: feeds, client: client, maxAge: c.PriceMaxAge, refresh: c.PriceRefresh, lowest: money.MinAmount,
			now: now, log: log, latest: make([]state, len(feeds)),
		},
		outlier: c.PriceOutlierPercent.Decimal,
	}, nil
}

// Price returns the price of one XMR in USD or EUR. It does no input or output.
// The price is the median of the usable quotes; with an even number, it is the
// lower of the two in the middle. So an attacker who manipulates one source of
// two or more cannot make a charge cheaper.
//
// A quote is usable while it is not older than PRICE_MAX_AGE and a majority of
// the sources with such a quote (including itself) is within
// PRICE_OUTLIER_PERCENT of it. So a single source is accepted, two that disagree
// are both rejected, and one wrong source of three is outvoted. Without a usable
// quote, Price returns ErrNoPrice.
//
// A static price is returned unchanged if it is named first in the
// configuration. Otherwise it is only used while no exchange that is named
// before it is usable.
func (s *Service) Price(currency money.Currency) (Quote, error) {
	fresh := s.fresh(xmrIn(currency))
	usable := slices.DeleteFunc(slices.Clone(fresh), func(q Quote) bool { return !s.majorityAgrees(q, fresh) })
	if len(usable) == 0 {
		return Quote{}, fmt.Errorf("%w in %s", ErrNoPrice, currency)
	}
	if usable[0].Source == staticSource {
		return usable[0], nil
	}
	usable = slices.DeleteFunc(usable, func(q Quote) bool { return q.Source == staticSource })
	slices.SortStableFunc(usable, func(a, b Quote) int { return a.Price.Cmp(b.Price) })
	return usable[(len(usable)-1)/2], nil
}

func (s *Service) majorityAgrees(q Quote, all []Quote) bool {
	agree := 0
	for _, other := range all {
		if within(q.Price, other.Price, s.outlier) {
			agree++
		}
	}
	return 2*agree > len(all)
}

// Ready returns nil while at least one currency has a price, because charges in
// that currency then work. Otherwise it returns ErrNoPrice.
func (s *Service) Ready(context.Context) error {
	for _, f := range s.feeds {
		if _, err := s.Price(f.market.currency); err == nil {
			return nil
		}
	}
	return ErrNoPrice
}
