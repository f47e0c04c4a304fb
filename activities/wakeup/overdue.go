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

// found is what is overdue of a kind.
type found struct {
	items int
	first overdue.Item
}

// CheckOverdue wakes what is overdue, all of it: items that stay overdue hide no
// others. It keeps an alert open for each kind for as long as there is any of it. Run
// twice, the second run finds the same alerts; a run that is woken without need checks
// once more, which changes nothing.
func (a *Handler) CheckOverdue(ctx context.Context) (int, error) {
	stop := heartbeat.Start(ctx)
	defer stop()
	of, all := map[overdue.Kind]found{}, 0
	var failed error // waking one page fails: the others are woken all the same
	err := overdue.Each(ctx, a.Store.Queries, overdue.Search{Now: a.Clock(), Grace: a.Grace, MaxRows: overdueRows}, func(items []overdue.Item) {
		for _, i := range items {
			kind := of[i.Kind]
			if kind.items++; kind.items == 1 {
				kind.first = i
			}
			of[i.Kind], all = kind, all+1
		}
		failed = errors.Join(failed, a.Wake(ctx, items))
	})
	if err == nil {
		err = a.Store.Tx(ctx, func(q *db.Queries) error { return alertOverdue(ctx, q, of) })
	}
	return all, errors.Join(err, failed)
}

// alertOverdue opens an alert for each kind that has something overdue, and
// closes the others.
func alertOverdue(ctx context.Context, q *db.Queries, of map[overdue.Kind]found) error {
	for _, kind := range overdue.Kinds() {
		var err error
		if f := of[kind]; f.items == 0 {
			err = q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.Overdue, Subject: string(kind)})
		} else {
			err = q.OpenAlert(ctx, db.OpenAlertParams{
				Kind: alert.Overdue, Subject: string(kind),
				Detail: fmt.Sprintf("%d, the first is %s, %s since %s", f.items, f.first.ID, f.first.Status, f.first.Since.UTC().Format(time.RFC3339)),
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
