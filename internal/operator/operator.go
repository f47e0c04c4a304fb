// Package operator implements the reads and changes of operators, the same for the
// admin routes of the API and for the command line. Every change is one transaction
// with a row of the audit log. A second run of a change has no effect.
package operator

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/wire"
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
	// AllKeys reports whether Box opens payouts and trades too, as on the command line. Without
	// it, transaction keys and the addresses of trades are left out.
	AllKeys bool
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

// each converts the rows of a query; never nil.
func each[R, T any](rows []R, shown func(R) T) []T {
	list := make([]T, len(rows))
	for i, r := range rows {
		list[i] = shown(r)
	}
	return list
}

// orNull returns a text that is null when it is empty.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
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

// maxNote is the length of a note in characters.
const maxNote = 500

// noteOf checks what an operator wrote: 1 to 500 characters.
func noteOf(text string) (string, error) {
	text = strings.TrimSpace(text)
	n := utf8.RuneCountInString(text)
	if n < 1 || n > maxNote || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return "", refuse("note must be 1 to %d printable characters", maxNote)
	}
	return text, nil
}

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
	return Changes{each(rows, func(r db.Audit) Change {
		return Change{r.ID, wire.TimeOf(r.At), r.Actor, r.Action, r.Subject, json.RawMessage(r.Detail)}
	}), next(p, rows, func(r db.Audit) int64 { return r.ID })}, err
}
