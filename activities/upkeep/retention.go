package upkeep

import (
	"context"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// Retention removes old data, in batches that are one short transaction each.
type Retention struct {
	Store *postgres.Store
	// BuyerData and Records are how long buyers' fields and whole charges are
	// kept.
	BuyerData time.Duration
	Records   time.Duration
	// UnusedKeys is how long unused affiliate keys are kept; 0 means for ever.
	UnusedKeys time.Duration
	// VerifyEmail is set if accounts must confirm their addresses: the activity then removes
	// accounts that do not.
	VerifyEmail bool
}

// Prune requests some batches, from a position on.
type Prune struct {
	// Now is the workflow's clock.
	Now time.Time
	// From is where the last batch ended; the zero position is the beginning.
	From Position
}

// Position is the position of a walk over everything that may be old: a step, and the
// last row that it looked at.
type Position struct {
	Step string
	At   time.Time
	ID   string
}

// Pruned is how far the batches came.
type Pruned struct {
	Next Position
	// Done is set if the last step has ended.
	Done bool
	// Batches is how many were made.
	Batches int
}

const (
	// pruneBatch is how many rows of a table one batch looks at, so that it holds no lock
	// for long.
	pruneBatch = 500
	// batchesPerPrune bounds one activity, and with it the work that is repeated after a
	// worker died.
	batchesPerPrune = 100
)

// batch processes rows that are older than the given time, the first ones after from. It
// returns how many it processed and the last of them.
type batch func(ctx context.Context, before time.Time, from Position) (int, Position, error)

// step is one kind of old data. The walk runs its batches until one finds
// fewer rows than it could take.
type step struct {
	name string
	// keep is the age below which data of this kind is left alone.
	keep  time.Duration
	batch batch
}

// shortLived is how long traces of limits and blocks are kept: longer than any window or
// block lasts.
const shortLived = 24 * time.Hour

// steps returns the steps in an order in which nothing refers to removed rows: deliveries
// are removed before their events, both before webhooks.
func (a *Retention) steps() []step {
	q := a.Store.Queries
	return []step{
		{"buyers of charges", a.BuyerData, strip(a.Store, (*db.Queries).BuyerCharges, (*db.Queries).StripCharges)},
		// An event that is still being delivered waits for the next run.
		{"buyers in events", a.BuyerData, strip(a.Store, (*db.Queries).BuyerEvents, (*db.Queries).StripEvents, "data", "metadata")},
		// A receiver may have answered with what it was sent.
		{"logs of attempts", a.BuyerData, leftover(q.PruneAttempts)},
		{"deliveries", a.Records, old(q.OldDeliveries, q.DeleteDeliveries)},
		{"events", a.Records, old(q.OldEvents, a.Store.RemoveEvents)},
		{"charges", a.Records, old(q.OldCharges, a.RemoveCharges)},
		{"trades", a.Records, old(q.OldTrades, a.removeTrades)},
		// Orders whose trade was never made are kept for a day at least, however short records
		// are kept, because a creation that is still running must not forget that one was sent.
		{"orders", max(a.Records, shortLived), old(q.OldOrders, q.DeleteOrders)},
		// After the deliveries, which name their webhook.
		{"webhooks", a.Records, leftover(q.PruneWebhooks)},
		// A reader that began while the account existed is done by then.
		{"feeds", shortLived, leftover(q.PruneEventFeeds)},
		{"unverified accounts", 0, only(a.VerifyEmail, a.releaseUnverified)},
		// Anyone can get a key, and each could be kept for ever.
		{"unused keys", a.UnusedKeys, only(a.UnusedKeys != 0, leftover(q.PruneSwapKeys))},
		{"revoked keys", a.Records, leftover(q.PruneScopedKeys)},
		{"invites", a.Records, leftover(q.PruneInvites)},
		// The longest window is a day, and the previous window still counts.
		{"rate counts", 2 * shortLived, leftover(q.PruneOldRateCounts)},
		{"blocked addresses", shortLived, leftover(q.PruneIPFailures)},
		{"failed logins", a.Records, leftover(q.PruneLoginFailures)},
		// They are valid for a day; the second day is for a request that is still running.
		{"idempotency keys", 2 * shortLived, leftover(q.PruneIdempotencyKeys)},
		{"swaps", a.Records, a.pruneSwaps},
		{"orders of swaps", a.Records, leftover(q.PruneSwapOrders)},
		{"marks of sessions", 0, leftover(q.PruneSessions)},
		{"sent forms", 0, leftover(q.PruneSentForms)},
		// Mails are retried for a day.
		{"notices", 2 * shortLived, leftover(q.PruneAccountNotices)},
		// A digest may come after a long time without a worker or a mail server.
		{"business notices", notice.BusinessKept, leftover(q.PruneBusinessNotices)},
		{"mails of notices", notice.BusinessKept, leftover(q.PruneNoticeMails)},
		{"networks of logins", notice.NetworkLife, leftover(q.PruneLoginNetworks)},
		// Kept past their end, because they count for an hour.
		{"links for passwords", shortLived, leftover(q.PrunePasswordResets)},
		{"links of mails", 0, leftover(q.PruneEmailVerifications)},
		{"invites of staff", 0, leftover(q.PruneStaffInvites)},
		{"actions of people", permission.ActionsKept, leftover(q.PruneActions)},
	}
}

// PruneData runs up to a hundred batches and returns where they ended. If a worker died,
// the next run continues at the position of its last heartbeat. A batch that runs twice
// finds nothing the second time.
func (a *Retention) PruneData(ctx context.Context, in Prune) (Pruned, error) {
	if activity.HasHeartbeatDetails(ctx) {
		if err := activity.GetHeartbeatDetails(ctx, &in.From); err != nil {
			return Pruned{}, err
		}
	}
	done := Pruned{Next: in.From}
	for done.Batches < batchesPerPrune && !done.Done {
		next, last, err := a.oneBatch(ctx, Prune{Now: in.Now, From: done.Next})
		if err != nil {
			return Pruned{}, err
		}
		done = Pruned{Next: next, Done: last, Batches: done.Batches + 1}
		activity.RecordHeartbeat(ctx, done.Next)
	}
	return done, nil
}

// oneBatch runs the batch at a position. It returns where the next batch begins, and
// whether there is none. If this version does not know the step, it starts at the
// beginning.
func (a *Retention) oneBatch(ctx context.Context, in Prune) (next Position, last bool, err error) {
	steps := a.steps()
	at := max(0, slices.IndexFunc(steps, func(s step) bool { return s.name == in.From.Step }))
	if in.From.Step != steps[at].name {
		in.From = Position{Step: steps[at].name}
	}
	taken, next, err := steps[at].batch(ctx, in.Now.Add(-steps[at].keep), in.From)
	if err != nil {
		return Position{}, false, err
	}
	if taken >= pruneBatch {
		next.Step = steps[at].name
		return next, false, nil
	}
	if at++; at == len(steps) {
		return Position{}, true, nil
	}
	return Position{Step: steps[at].name}, false, nil
}

func positionOf[ID string | int64](at time.Time, id ID) Position {
	return Position{At: at, ID: fmt.Sprint(id)}
}

// idOf returns the ID of the row at a position; empty or 0 at the beginning.
func idOf[ID string | int64](p Position) (id ID) {
	_, _ = fmt.Sscan(p.ID, &id)
	return id
}

// leftover returns the batch of a step for rows that are never read once they are old
// enough. It removes all rows that it finds, so it needs no position.
func leftover[Params ~struct {
	Before time.Time
	Batch  int32
}](remove func(context.Context, Params) (int64, error)) batch {
	return func(ctx context.Context, before time.Time, _ Position) (int, Position, error) {
		n, err := remove(ctx, Params{Before: before, Batch: pruneBatch})
		return int(n), Position{}, err
	}
}

// only returns the batch of a step that has nothing to do unless a setting is on.
func only(on bool, do batch) batch {
	if on {
		return do
	}
	return func(context.Context, time.Time, Position) (int, Position, error) { return 0, Position{}, nil }
}

// pruneSwaps removes swaps that have ended and need no operator.
func (a *Retention) pruneSwaps(ctx context.Context, before time.Time, _ Position) (int, Position, error) {
	n, err := a.Store.PruneSwaps(ctx, db.PruneSwapsParams{Before: before, AlertKind: alert.SwapUnclear, Batch: pruneBatch})
	return int(n), Position{}, err
}

// releaseUnverified ends accounts whose address was not confirmed in time. Anyone can
// open an account with any address, so the address must become free for its owner. An
// account that has any data of its own stays.
func (a *Retention) releaseUnverified(ctx context.Context, before time.Time, _ Position) (int, Position, error) {
	found, err := a.Store.UnverifiedAccounts(ctx, db.UnverifiedAccountsParams{Before: before, Batch: pruneBatch})
	if err != nil {
		return 0, Position{}, err
	}
	for _, m := range found {
		if err := a.release(ctx, m.MerchantID, before); err != nil {
			return 0, Position{}, err
		}
	}
	return len(found), Position{}, nil
}

// release ends one account. It locks the account's row, so that nothing can be added
// meanwhile. Then it checks the account once more, to see additions that came before the
// lock.
func (a *Retention) release(ctx context.Context, merchantID string, now time.Time) error {
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		_, err := q.LockMerchantForDeletion(ctx, merchantID)
		if postgres.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		still, err := q.UnverifiedAccounts(ctx, db.UnverifiedAccountsParams{Before: now, MerchantID: merchantID, Batch: 1})
		if err != nil || len(still) == 0 {
			return err
		}
		for _, drop := range []func(context.Context, string) error{q.DropAPIKeys, q.DropBackupCodes, q.DropEmailVerification} {
			if err := drop(ctx, merchantID); err != nil {
				return err
			}
		}
		if err := q.EndGrants(ctx, db.EndGrantsParams{MerchantID: merchantID, Now: now, AccountEnds: true}); err != nil {
			return err
		}
		if err := q.ClearLoginFailures(ctx, still[0].EmailIndex); err != nil {
			return err
		}
		return q.EraseMerchant(ctx, db.EraseMerchantParams{MerchantID: merchantID, Now: now})
	})
}
