package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"time"
)

const (
	// listsBar is how much longer reads may take among many more charges.
	listsBar = 1.2
	// firstFakeIndex is far above the subaddresses that the wallet makes.
	firstFakeIndex = 10_000_000
	// rareText is a search whose page looks at as many charges as the smaller shop has:
	// by design no page looks at more.
	rareText = "search by a text that no charge has (10,000 looked at)"
)

// books are the merchants whose charges are read: one with few, one with many, and one
// with the rest of the table.
type books struct{ few, many, rest *shop }

// bookRead is one way in which charges are read.
type bookRead struct {
	name string
	do   func(ctx context.Context, s *shop, charges int) error
}

// lists compares reads of charges among few and among very many, and those of a merchant
// with many to those of one with few.
func (b *bench) lists(ctx context.Context) error {
	w := b.fixture
	var k books
	for _, s := range []**shop{&k.few, &k.many, &k.rest} {
		var err error
		if *s, err = w.openShop(ctx, nil); err != nil {
			return err
		}
		if (*s).desk, err = (*s).enterDesk(ctx); err != nil {
			return err
		}
	}
	// The payments are in the first block, which the watcher must not look at any more.
	if err := w.chain.Mine(ctx, deepDownBlocks); err != nil {
		return err
	}
	if err := w.insertCharges(ctx, k.few.id, b.sizes.few); err != nil {
		return err
	}
	plain := []bookRead{{"GET /api/charges", readList}, {"GET /api/charges/:id", readCharge}}
	before := make([][]time.Duration, len(plain))
	for i, read := range plain {
		var err error
		if before[i], err = b.timeRead(ctx, read, k.few, b.sizes.few); err != nil {
			return err
		}
	}
	if err := b.fillBooks(ctx, k); err != nil {
		return err
	}
	b.books = k
	for i, read := range plain {
		after, err := b.timeRead(ctx, read, k.rest, b.sizes.among-b.sizes.many-b.sizes.few)
		if err != nil {
			return err
		}
		b.addReads(read.name+" among "+thousands(b.sizes.among), after, "among "+thousands(b.sizes.few), before[i])
	}
	return b.searches(ctx, k)
}

// timeRead times a read of one shop, once it is in the caches.
func (b *bench) timeRead(ctx context.Context, read bookRead, s *shop, charges int) ([]time.Duration, error) {
	do := func(ctx context.Context, _ int64) error { return read.do(ctx, s, charges) }
	if _, err := times(ctx, b.sizes.reads/4, do); err != nil {
		return nil, fmt.Errorf("%s: %w", read.name, err)
	}
	return times(ctx, b.sizes.reads, do)
}

func (b *bench) addReads(what string, now []time.Duration, beside string, reference []time.Duration) {
	ratio := quotient(percentile(now, 50), percentile(reference, 50))
	b.table.add(row{
		measure: what, value: spread(now), reference: beside + ": " + spread(reference),
		ratio: ratioText(ratio) + " (p50)", bar: fmt.Sprintf("p50 ≤ %.1f times", listsBar), met: ratio <= listsBar,
	})
}

// searches compares what a merchant with many charges and one with few look for, by turns.
func (b *bench) searches(ctx context.Context, k books) error {
	sides := []struct {
		shop    *shop
		charges int
	}{{k.many, b.sizes.many}, {k.few, b.sizes.few}}
	for _, read := range searchReads() {
		var samples [2][]time.Duration
		for n := range b.sizes.reads/searchShare + warmReads {
			for i := range sides {
				side := (n + i) % 2
				begun := time.Now()
				if err := read.do(ctx, sides[side].shop, sides[side].charges); err != nil {
					return fmt.Errorf("%s: %w", read.name, err)
				}
				if n >= warmReads {
					samples[side] = append(samples[side], time.Since(begun))
				}
			}
		}
		b.addReads(fmt.Sprintf("%s, %s of one merchant", read.name, thousands(b.sizes.many)), samples[0], thousands(b.sizes.few), samples[1])
	}
	return nil
}

// searchShare is the part of the reads that each search is timed with; the first
// warmReads do not count.
const (
	searchShare = 6
	warmReads   = 5
)

// searchReads are the searches of desk and API: by state, text, order and time, first and
// deep pages. The state that is looked for is that of every charge, and the rare one of
// none; the common text is in every charge.
func searchReads() []bookRead {
	var reads []bookRead
	for _, surface := range []struct {
		name string
		read func(context.Context, *shop, url.Values) error
	}{{"API", search}, {"desk", searchAtDesk}} {
		for _, one := range []struct {
			name  string
			query func(charges int) url.Values
		}{
			{"list", func(int) url.Values { return url.Values{} }},
			{"search by state", func(int) url.Values { return url.Values{"invoice_status": {"Settled"}} }},
			{"search by a state that no charge has", func(int) url.Values { return url.Values{"invoice_status": {"Invalid"}} }},
			{"search by text", func(int) url.Values { return url.Values{"text": {"cups"}} }},
			{rareText, func(int) url.Values { return url.Values{"text": {"teapot"}} }},
			{"search by order", func(n int) url.Values { return url.Values{"order_id": {orderOf(n / 2)}} }},
			{"search by time", func(n int) url.Values {
				at := time.Now().UTC().Add(-time.Duration(n/2) * time.Minute)
				return url.Values{"from": {at.AddDate(0, 0, -2).Format(time.DateOnly)}, "to": {at.Format(time.DateOnly)}}
			}},
		} {
			for _, page := range []struct {
				name string
				deep bool
			}{{"first page", false}, {"deep page", true}} {
				if page.deep && slices.Contains([]string{"search by order", "search by time", "search by a state that no charge has", rareText}, one.name) {
					continue // they have one page
				}
				reads = append(reads, bookRead{surface.name + ": " + one.name + ", " + page.name, func(ctx context.Context, s *shop, n int) error {
					query := one.query(n)
					if page.deep {
						query.Set("cursor", s.cursorAt(deepAt(n)))
					}
					return surface.read(ctx, s, query)
				}})
			}
		}
	}
	return reads
}

// deepAt is how many charges are before a deep page.
func deepAt(charges int) int { return charges * 9 / 10 }

func orderOf(n int) string { return fmt.Sprintf("A-%d", n) }

// cursorAt is where a page begins after so many charges.
func (s *shop) cursorAt(n int) string {
	return fmt.Sprintf("%d-%s", time.Now().Add(-time.Duration(n)*time.Minute).UnixMicro(), fakeID(s.id, n))
}

// search asks the API for a page as large as the desk's.
func search(ctx context.Context, s *shop, query url.Values) error {
	if !query.Has("order_id") {
		query.Set("limit", "50")
	}
	for _, day := range []string{"from", "to"} {
		if at := query.Get(day); at != "" {
			query.Set(day, at+"T00:00:00Z")
		}
	}
	return s.fixture.get(ctx, s.BaseURL+"/api/charges?"+query.Encode(), s.APIKey)
}

func searchAtDesk(ctx context.Context, s *shop, query url.Values) error {
	if order := query.Get("order_id"); order != "" { // the desk finds it as a text
		query = url.Values{"text": {order}}
	}
	_, _, err := s.desk.page(ctx, "/charges?"+query.Encode())
	return err
}

func readList(ctx context.Context, s *shop, _ int) error {
	return s.fixture.get(ctx, s.BaseURL+"/api/charges", s.APIKey)
}

func readCharge(ctx context.Context, s *shop, charges int) error {
	id := fakeID(s.id, rand.IntN(charges)) //nolint:gosec // no secret
	return s.fixture.get(ctx, s.BaseURL+"/api/charges/"+id, s.APIKey)
}

// fakeID is the ID of a charge that insertCharges made.
func fakeID(merchantID string, n int) string { return fmt.Sprintf("ch_%s%08x", merchantID[:16], n) }
