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
	// ErrNoList says that no list is in force: nobody can be cleared.
	ErrNoList = errors.New("no sanctions list is in force")
	// ErrNothingRefused says that there is no list to accept.
	ErrNothingRefused = errors.New("no sanctions list waits for acceptance")
)

// The states of a list.
const (
	inForce = "in_force"
	refused = "refused"
)

// Register keeps the lists.
type Register struct {
	Store *postgres.Store
}

// Outcome says what became of a list that was read.
type Outcome string

// The outcomes.
const (
	// Enforced: the list is in force now.
	Enforced Outcome = "enforced"
	// Unchanged: it was in force already.
	Unchanged Outcome = "unchanged"
	// Refused: it has less than half the entries of the one in force, which stays.
	Refused Outcome = "refused"
)

// Sanctioned says whether any of the addresses is on the list in force, whatever
// asset it is listed under. Empty texts are on no list. ErrNoList when no list
// is in force; then, as after every other error, nobody is cleared.
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

// Offer puts a list in force, unless it is the one already or has lost more
// than half of the entries; then an alert is opened and it waits for Accept.
// now is when it was read. Offered twice, a list changes nothing more.
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

// find returns the list in a state; the zero value when there is none.
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

// dropRefused forgets the refused list: the source has a better one since.
func dropRefused(ctx context.Context, q *db.Queries) error {
	if err := q.SupersedeSanctionsList(ctx, refused); err != nil {
		return err
	}
	return resolve(ctx, q)
}

// replace makes a list the one in a state.
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

// Accept puts the refused list in force and writes into the audit that actor
// did it; ErrNothingRefused when there is none. It returns the number of the
// list's addresses.
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

// Lists returns the list in force and the one that waits, as far as they exist.
func (r Register) Lists(ctx context.Context) ([]db.SanctionsList, error) {
	return r.Store.ListSanctionsLists(ctx)
}
