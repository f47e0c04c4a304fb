package sanctions

import (
	"context"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/postgres/db"
)

// MaxPublished is the maximum age of a list by its own date. OFAC publishes
// several times a month, so an older list means that the download of the file
// has stopped.
const MaxPublished = 45 * 24 * time.Hour

// Ages bounds the age of the list in force.
type Ages struct {
	// Checked is the maximum time since the source was last read without an error.
	Checked time.Duration
	// Published is the maximum time since a list with a date was issued.
	Published time.Duration
}

// CheckAge opens an alert if the list in force is older than allowed or if
// there is none. Otherwise it resolves the alert. It returns the reason, which
// is empty for a fresh list. A stale list stays in force.
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
