package sanctions

import (
	"context"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/postgres/db"
)

// MaxPublished is how old a list may say it is. OFAC publishes several times a
// month, so an older one means that whoever fetches the file has stopped.
const MaxPublished = 45 * 24 * time.Hour

// Ages bounds the age of the list in force.
type Ages struct {
	// Checked is how long ago the source may last have been read well.
	Checked time.Duration
	// Published is how long ago a list that says so may have been issued.
	Published time.Duration
}

// CheckAge opens an alert when the list in force is older than allowed or when
// there is none, and resolves it otherwise. It returns the reason, which is
// empty for a fresh list. A stale list stays in force.
func (r Register) CheckAge(ctx context.Context, now time.Time, allowed Ages) (string, error) {
	var reason string
	err := r.Store.Tx(ctx, func(q *db.Queries) error {
		current, err := find(ctx, q, inForce)
		if err != nil {
			return err
		}
		if reason = staleness(current, now, allowed); reason == "" {
			return q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.SanctionsStale, Subject: alert.SanctionsSubject})
		}
		return q.OpenAlert(ctx, db.OpenAlertParams{Kind: alert.SanctionsStale, Subject: alert.SanctionsSubject, Detail: reason})
	})
	return reason, err
}

func staleness(list db.SanctionsList, now time.Time, allowed Ages) string {
	switch {
	case list.ID == 0:
		return "no sanctions list is in force: no trade can be made"
	case now.Sub(list.CheckedAt) > allowed.Checked:
		return fmt.Sprintf("the source was last read at %s", list.CheckedAt.Format(time.RFC3339))
	case list.PublishedAt != nil && now.Sub(*list.PublishedAt) > allowed.Published:
		return fmt.Sprintf("the list in force was issued on %s", list.PublishedAt.Format(time.DateOnly))
	}
	return ""
}
