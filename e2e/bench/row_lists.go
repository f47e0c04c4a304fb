package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/durapay/durapay/e2e/fixture"
)

const (
	// listsBar is how much longer reads may take among many more charges.
	listsBar = 1.2
	// firstFakeIndex is far above the subaddresses that the wallet makes.
	firstFakeIndex = 10_000_000
	// deepDownBlocks are more than the watcher looks back.
	deepDownBlocks = 130
)

// books are the merchants whose charges are read: one with few, and one with the rest of
// the table.
type books struct{ few, many *shop }

// bookRead is one way in which charges are read: the path in a shop with so many.
type bookRead struct {
	name string
	path func(s *shop, charges int) string
}

// lists compares reads of charges among few and among very many.
func (b *bench) lists(ctx context.Context) {
	w := b.testbed
	k := books{w.openShop(ctx, nil), w.openShop(ctx, nil)}
	// The payments are in the first block, which the watcher must not look at any more.
	fixture.Do(w.Chain.Mine(ctx, deepDownBlocks))
	w.insertCharges(ctx, k.few.id(), b.sizes.few)
	plain := []bookRead{
		{"GET /api/charges", func(*shop, int) string { return "/api/charges" }},
		{"GET /api/charges/:id", func(s *shop, charges int) string {
			return "/api/charges/" + fakeID(s.id(), rand.IntN(charges)) //nolint:gosec // no secret
		}},
	}
	before := make([][]time.Duration, len(plain))
	for i, read := range plain {
		before[i] = b.timeRead(ctx, read, k.few, b.sizes.few)
	}
	b.fillBooks(ctx, k)
	b.books = k
	for i, read := range plain {
		after := b.timeRead(ctx, read, k.many, b.sizes.among-b.sizes.few)
		ratio := quotient(percentile(after, 50), percentile(before[i], 50))
		b.table.add(row{
			measure: read.name + " among " + thousands(b.sizes.among), value: spread(after),
			reference: "among " + thousands(b.sizes.few) + ": " + spread(before[i]),
			ratio:     ratioText(ratio) + " (p50)", bar: fmt.Sprintf("p50 ≤ %.1f times", listsBar), met: ratio <= listsBar,
		})
	}
}

// timeRead times a read of one shop, once it is in the caches.
func (b *bench) timeRead(ctx context.Context, read bookRead, s *shop, charges int) []time.Duration {
	do := func(ctx context.Context, _ int64) error {
		return s.testbed.get(ctx, s.BaseURL+read.path(s, charges), s.APIKey)
	}
	times(ctx, b.sizes.reads/4, do)
	return times(ctx, b.sizes.reads, do)
}

// warmReads are the first reads of a page, which do not count.
const warmReads = 5

// fakeID is the ID of a charge that insertCharges made.
func fakeID(merchantID string, n int) string { return fmt.Sprintf("ch_%s%08x", merchantID[:16], n) }
