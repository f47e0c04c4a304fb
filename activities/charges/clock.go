package charges

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
)

// maxOfClock is how many charges may be bound to one test clock.
const maxOfClock = 1000

// ClockState is where the test clock of a charge stands.
type ClockState struct {
	// At is its time.
	At time.Time
	// Gone says that it was deleted: what is bound to it waits for nothing more.
	Gone bool
}

// Reached says whether the clock has come to a time.
func (k ClockState) Reached(t time.Time) bool { return k.Gone || !k.At.Before(t) }

// bind has a new charge live by its test clock, if it has one: what was counted from
// the time of in is counted from the clock's. It holds the clock until the charge is
// inserted, so that its charges are counted one after the other. refusals.Missing
// for a clock that the merchant does not have, refusals.TooMany beyond maxOfClock.
func bind(ctx context.Context, q *db.Queries, in CreateCharge, row *db.InsertChargeParams) error {
	if in.TestClock == "" {
		return nil
	}
	clock, err := q.HoldTestClock(ctx, db.HoldTestClockParams{ID: in.TestClock, MerchantID: in.MerchantID})
	if postgres.IsNotFound(err) {
		return refusals.New(refusals.Missing, "test clock not found")
	}
	if err != nil {
		return err
	}
	bound, err := q.CountChargesOfTestClock(ctx, in.TestClock)
	if err != nil {
		return err
	}
	if bound >= maxOfClock {
		return refusals.New(refusals.TooMany, "the test clock has as many charges as it can have, use another one")
	}
	at := clock.FrozenTime
	if clock.TargetTime != nil {
		at = *clock.TargetTime
	}
	shift := at.Sub(row.CreatedAt)
	row.TestClockID, row.CreatedAt, row.ExpiresAt = &in.TestClock, at, row.ExpiresAt.Add(shift)
	if row.CountsUntil != nil {
		until := row.CountsUntil.Add(shift)
		row.CountsUntil = &until
	}
	return nil
}

// clockOf is the test clock of a charge; nil for real time.
func clockOf(ctx context.Context, q *db.Queries, c charge.Charge) (*ClockState, error) {
	if c.TestClock == nil {
		return nil, nil //nolint:nilnil // most charges have no clock
	}
	row, err := q.TestClockTime(ctx, *c.TestClock)
	return &ClockState{At: row.At, Gone: row.Gone}, err
}

// timeOf is the time that a charge lives in. A clock passes through the end of the
// charge's wait on its way: nothing of a charge that is pending is later than that.
func timeOf(c charge.Charge, clock *ClockState, now time.Time) time.Time {
	switch {
	case clock == nil:
		return now
	case c.Status == charge.Pending && clock.Reached(c.ExpiresAt):
		return c.ExpiresAt
	default:
		return clock.At
	}
}
