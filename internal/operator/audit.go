package operator

import (
	"context"
	"encoding/json"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/wire"
)

// Change is a row of the audit.
type Change struct {
	ID      int64           `json:"id" example:"1"`
	At      wire.Time       `json:"at"`
	Actor   string          `json:"actor" doc:"merchant_id of an admin, or cli: and a user of the machine" example:"cli:root"`
	Action  string          `json:"action" example:"merchant.suspend"`
	Subject string          `json:"subject" doc:"What was changed" example:"0123456789abcdef0123456789abcdef"`
	Detail  json.RawMessage `json:"detail" doc:"What was asked for, and what it was before"`
}

// Changes is a page of the audit, newest first.
type Changes struct {
	Changes    []Change `json:"changes" doc:"Newest first"`
	NextCursor *int64   `json:"next_cursor" doc:"Cursor of the next page; null on the last"`
}

// Changes lists what operators changed.
func (d *Admin) Changes(ctx context.Context, p Page) (Changes, error) {
	rows, err := d.Store.ListAudit(ctx, db.ListAuditParams{Before: p.before(), MaxRows: p.Limit})
	list := Changes{make([]Change, 0, len(rows)), next(p, rows, func(r db.Audit) int64 { return r.ID })}
	for _, r := range rows {
		list.Changes = append(list.Changes, Change{
			r.ID, wire.TimeOf(r.At), r.Actor, r.Action, r.Subject, json.RawMessage(r.Detail),
		})
	}
	return list, err
}
