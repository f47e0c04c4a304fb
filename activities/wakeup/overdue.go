package wakeup

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/activities/heartbeat"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/overdue"
	"github.com/durapay/durapay/internal/postgres/db"
)

// overdueRows is how many items of a kind are read and woken at a time.
const overdueRows = 200

// leftAfter is how old a delivery is at least that is released although nothing has ended
// before it.
const leftAfter = 10 * time.Minute

// CheckOverdue wakes what is overdue, all of it: items that stay overdue hide no
// others. It keeps an alert open for each kind for as long as there is any of it, and opens
// it with the first page: a run that is cut off has told of what it found. Run twice, the
// second run finds the same alerts; a run that is woken without need checks once more,
// which changes nothing.
func (a *Handler) CheckOverdue(ctx context.Context) (int, error) {
	stop := heartbeat.Start(ctx)
	defer stop()
	now := a.Clock()
	if _, err := a.Store.ReleaseLeftDeliveries(ctx, db.ReleaseLeftDeliveriesParams{Before: now.Add(-leftAfter), Now: now}); err != nil {
		return 0, err
	}
	told, all := map[overdue.Kind]bool{}, 0
	var failed error // one page fails: the others are woken all the same
	err := overdue.Each(ctx, a.Store.Queries, overdue.Search{Now: a.Clock(), Grace: a.Grace, MaxRows: overdueRows}, func(items []overdue.Item) {
		if len(items) == 0 {
			return
		}
		if kind := items[0].Kind; !told[kind] {
			told[kind] = true
			failed = errors.Join(failed, a.alertOverdue(ctx, items))
		}
		all += len(items)
		failed = errors.Join(failed, a.Wake(ctx, items))
	})
	if err != nil {
		return all, errors.Join(err, failed)
	}
	for _, kind := range overdue.Kinds() {
		if !told[kind] {
			failed = errors.Join(failed, a.Store.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.Overdue, Subject: string(kind)}))
		}
	}
	return all, failed
}

// alertOverdue opens the alert of a kind; items are its first page.
func (a *Handler) alertOverdue(ctx context.Context, items []overdue.Item) error {
	first, many := items[0], fmt.Sprint(len(items))
	if len(items) >= overdueRows {
		many += " or more"
	}
	return a.Store.OpenAlert(ctx, db.OpenAlertParams{
		Kind: alert.Overdue, Subject: string(first.Kind),
		Detail: fmt.Sprintf("%s, the first is %s, %s since %s", many, first.ID, first.Status, first.Since.UTC().Format(time.RFC3339)),
	})
}
