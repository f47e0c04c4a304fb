package rates

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/outbound"
)

// Service answers with the latest usable prices. It is safe for concurrent use.
type Service struct {
	feeds   []feed
	maxAge  time.Duration
	refresh time.Duration
	outlier money.Decimal
	now     func() time.Time
	log     *slog.Logger

	mu     sync.RWMutex
	latest []state // of the feed at the same place
}

// state is what is known of a feed.
type state struct {
	quote   Quote
	known   bool
	failing bool
}

// Client returns the HTTP client for exchanges that the configuration wants:
// through the proxy, or direct to public addresses.
func Client(p config.Prices, o config.Outbound) *http.Client {
	policy := outbound.Policy{AllowedNets: o.WebhookAllowedNets}
	options := outbound.Options{Timeout: fetchTimeout}
	if p.PriceUseProxy {
		return outbound.NewProxied(o.SOCKS5Proxy, policy, options)
	}
	return outbound.NewDirect(policy, options)
}

// New returns a service without prices yet: call Refresh or Run. It fails when
// the configuration names an unknown source or a static price is not one.
func New(c config.Prices, client *http.Client, now func() time.Time, log *slog.Logger) (*Service, error) {
	feeds, err := newFeeds(c, client)
	if err != nil {
		return nil, fmt.Errorf("prices: %w", err)
	}
	return &Service{
		feeds: feeds, maxAge: c.PriceMaxAge, refresh: c.PriceRefresh, outlier: c.PriceOutlierPercent.Decimal,
		now: now, log: log, latest: make([]state, len(feeds)),
	}, nil
}

// Run refreshes at once and then at every interval, until ctx ends.
func (s *Service) Run(ctx context.Context) {
	tick := time.NewTicker(s.refresh)
	defer tick.Stop()
	for {
		s.Refresh(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Refresh fetches every source once, all at the same time, and returns when
// each has answered or failed: after 10 seconds at the latest. A source that
// fails keeps its last price until that is too old.
func (s *Service) Refresh(ctx context.Context) {
	var wait sync.WaitGroup
	for i, f := range s.feeds {
		wait.Go(func() {
			quote, err := f.fetch(ctx)
			if err == nil && !quote.plausible() {
				err = fmt.Errorf("%w: the price is out of range", ErrTicker)
			}
			if ctx.Err() == nil {
				s.record(i, quote, err)
			}
		})
	}
	wait.Wait()
}

// record keeps a quote, and logs when a source begins or ceases to fail.
func (s *Service) record(i int, quote Quote, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, last := s.feeds[i], &s.latest[i]
	log := s.log.With("source", f.source, "currency", string(f.currency))
	if err != nil {
		if !last.failing {
			log.Warn("price source fails", "error", err)
		}
		last.failing = true
		return
	}
	if last.failing || !last.known {
		log.Info("price source works", "price", quote.Price.String())
	}
	quote.Source = f.source
	if now := s.now(); quote.At.IsZero() || quote.At.After(now) {
		quote.At = now
	}
	*last = state{quote: quote, known: true}
}

// Price returns the price of one XMR in USD or EUR, from the first source in
// the configured order that may be used; it does no input or output. A quote
// may be used while it is not older than PRICE_MAX_AGE and a majority of the
// sources with such a quote (itself included) is within
// PRICE_OUTLIER_PERCENT of it. So a single source is believed, two that
// disagree are both refused, and one wrong source of three is outvoted.
// ErrNoPrice otherwise.
func (s *Service) Price(currency money.Currency) (Quote, error) {
	fresh := s.fresh(currency)
	for _, q := range fresh {
		if s.majorityAgrees(q, fresh) {
			return q, nil
		}
	}
	return Quote{}, fmt.Errorf("%w in %s", ErrNoPrice, currency)
}

func (s *Service) fresh(currency money.Currency) []Quote {
	oldest := s.now().Add(-s.maxAge)
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []Quote
	for i, f := range s.feeds {
		if st := s.latest[i]; f.currency == currency && st.known && !st.quote.At.Before(oldest) {
			out = append(out, st.quote)
		}
	}
	return out
}

func (s *Service) majorityAgrees(q Quote, all []Quote) bool {
	agree := 0
	for _, other := range all {
		if s.close(q.Price, other.Price) {
			agree++
		}
	}
	return 2*agree > len(all)
}

// close says whether two prices differ by at most the bound, in percent of the
// smaller one.
func (s *Service) close(a, b money.Decimal) bool {
	smaller := a
	if b.Cmp(a) < 0 {
		smaller = b
	}
	return a.Sub(b).Abs().Mul(money.DecimalFromInt(100)).Cmp(smaller.Mul(s.outlier)) <= 0
}

// Ready returns nil while at least one currency has a price, and ErrNoPrice
// otherwise: charges in the other currencies need none of the missing one.
func (s *Service) Ready(context.Context) error {
	for _, f := range s.feeds {
		if _, err := s.Price(f.currency); err == nil {
			return nil
		}
	}
	return ErrNoPrice
}
