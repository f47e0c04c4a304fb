package outbox

import (
	"context"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/postgres/db"
)

// OverdueKinds are the kinds of rows that can be overdue. A refund waits for people, and the
// search covers the payouts of its claims. Runs of mails end by themselves.
func OverdueKinds() []Kind {
	return []Kind{Charges, Payouts, Trades, Swaps, Deliveries, TradeEvents}
}

// Overdue is a row that should have moved and has not: a charge with mature payments or
// undelivered events, a payout that is not mined, a trade after its deadlines, a swap whose
// provider was not asked, or a delivery that was not attempted. Every workflow checks by
// itself. So an overdue row has lost its workflow, or a fault holds it up: the worker must wake
// it, and operators must see it.
type Overdue struct {
	Kind Kind
	ID   string
	// MerchantID is empty for what belongs to no merchant.
	MerchantID string
	// Status is that of the row.
	Status string
	// Since is from when it has been where it is: when its deadline was, or when
	// it last changed.
	Since time.Time
}

// Every workflow checks again within ten minutes. So an item older than
// overdueAfter has not been checked.
const (
	overdueAfter = 15 * time.Minute
	// slow is for items that wait for blocks or for a provider, and may take longer.
	slow = time.Hour
	// unasked is how long the provider of a swap may stay unasked. After a failure,
	// the swap's workflow asks the provider once an hour.
	unasked = slow + overdueAfter
	// recentBlocks is how far back EachOverdue and FindOverdue look for payments of ended charges
	// and trades, about a week. Reconcile checks all of them.
	recentBlocks = 5000
	// mostRecent is how many payments of a wallet are looked at, at most, so that the
	// database reads them by their index whatever it expects to find.
	mostRecent = 20_000
	// settledBlocks is for how many blocks money must have been mature.
	settledBlocks = 5
)

// OverdueSearch is what FindOverdue and EachOverdue look for.
type OverdueSearch struct {
	Now time.Time
	// Grace is trade.Trade.Grace.
	Grace time.Duration
	// MaxRows bounds a page.
	MaxRows int32
}

// FindOverdue returns the first page of overdue items, by kind, the oldest first.
func FindOverdue(ctx context.Context, q *db.Queries, s OverdueSearch) ([]Overdue, error) {
	var all []Overdue
	for _, find := range overduePages(q, s) {
		items, err := find(ctx, Overdue{})
		if err != nil {
			return nil, err
		}
		for _, item := range items {
			if !slices.ContainsFunc(all, func(i Overdue) bool { return i.Kind == item.Kind && i.ID == item.ID }) {
				all = append(all, item)
			}
		}
	}
	return all, nil
}

// EachOverdue passes on all that is overdue, a page at a time, the oldest of a kind first.
// A charge that is overdue for two reasons comes twice.
func EachOverdue(ctx context.Context, q *db.Queries, s OverdueSearch, use func([]Overdue)) error {
	for _, find := range overduePages(q, s) {
		var after Overdue
		for more := true; more; {
			items, err := find(ctx, after)
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

// overduePages returns what finds the overdue rows after one, the oldest first, for each query.
func overduePages(q *db.Queries, s OverdueSearch) []func(ctx context.Context, after Overdue) ([]Overdue, error) {
	return []func(ctx context.Context, after Overdue) ([]Overdue, error){
		func(ctx context.Context, after Overdue) ([]Overdue, error) {
			rows, err := q.OverdueCharges(ctx, db.OverdueChargesParams{
				Before: s.Now.Add(-overdueAfter), RecentBlocks: recentBlocks, MostRecent: mostRecent, SettledBlocks: settledBlocks,
				AfterSince: after.Since, AfterID: after.ID, MaxRows: s.MaxRows,
			})
			return overdue(Charges, rows, err)
		},
		func(ctx context.Context, after Overdue) ([]Overdue, error) {
			rows, err := q.UnnotifiedCharges(ctx, db.UnnotifiedChargesParams{
				Before: s.Now.Add(-overdueAfter), AfterSince: after.Since, AfterID: after.ID, MaxRows: s.MaxRows,
			})
			return overdue(Charges, rows, err)
		},
		func(ctx context.Context, after Overdue) ([]Overdue, error) {
			rows, err := q.OverduePayouts(ctx, db.OverduePayoutsParams{
				Before: s.Now.Add(-slow), AfterSince: after.Since, AfterID: after.ID, MaxRows: s.MaxRows,
			})
			return overdue(Payouts, rows, err)
		},
		func(ctx context.Context, after Overdue) ([]Overdue, error) {
			rows, err := q.OverdueTrades(ctx, db.OverdueTradesParams{
				Before: s.Now.Add(-overdueAfter), GraceSeconds: s.Grace.Seconds(), SettledBefore: s.Now.Add(-slow), MovedAfter: s.Now.Add(-slow - overdueAfter),
				RecentBlocks: recentBlocks, MostRecent: mostRecent, AfterSince: after.Since, AfterID: after.ID, MaxRows: s.MaxRows,
			})
			return overdue(Trades, rows, err)
		},
		func(ctx context.Context, after Overdue) ([]Overdue, error) {
			rows, err := q.OverdueSwaps(ctx, db.OverdueSwapsParams{
				Before: s.Now.Add(-unasked), AfterSince: after.Since, AfterID: after.ID, MaxRows: s.MaxRows,
			})
			return overdue(Swaps, rows, err)
		},
		func(ctx context.Context, after Overdue) ([]Overdue, error) {
			rows, err := q.OverdueDeliveries(ctx, db.OverdueDeliveriesParams{
				Before: s.Now.Add(-overdueAfter), AfterSince: after.Since, AfterID: after.ID, MaxRows: s.MaxRows,
			})
			return overdue(Deliveries, rows, err)
		},
		func(ctx context.Context, after Overdue) ([]Overdue, error) {
			rows, err := q.OverdueTradeEvents(ctx, db.OverdueTradeEventsParams{
				Before: s.Now.Add(-overdueAfter), AfterSince: after.Since, AfterID: after.ID, MaxRows: s.MaxRows,
			})
			return overdue(TradeEvents, rows, err)
		},
	}
}

// overdueRow is the shape of the queries' rows.
type overdueRow = struct {
	ID         string
	MerchantID string
	Status     string
	Since      time.Time
}

// overdue returns the rows of a query, and its error.
func overdue[R ~overdueRow](kind Kind, rows []R, err error) ([]Overdue, error) {
	items := make([]Overdue, len(rows))
	for i, row := range rows {
		r := overdueRow(row)
		items[i] = Overdue{kind, r.ID, r.MerchantID, r.Status, r.Since}
	}
	return items, err
}
