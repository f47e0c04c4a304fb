package testclocks

import (
	"context"
	"time"

	"github.com/durapay/durapay/activities/heartbeat"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/testclock"
)

// BeginAdvance names a clock and the time that it is to go to.
type BeginAdvance struct {
	ClockID, MerchantID string
	// To is a whole second.
	To time.Time
	// Key is the idempotency key of the request; empty for none.
	Key string
}

// BeginAdvance has what is bound live by the new time from now on. Run twice, or for
// a request that is repeated with its key, the second run changes nothing.
// refusals.Missing without the clock, refusals.Clock where it cannot go there.
func (a *Handler) BeginAdvance(ctx context.Context, in BeginAdvance) error {
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		row, err := q.HoldTestClock(ctx, db.HoldTestClockParams{ID: in.ClockID, MerchantID: in.MerchantID})
		if postgres.IsNotFound(err) {
			return errMissing()
		}
		if err != nil {
			return err
		}
		if in.Key != "" && row.AdvanceKey != nil && *row.AdvanceKey == in.Key && timeOf(row).Equal(in.To) {
			return nil
		}
		if err := testclock.MayAdvance(testclock.Status(row.Status), row.FrozenTime, in.To); err != nil {
			return refusals.New(refusals.Clock, err.Error())
		}
		params := db.AdvanceTestClockParams{ID: in.ClockID, TargetTime: in.To}
		if in.Key != "" {
			params.AdvanceKey = &in.Key
		}
		return q.AdvanceTestClock(ctx, params)
	})
}

// timeOf is the time that what is bound to a clock lives by.
func timeOf(row db.TestClock) time.Time {
	if row.TargetTime != nil {
		return *row.TargetTime
	}
	return row.FrozenTime
}

func errMissing() error { return refusals.New(refusals.Missing, "test clock not found") }

// DeleteTestClock names a clock that its merchant deletes.
type DeleteTestClock struct {
	ClockID, MerchantID string
	// Now is the workflow's clock.
	Now time.Time
}

// DeleteTestClock deletes a clock: charges that wait are to expire. refusals.Missing
// without the clock, so also in a second run after the first was lost.
func (a *Handler) DeleteTestClock(ctx context.Context, in DeleteTestClock) error {
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		_, err := q.HoldTestClock(ctx, db.HoldTestClockParams{ID: in.ClockID, MerchantID: in.MerchantID})
		if postgres.IsNotFound(err) {
			return errMissing()
		}
		if err != nil {
			return err
		}
		return q.DeleteTestClock(ctx, db.DeleteTestClockParams{ID: in.ClockID, Now: in.Now})
	})
}

// notified is how many rows are read at a time.
const notified = 200

// NotifyBound tells the runs of what is bound to a clock, and has not answered its
// time yet, that it was moved. It returns how many those are: 0 when the clock's time
// has come everywhere. Deliveries of a deleted clock are told, and not counted. Run
// twice, a run hears it twice, and looks twice.
func (a *Handler) NotifyBound(ctx context.Context, clockID string) (int, error) {
	stop := heartbeat.Start(ctx)
	defer stop()
	due := 0
	for _, of := range []struct {
		page    func(after string) ([]string, error)
		notify  func(context.Context, string) error
		counted int
	}{
		{func(after string) ([]string, error) {
			return a.Store.DueChargesOfTestClock(ctx, db.DueChargesOfTestClockParams{TestClockID: clockID, After: after, Most: notified})
		}, a.NotifyCharge, 1},
		{func(after string) ([]string, error) {
			return a.Store.DueDeliveriesOfTestClock(ctx, db.DueDeliveriesOfTestClockParams{TestClockID: clockID, After: after, Most: notified})
		}, a.NotifyDelivery, 1},
		{func(after string) ([]string, error) {
			return a.Store.LeftDeliveriesOfTestClock(ctx, db.LeftDeliveriesOfTestClockParams{TestClockID: clockID, After: after, Most: notified})
		}, a.NotifyDelivery, 0},
	} {
		told, err := notifyAll(ctx, of.page, of.notify)
		if err != nil {
			return 0, err
		}
		due += told * of.counted
	}
	return due, nil
}

// notifyAll tells page after page and returns how many it told.
func notifyAll(ctx context.Context, page func(after string) ([]string, error), notify func(context.Context, string) error) (int, error) {
	told, after := 0, ""
	for {
		ids, err := page(after)
		if err != nil || len(ids) == 0 {
			return told, err
		}
		for _, id := range ids {
			if err := notify(ctx, id); err != nil {
				return told, err
			}
		}
		told, after = told+len(ids), ids[len(ids)-1]
	}
}

// EndAdvance names a clock whose advance is over.
type EndAdvance struct {
	ClockID string
	// Failed is set where what is bound has not answered in time.
	Failed bool
}

// EndAdvance has a clock that advances stand at the time that it went to. Run twice,
// and for a clock that does not advance, it changes nothing.
func (a *Handler) EndAdvance(ctx context.Context, in EndAdvance) error {
	status := testclock.Ready
	if in.Failed {
		status = testclock.InternalFailure
	}
	return a.Store.SettleTestClock(ctx, db.SettleTestClockParams{ID: in.ClockID, Status: string(status)})
}
