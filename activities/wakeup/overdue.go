package wakeup

import (
	"context"
	"fmt"
	"time"

	"github.com/durapay/durapay/activities/heartbeat"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/overdue"
	"github.com/durapay/durapay/internal/postgres/db"
)

// overdueRows bounds how many items of a kind are woken at a time.
const overdueRows = 200

// CheckOverdue wakes what is overdue. It keeps an alert open for each kind for
// as long as there is any of it. Run twice, the second run finds the same
// alerts; a run that is woken without need checks once more, which changes
// nothing.
func (a *Handler) CheckOverdue(ctx context.Context) (int, error) {
	stop := heartbeat.Start(ctx)
	defer stop()
	items, err := overdue.Find(ctx, a.Store.Queries, overdue.Search{Now: a.Clock(), Grace: a.Grace, MaxRows: overdueRows})
	if err != nil {
		return 0, err
	}
	if err := a.Store.Tx(ctx, func(q *db.Queries) error { return alertOverdue(ctx, q, items) }); err != nil {
		return 0, err
	}
	return len(items), a.Wake(ctx, items)
}

// alertOverdue opens an alert for each kind that has something overdue, and
// closes the others.
func alertOverdue(ctx context.Context, q *db.Queries, items []overdue.Item) error {
	found := map[overdue.Kind][]overdue.Item{}
	for _, i := range items {
		found[i.Kind] = append(found[i.Kind], i)
	}
	for _, kind := range overdue.Kinds() {
		var err error
		if of := found[kind]; len(of) == 0 {
			err = q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.Overdue, Subject: string(kind)})
		} else {
			err = q.OpenAlert(ctx, db.OpenAlertParams{
				Kind: alert.Overdue, Subject: string(kind),
				Detail: fmt.Sprintf("%d at least, the first is %s, %s since %s", len(of), of[0].ID, of[0].Status, of[0].Since.UTC().Format(time.RFC3339)),
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
