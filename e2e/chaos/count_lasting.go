package main

import (
	"context"
	"fmt"
	"time"

	"github.com/durapay/durapay/e2e/books"
)

// toldWithin is the longest time from the return of the last part until every receiver has
// the events that were due.
const toldWithin = time.Minute

// lasting returns the permanent faults, and how long the delivery of the due events took
// after the last part had returned.
func (w *testbed) lasting(ctx context.Context, returned time.Time) (faults []books.Fault, told time.Duration, err error) {
	if faults, err = w.failed(ctx); err != nil {
		return nil, 0, err
	}
	if told, err = w.tellingTook(ctx, returned); err != nil {
		return nil, 0, err
	}
	if told > toldWithin {
		faults = append(faults, books.Fault{
			Kind: books.ToldLate, Subject: "the last part's return", What: fmt.Sprintf("all news was told %s later", told.Round(time.Second)),
		})
	}
	return faults, told, nil
}

// telling is the longest time in seconds that the delivery of an event after $1 took.
// Events of charges count from then, because the chain shows nothing new of charges. Other
// events count from when they happened, if that is later: they wait for blocks. An event
// that its receiver refused comes when its next attempt is due, so it is left out.
const telling = `
SELECT COALESCE(max(EXTRACT(epoch FROM delivered_at - since)), 0)::float8 FROM (
	SELECT d.delivered_at, CASE WHEN e.resource_id LIKE 'ch_%' THEN $1::timestamptz ELSE GREATEST($1, e.created_at) END AS since
	FROM deliveries d JOIN events e ON e.id = d.event_id WHERE d.delivered_at > $1 AND d.attempts = 1
	UNION ALL
	SELECT delivered_at, GREATEST($1, occurred_at) FROM trade_events WHERE delivered_at > $1 AND attempts = 1) told`

// tellingTook returns how long the delivery of the due events took after the last part had returned.
func (w *testbed) tellingTook(ctx context.Context, returned time.Time) (time.Duration, error) {
	conn, err := w.database(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close(ctx) }()
	var seconds float64
	err = conn.QueryRow(ctx, telling, returned).Scan(&seconds)
	return time.Duration(seconds * float64(time.Second)), err
}
