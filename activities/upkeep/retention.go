package upkeep

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/durapay/durapay/internal/postgres"
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

// step is one kind of old data. The walk runs its batches until one finds
// fewer rows than it could take.
type step struct {
	name string
	// keep is the age below which data of this kind is left alone.
	keep time.Duration
	// batch processes rows that are older than the given time, the first ones after from. It
	// returns how many it processed and the last of them.
	batch func(ctx context.Context, before time.Time, from Position) (int, Position, error)
}

// steps returns the steps in an order in which nothing refers to removed rows: deliveries
// are removed before their events, both before webhooks.
func (a *Retention) steps() []step {
	return slices.Concat([]step{
		{"buyers of charges", a.BuyerData, a.stripCharges},
		{"buyers in events", a.BuyerData, a.stripEvents},
		{"deliveries", a.Records, a.pruneDeliveries},
		{"events", a.Records, a.pruneEvents},
		{"charges", a.Records, a.pruneCharges},
		{"trades", a.Records, a.pruneTrades},
		{"orders", max(a.Records, shortLived), a.pruneOrders},
	}, a.leftovers(), a.ofStaff())
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

// oldRow is a row that a walk passes.
type oldRow[ID string | int64] struct {
	At        time.Time
	ID        ID
	Removable bool
}

// removeOld removes the removable rows of a batch. It returns how many rows there were
// and the position of the last one.
func removeOld[Row any, ID string | int64](rows []Row, of func(Row) oldRow[ID], remove func([]ID) error) (int, Position, error) {
	var ids []ID
	var last Position
	for _, r := range rows {
		old := of(r)
		if old.Removable {
			ids = append(ids, old.ID)
		}
		last = positionOf(old.At, old.ID)
	}
	if len(ids) == 0 {
		return len(rows), last, nil
	}
	return len(rows), last, remove(ids)
}

// number returns the ID of a row that has a number; 0 at the beginning.
func (p Position) number() int64 {
	n, err := strconv.ParseInt(p.ID, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func positionOf[ID string | int64](at time.Time, id ID) Position {
	return Position{At: at, ID: fmt.Sprint(id)}
}
