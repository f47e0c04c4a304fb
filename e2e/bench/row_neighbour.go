package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/durapay/durapay/e2e/fixture"
)

const (
	neighbourBar = 2 * time.Second
	// neighbourHooks is how many webhooks an account may have for live events.
	neighbourHooks = 10
	neighbourPath  = "/neighbour"
)

func (b *bench) neighbourAddresses() int { return b.sizes.pendingNews/neighbourHooks + b.sizes.news }

// neighbour takes the time from a charge's creation to its event at one merchant's receiver, while
// another merchant has thousands of events pending: half of its receivers hang, and half refuse.
func (b *bench) neighbour(ctx context.Context) error {
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
	busy, err := b.testbed.openShop(ctx, nil)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if _, err := busy.CreateLongWebhook(ctx, b.testbed.Hooks.URL(path), created...); err != nil {
			return err
		}
	}
	s, err := b.testbed.openShop(ctx, created, neighbourPath)
	if err != nil {
		return err
	}
	calm, err := s.news(ctx, b.sizes.news)
	if err != nil {
		return err
	}
	if err := repeat(ctx, rushClients, int64(b.sizes.pendingNews/neighbourHooks), busy.post); err != nil {
		return err
	}
	took, err := s.news(ctx, b.sizes.news)
	if err != nil {
		return err
	}
	left, err := b.testbed.pendingNews(ctx, busy.id())
	if err != nil {
		return err
	}
	b.table.add(row{
		measure:   fmt.Sprintf("charge made → charge.created, beside a merchant with %s events pending, %s at the end", thousands(b.sizes.pendingNews), thousands(left)),
		value:     spread(took),
		reference: "alone: " + spread(calm),
		ratio:     ratioText(quotient(percentile(took, 99), percentile(calm, 99))),
		bar:       "p99 ≤ " + short(neighbourBar), met: percentile(took, 99) <= neighbourBar,
	})
	return nil
}

// news makes charges, one after the other, and returns how long after the request each event came.
func (s *shop) news(ctx context.Context, n int) ([]time.Duration, error) {
	samples := make([]time.Duration, n)
	for i := range samples {
		begun := time.Now()
		c, err := s.Sell(ctx, price)
		if err != nil {
			return nil, err
		}
		at, err := arrived(ctx, s.testbed.Hooks, event(neighbourPath, "charge.created", c.ID))
		if err != nil {
			return nil, err
		}
		samples[i] = at.Sub(begun)
	}
	return samples, nil
}

// pendingNews counts a merchant's deliveries that have not arrived.
func (w *testbed) pendingNews(ctx context.Context, merchantID string) (n int, err error) {
	err = w.db.QueryRow(ctx, `SELECT count(*) FROM deliveries AS d JOIN webhooks AS h ON h.id = d.webhook_id WHERE h.merchant_id = $1 AND d.status = 'pending'`, merchantID).Scan(&n)
	return n, err
}
