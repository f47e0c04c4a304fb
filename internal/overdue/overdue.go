// Package overdue finds rows that should have moved and have not: charges with mature
// payments or undelivered events, payouts that are not mined, trades after their
// deadlines, swaps whose provider was not asked, and deliveries that were not
// attempted. Every workflow checks by itself. So an overdue row has lost its workflow,
// or a fault holds it up: the worker must wake it, and operators must see it.
package overdue

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/postgres/db"
)

// Kinds are the kinds of rows that can be overdue. A refund waits for people, and the
// search covers the payouts of its claims. Runs of mails end by themselves.
func Kinds() []outbox.Kind {
	return []outbox.Kind{outbox.Charges, outbox.Payouts, outbox.Trades, outbox.Swaps, outbox.Deliveries, outbox.TradeEvents}
}

// Item is one thing that is overdue.
type Item struct {
	Kind outbox.Kind
	ID   string
	// MerchantID is empty for what belongs to no merchant.
	MerchantID string
	// Status is that of the row.
	Status string
	// Since is from when it has been where it is: when its deadline was, or when
	// it last changed.
	Since time.Time
}

// Every workflow checks again within ten minutes. So an item older than patience
// has not been checked.
const (
	patience = 15 * time.Minute
	// slow is for items that wait for blocks or for a provider, and may take longer.
	slow = time.Hour
	// unasked is how long the provider of a swap may stay unasked. After a failure,
	// the swap's workflow asks the provider once an hour.
	unasked = slow + patience
	// recentBlocks is how far back Each and Find look for payments of ended charges
	// and trades, about a week. Reconcile checks all of them.
	recentBlocks = 5000
	// mostRecent is how many payments of a wallet are looked at, at most, so that the
	// database reads them by their index whatever it expects to find.
	mostRecent = 20_000
	// settledBlocks is for how many blocks money must have been mature.
	settledBlocks = 5
)

// Search is what Find and Each look for.
type Search struct {
	Now time.Time
	// Grace is trade.Trade.Grace.
	Grace time.Duration
	// MaxRows bounds a page.
	MaxRows int32
}

// page finds the overdue items after an item, the oldest first.
type page func(ctx context.Context, q *db.Queries, s Search, after Item) ([]Item, error)

func pages() []page {
	return []page{charges, untoldCharges, payouts, trades, swaps, deliveries, tradeEvents}
}

// Find returns the first page of overdue items, by kind, the oldest first.
func Find(ctx context.Context, q *db.Queries, s Search) ([]Item, error) {
	var all []Item
	for _, find := range pages() {
		items, err := find(ctx, q, s, Item{})
		if err != nil {
			return nil, err
		}
		for _, item := range items {
			if !slices.ContainsFunc(all, func(i Item) bool { return i.Kind == item.Kind && i.ID == item.ID }) {
				all = append(all, item)
			}
		}
	}
	return all, nil
}

// Each passes on all that is overdue, a page at a time, the oldest of a kind first.
// A charge that is overdue for two reasons comes twice.
func Each(ctx context.Context, q *db.Queries, s Search, use func([]Item)) error {
	for _, find := range pages() {
		var after Item
		for more := true; more; {
			items, err := find(ctx, q, s, after)
			if err != nil {
				return err
			}
			use(items)
			if more = len(items) >= int(s.MaxRows); more {
				after = items[len(items)-1]
			}
		}
	}
	return nil
}

func charges(ctx context.Context, q *db.Queries, s Search, after Item) (items []Item, err error) {
	rows, err := q.OverdueCharges(ctx, db.OverdueChargesParams{
		Before: s.Now.Add(-patience), RecentBlocks: recentBlocks, MostRecent: mostRecent, SettledBlocks: settledBlocks,
		AfterSince: after.Since, AfterID: after.ID, MaxRows: s.MaxRows,
	})
	for _, r := range rows {
		items = append(items, Item{outbox.Charges, r.ID, r.MerchantID, r.Status, r.Since})
	}
	return items, err
}

func untoldCharges(ctx context.Context, q *db.Queries, s Search, after Item) (items []Item, err error) {
	before := s.Now.Add(-patience)
	rows, err := q.UntoldCharges(ctx, db.UntoldChargesParams{
		Before: &before, AfterSince: after.Since, AfterID: after.ID, MaxRows: s.MaxRows,
	})
	for _, r := range rows {
		items = append(items, Item{outbox.Charges, r.ID, r.MerchantID, r.Status, r.Since})
	}
	return items, err
}

func payouts(ctx context.Context, q *db.Queries, s Search, after Item) (items []Item, err error) {
	before := s.Now.Add(-slow)
	rows, err := q.OverduePayouts(ctx, db.OverduePayoutsParams{
		Before: &before, AfterSince: after.Since, AfterID: after.ID, MaxRows: s.MaxRows,
	})
	for _, r := range rows {
		items = append(items, Item{outbox.Payouts, r.ID, r.MerchantID, r.Status, r.Since})
	}
	return items, err
}

func trades(ctx context.Context, q *db.Queries, s Search, after Item) (items []Item, err error) {
	rows, err := q.OverdueTrades(ctx, db.OverdueTradesParams{
		Before: s.Now.Add(-patience), GraceSeconds: s.Grace.Seconds(), SettledBefore: s.Now.Add(-slow), MovedAfter: s.Now.Add(-slow - patience),
		RecentBlocks: recentBlocks, MostRecent: mostRecent, AfterSince: after.Since, AfterID: after.ID, MaxRows: s.MaxRows,
	})
	for _, r := range rows {
		items = append(items, Item{Kind: outbox.Trades, ID: r.ID, Status: r.Status, Since: r.Since})
	}
	return items, err
}

func swaps(ctx context.Context, q *db.Queries, s Search, after Item) (items []Item, err error) {
	rows, err := q.OverdueSwaps(ctx, db.OverdueSwapsParams{
		Before: s.Now.Add(-unasked), AfterSince: after.Since, AfterID: after.ID, MaxRows: s.MaxRows,
	})
	for _, r := range rows {
		items = append(items, Item{outbox.Swaps, r.ID, r.MerchantID, r.Status, r.Since})
	}
	return items, err
}

func deliveries(ctx context.Context, q *db.Queries, s Search, after Item) (items []Item, err error) {
	before := s.Now.Add(-patience)
	rows, err := q.OverdueDeliveries(ctx, db.OverdueDeliveriesParams{
		Before: &before, AfterSince: after.Since, AfterID: after.ID, MaxRows: s.MaxRows,
	})
	for _, r := range rows {
		items = append(items, Item{outbox.Deliveries, r.ID, r.MerchantID, r.Status, r.Since})
	}
	return items, err
}

func tradeEvents(ctx context.Context, q *db.Queries, s Search, after Item) (items []Item, err error) {
	before := s.Now.Add(-patience)
	rows, err := q.OverdueTradeEvents(ctx, db.OverdueTradeEventsParams{
		Before: &before, AfterSince: after.Since, AfterID: after.ID, MaxRows: s.MaxRows,
	})
	for _, r := range rows {
		items = append(items, Item{Kind: outbox.TradeEvents, ID: strconv.FormatInt(r.ID, 10), Status: r.Status, Since: r.Since})
	}
	return items, err
}
