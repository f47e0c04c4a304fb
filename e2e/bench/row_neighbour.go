package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
)

const (
	neighbourBar = 2 * time.Second
	// neighbourHooks is how many webhooks an account may have for live events.
	neighbourHooks = 10
	neighbourPath  = "/neighbour"
)

// neighbour takes the time from a charge's creation to its event at one merchant's receiver, while
// another merchant has thousands of events pending: half of its receivers hang, and half refuse.
func (b *bench) neighbour(ctx context.Context) {
	paths := make([]string, neighbourHooks)
	for i := range paths {
		paths[i] = fmt.Sprint("/busy/", i)
		answer := fixture.AnswerStatus(http.StatusInternalServerError)
		if i%2 == 0 {
			answer = fixture.AnswerNothing
		}
		b.testbed.Hooks.Answer(paths[i], answer)
	}
	created := []string{"charge.created"}
	busy := b.testbed.openShop(ctx, nil)
	for _, path := range paths {
		fixture.Must(busy.Subscribe(ctx, clients.NewWebhook{URL: b.testbed.Hooks.URL(path), Events: created, Retries: "long"}))
	}
	s := b.testbed.openShop(ctx, created, neighbourPath)
	calm := s.news(ctx, b.sizes.news)
	fixture.Do(repeat(ctx, rushClients, int64(b.sizes.pendingNews/neighbourHooks), busy.post))
	took := s.news(ctx, b.sizes.news)
	left := value[int](ctx, b.testbed, `SELECT count(*) FROM deliveries AS d JOIN webhooks AS h ON h.id = d.webhook_id
		WHERE h.merchant_id = $1 AND d.status = 'pending'`, busy.id())
	b.table.add(row{
		measure:   fmt.Sprintf("charge made → charge.created, beside a merchant with %s events pending, %s at the end", thousands(b.sizes.pendingNews), thousands(left)),
		value:     spread(took),
		reference: "alone: " + spread(calm),
		ratio:     ratioText(quotient(percentile(took, 99), percentile(calm, 99))),
		bar:       "p99 ≤ " + short(neighbourBar), met: percentile(took, 99) <= neighbourBar,
	})
}

// news makes charges, one after the other, and returns how long after the request each event came.
func (s *shop) news(ctx context.Context, n int) []time.Duration {
	samples := make([]time.Duration, n)
	for i := range samples {
		begun := time.Now()
		c := fixture.Must(s.Sell(ctx, price))
		samples[i] = arrived(ctx, s.testbed.Hooks, event(neighbourPath, "charge.created", c.ID)).Sub(begun)
	}
	return samples
}
