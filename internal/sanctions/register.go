package sanctions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// Errors of the register.
var (
	// ErrNoList means that no list is in force, so no address can be cleared.
	ErrNoList = errors.New("no sanctions list is in force")
	// ErrNothingRefused means that there is no list to accept.
	ErrNothingRefused = errors.New("no sanctions list waits for acceptance")
)

// The states of a list.
const (
	inForce = "in_force"
	refused = "refused"
)

// Register stores the lists.
type Register struct {
	Store *postgres.Store
}

// Outcome is the result of offering a list.
type Outcome string

// The outcomes.
const (
	// Enforced means that the list is now in force.
	Enforced Outcome = "enforced"
	// Unchanged means that the list was already in force.
	Unchanged Outcome = "unchanged"
	// Refused means that it has less than half the entries of the list in force,
	// which stays in force.
	Refused Outcome = "refused"
)

// Sanctioned reports whether any of the addresses is on the list in force, under
// any asset. Empty texts are never on it. If no list is in force, it returns
// ErrNoList. After any error, callers must not treat an address as cleared.
func (r Register) Sanctioned(ctx context.Context, addresses ...string) (bool, error) {
	spelled := make([]string, 0, len(addresses))
	for _, a := range addresses {
		spelled = append(spelled, spellings(a)...)
	}
	sanctioned, err := r.Store.IsSanctioned(ctx, spelled)
	if postgres.IsNotFound(err) {
		return false, ErrNoList
	}
	return sanctioned, err
}

// Offer puts a list in force. now is the time at which it was read. If the list
// is already in force, Offer only records that. If it has less than half the
// entries, Offer refuses it and opens an alert, and the list waits for Accept.
// Offering a list a second time changes nothing more.
func (r Register) Offer(ctx context.Context, list List, now time.Time) (Outcome, error) {
	var outcome Outcome
	err := r.Store.Tx(ctx, func(q *db.Queries) error {
		if err := q.LockSanctionsLists(ctx); err != nil {
			return err
		}
		current, err := find(ctx, q, inForce)
		if err != nil {
			return err
		}
		switch {
		case bytes.Equal(current.Digest, list.Digest):
			outcome = Unchanged
			return confirm(ctx, q, current, now)
		case 2*len(list.Entries) < int(current.Entries):
			outcome = Refused
			return refuse(ctx, q, current, list, now)
		default:
			outcome = Enforced
			return enforce(ctx, q, list, now)
		}
	})
	return outcome, err
}

// find returns the list in a state, and the zero value if there is none.
func find(ctx context.Context, q *db.Queries, state string) (db.SanctionsList, error) {
	list, err := q.GetSanctionsList(ctx, state)
	if postgres.IsNotFound(err) {
		return db.SanctionsList{}, nil
	}
	return list, err
}

func refuse(ctx context.Context, q *db.Queries, current db.SanctionsList, list List, now time.Time) error {
	waiting, err := find(ctx, q, refused)
	if err != nil {
		return err
	}
	if bytes.Equal(waiting.Digest, list.Digest) {
		return q.TouchSanctionsList(ctx, db.TouchSanctionsListParams{ID: waiting.ID, CheckedAt: now})
	}
	if err := replace(ctx, q, refused, list, now); err != nil {
		return err
	}
	return q.OpenAlert(ctx, db.OpenAlertParams{
		Kind: alert.SanctionsRefused, Subject: alert.SanctionsSubject,
		Detail: fmt.Sprintf("a list of %d addresses was refused, the one in force has %d: durapay admin sanctions accept",
			len(list.Entries), current.Entries),
	})
}

func confirm(ctx context.Context, q *db.Queries, current db.SanctionsList, now time.Time) error {
	if err := q.TouchSanctionsList(ctx, db.TouchSanctionsListParams{ID: current.ID, CheckedAt: now}); err != nil {
		return err
	}
	return dropRefused(ctx, q)
}

func enforce(ctx context.Context, q *db.Queries, list List, now time.Time) error {
	if err := replace(ctx, q, inForce, list, now); err != nil {
		return err
	}
	return dropRefused(ctx, q)
}

// dropRefused drops the refused list, because the source has a better one by
// now.
func dropRefused(ctx context.Context, q *db.Queries) error {
	if err := q.SupersedeSanctionsList(ctx, refused); err != nil {
		return err
	}
	return resolve(ctx, q)
}

// replace stores a list as the only one in a state.
func replace(ctx context.Context, q *db.Queries, state string, list List, now time.Time) error {
	if err := q.SupersedeSanctionsList(ctx, state); err != nil {
		return err
	}
	row := db.InsertSanctionsListParams{State: state, Digest: list.Digest, Entries: int32(len(list.Entries)), ReadAt: now}
	if !list.PublishedAt.IsZero() {
		row.PublishedAt = &list.PublishedAt
	}
	id, err := q.InsertSanctionsList(ctx, row)
	if err != nil {
		return err
	}
	in := db.InsertSanctionedAddressesParams{ListID: id}
	for _, e := range list.Entries {
		in.Addresses = append(in.Addresses, e.Address)
		in.Assets = append(in.Assets, e.Asset)
	}
	return q.InsertSanctionedAddresses(ctx, in)
}

// Accept puts the refused list in force and records the actor in the audit log.
// It returns the number of the list's addresses, and ErrNothingRefused if there
// is no such list.
func (r Register) Accept(ctx context.Context, actor string, now time.Time) (int, error) {
	var entries int
	err := r.Store.Tx(ctx, func(q *db.Queries) error {
		if err := q.LockSanctionsLists(ctx); err != nil {
			return err
		}
		waiting, err := find(ctx, q, refused)
		if err != nil {
			return err
		}
		if waiting.ID == 0 {
			return ErrNothingRefused
		}
		if err := q.SupersedeSanctionsList(ctx, inForce); err != nil {
			return err
		}
		entries = int(waiting.Entries)
		if err := q.EnforceRefusedSanctionsList(ctx, now); err != nil {
			return err
		}
		if err := resolve(ctx, q); err != nil {
			return err
		}
		return q.RecordAudit(ctx, db.RecordAuditParams{
			At: now, Actor: actor, Action: "sanctions.accept", Subject: fmt.Sprintf("%x", waiting.Digest),
			Detail: fmt.Sprintf(`{"entries":%d}`, waiting.Entries),
		})
	})
	return entries, err
}

func resolve(ctx context.Context, q *db.Queries) error {
	return q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.SanctionsRefused, Subject: alert.SanctionsSubject})
}

// Lists returns the list in force and the refused one, as far as they exist.
func (r Register) Lists(ctx context.Context) ([]db.SanctionsList, error) {
	return r.Store.ListSanctionsLists(ctx)
}

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
