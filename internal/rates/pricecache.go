package rates

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/durapay/durapay/internal/money"
)

// priceCache keeps the latest quote of every feed. It is safe for concurrent use.
type priceCache struct {
	feeds   []feed
	client  *http.Client
	maxAge  time.Duration
	refresh time.Duration
	// lowest is the lowest price that is accepted.
	lowest money.Decimal
	// sided requires that a quote has both sides of the book.
	sided bool
	// refreshed is called after each Refresh, if it is set.
	refreshed func()
	now       func() time.Time
	log       *slog.Logger

	mu     sync.RWMutex
	latest []state // of the feed with the same index
	// changes is the number of changes of latest.
	changes uint64
}

// state is the last state of a feed.
type state struct {
	quote   Quote
	known   bool
	failing bool
}

// Run refreshes at once and then at every interval, until ctx ends.
func (b *priceCache) Run(ctx context.Context) {
	tick := time.NewTicker(b.refresh)
	defer tick.Stop()
	for {
		b.Refresh(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Refresh fetches all sources at the same time, each once. It returns when every
// source has answered or failed, after 10 seconds at the latest. A source that
// fails keeps its last price until that is too old.
func (b *priceCache) Refresh(ctx context.Context) {
	places := map[string][]int{}
	for i, f := range b.feeds {
		places[f.url] = append(places[f.url], i)
	}
	var wait sync.WaitGroup
	for url, indices := range places {
		wait.Go(func() { b.fetch(ctx, url, indices) })
	}
	wait.Wait()
	if b.refreshed != nil {
		b.refreshed()
	}
}

// fetch makes one call for all feeds that share it.
func (b *priceCache) fetch(ctx context.Context, url string, indices []int) {
	var body []byte
	var failed error
	if url != "" {
		body, failed = get(ctx, b.client, url)
	}
	if ctx.Err() != nil {
		return
	}
	for _, i := range indices {
		quote, err := Quote{}, failed
		if err == nil {
			quote, err = b.feeds[i].parse(body)
		}
		if err == nil && (!quote.plausible(b.lowest) || (b.sided && !quote.sided(b.lowest))) {
			err = fmt.Errorf("%w: the price is out of range", ErrTicker)
		}
		b.record(i, quote, err)
	}
}

// record stores a quote, and logs when a source starts to fail or works again.
func (b *priceCache) record(i int, quote Quote, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f, last := b.feeds[i], &b.latest[i]
	log := b.log.With("source", f.source, "coin", f.market.coin, "currency", string(f.market.currency))
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
	if now := b.now(); quote.At.IsZero() || quote.At.After(now) {
		quote.At = now
	}
	*last = state{quote: quote, known: true}
	b.changes++
}

// fresh returns the quotes of a market that are not too old, in the order of the
// sources.
func (b *priceCache) fresh(m market) []Quote {
	oldest := b.now().Add(-b.maxAge)
	b.mu.RLock()
	defer b.mu.RUnlock()
	var out []Quote
	for i, f := range b.feeds {
		if st := b.latest[i]; f.market == m && st.known && !st.quote.At.Before(oldest) {
			out = append(out, st.quote)
		}
	}
	return out
}

// within reports whether two prices differ by at most the bound, in percent of
// the smaller one.
func within(a, b, bound money.Decimal) bool {
	smaller := a
	if b.Cmp(a) < 0 {
		smaller = b
	}
	return a.Sub(b).Abs().Mul(money.DecimalFromInt(100)).Cmp(smaller.Mul(bound)) <= 0
}
