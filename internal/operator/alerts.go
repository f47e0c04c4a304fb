package operator

import (
	"context"
	"strconv"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/wire"
)

// Alert is something that an operator must look at.
type Alert struct {
	ID         int64      `json:"id" example:"1"`
	Kind       string     `json:"kind" example:"payment_unmatched"`
	Subject    string     `json:"subject" doc:"What it is about: a charge, a payout, a wallet, or transaction:index"`
	Detail     string     `json:"detail"`
	OpenedAt   wire.Time  `json:"opened_at"`
	ResolvedAt *wire.Time `json:"resolved_at" doc:"null while it is open"`
	Note       *string    `json:"note" doc:"What the operator who closed it wrote"`
}

// Alerts is a page of alerts.
type Alerts struct {
	Alerts     []Alert `json:"alerts" doc:"Newest first"`
	NextCursor *int64  `json:"next_cursor" doc:"Cursor of the next page; null on the last"`
}

// Alerts lists those that are open, or those that are resolved.
func (d *Admin) Alerts(ctx context.Context, resolved bool, p Page) (Alerts, error) {
	rows, err := d.Store.ListAlerts(ctx, db.ListAlertsParams{Before: p.before(), Resolved: resolved, MaxRows: p.Limit})
	return Alerts{each(rows, alertOf), next(p, rows, func(r db.Alert) int64 { return r.ID })}, err
}

// ResolveAlert closes an alert. A closed alert stays as it is.
func (d *Admin) ResolveAlert(ctx context.Context, who Actor, id int64, note string) (Alert, error) {
	note, err := noteOf(note)
	if err != nil {
		return Alert{}, err
	}
	var row db.Alert
	err = d.Store.Tx(ctx, func(q *db.Queries) error {
		var err error
		if row, err = q.LockAlert(ctx, id); err != nil || row.ResolvedAt != nil {
			return missing(err)
		}
		now := d.now()
		row.ResolvedAt, row.Note = &now, &note
		if err := q.CloseAlert(ctx, db.CloseAlertParams{ID: id, ResolvedAt: row.ResolvedAt, Note: row.Note}); err != nil {
			return err
		}
		return d.record(ctx, q, who, entry{"alert.resolve", strconv.FormatInt(id, 10), map[string]string{
			"kind": row.Kind, "subject": row.Subject, "note": note,
		}})
	})
	return alertOf(row), err
}

func alertOf(r db.Alert) Alert {
	return Alert{r.ID, r.Kind, r.Subject, r.Detail, wire.TimeOf(r.OpenedAt), wire.TimeOrNil(r.ResolvedAt), r.Note}
}
