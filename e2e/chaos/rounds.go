package main

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/durapay/durapay/e2e/fixture"
)

// trouble has one round after the other until the time is over; then everything runs.
func (w *testbed) trouble(ctx context.Context, r *rounds, until time.Time, t *tally) {
	for {
		next := r.next()
		fixture.Do(fixture.Pause(ctx, next.calm))
		if next.at != nil {
			w.places.await(ctx, next.at)
		}
		if time.Now().After(until) {
			return
		}
		fixture.Tellf("%s", next)
		group, within := errgroup.WithContext(ctx)
		for _, x := range next.list {
			group.Go(func() error { return fixture.Try(func() { w.happen(within, x, t) }) })
		}
		fixture.Do(group.Wait())
		w.supervise(ctx, t)
	}
}

// happen has a disturbance from its beginning to its end.
func (w *testbed) happen(ctx context.Context, x disturbance, t *tally) {
	k := kindOf(x)
	if k.longest == 0 {
		defer w.places.leave(x.on)
		w.places.enter(ctx, x.on)
	}
	fixture.Named(x.String(), func() { k.begin(w, ctx, x) })
	t.disturbed(x)
	if k.longest == 0 {
		return
	}
	w.places.enter(ctx, x.on)
	defer w.places.leave(x.on)
	fixture.Do(fixture.Pause(ctx, x.lasts))
	ctx, cancel := context.WithTimeout(ctx, fixture.Startup)
	defer cancel()
	fixture.Named(x.String()+", and its end", func() { k.end(w, ctx, x) })
}

// supervise starts parts that ended by themselves, as a supervisor does.
func (w *testbed) supervise(ctx context.Context, t *tally) {
	ctx, cancel := context.WithTimeout(ctx, fixture.Startup)
	defer cancel()
	for _, name := range parts() {
		if w.runs(name) {
			continue
		}
		fixture.Tellf("%s ended by itself, and is started again", name)
		t.disturbed(disturbance{kind: endedByItself, on: name})
		w.startPart(ctx, name)
	}
}
