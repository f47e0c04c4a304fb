// Package operator implements the reads and changes of operators, the same for the
// admin routes of the API and for the command line. Every change is one transaction
// with a row of the audit log. A second run of a change has no effect.
package operator

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// Admin is where operators work.
type Admin struct {
	Store *postgres.Store
	Box   *secret.Box
	Index *secret.BlindIndex
	Clock func() time.Time
	// FeeRate is the configured fee rate, a share.
	FeeRate money.Decimal
	// ConfirmGrace is trade.Trade.Grace, for the list of overdue items.
	ConfirmGrace time.Duration
	// Notices notify merchants of changes of their accounts.
	Notices notice.Notices
}

// Actor is who makes a change: the merchant_id of an admin, or of a merchant who
// set another password with a mailed link, or a name that
// begins with cli:.
type Actor string

// RefusedError says why a change is not made. Its text is meant for the operator.
type RefusedError struct{ Text string }

// Error is the text.
func (e *RefusedError) Error() string { return e.Text }

func refuse(format string, args ...any) error { return &RefusedError{fmt.Sprintf(format, args...)} }

// MaxRows is how many rows a page has at most.
const MaxRows = 200

// Page asks for a part of a list.
type Page struct {
	// Cursor is the NextCursor of the page before; 0 for the first.
	Cursor int64
	// Limit is 1 to MaxRows.
	Limit int32
}

// before is the cursor of a list with the newest first.
func (p Page) before() int64 {
	if p.Cursor == 0 {
		return math.MaxInt64
	}
	return p.Cursor
}

// next is the cursor of the page that follows; nil when there is none.
func next[R any](p Page, rows []R, id func(R) int64) *int64 {
	if len(rows) < int(p.Limit) {
		return nil
	}
	last := id(rows[len(rows)-1])
	return &last
}

// entry is a change for the audit: action on subject, and what it was about.
type entry struct {
	action, subject string
	detail          any
}

// record writes a change into the audit, in the transaction of the change.
func (d *Admin) record(ctx context.Context, q *db.Queries, who Actor, e entry) error {
	detail, err := json.Marshal(e.detail)
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return q.RecordAudit(ctx, db.RecordAuditParams{
		At: d.now(), Actor: string(who), Action: e.action, Subject: e.subject, Detail: string(detail),
	})
}

// fromTo is the detail of a value that was changed.
type fromTo struct {
	From any `json:"from"`
	To   any `json:"to"`
}

// now is the time in the resolution of the contract.
func (d *Admin) now() time.Time { return d.Clock().UTC().Truncate(time.Millisecond) }

// missing turns the error of a row that is not there into the one that callers
// know.
func missing(err error) error {
	if postgres.IsNotFound(err) {
		return postgres.ErrNotFound
	}
	return err
}
