package main

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/durapay/durapay/e2e/fixture"
)

// trouble has one round after the other until the time is over; then everything runs.
func (w *testbed) trouble(ctx context.Context, r *rounds, until time.Time, t *tally) error {
	for {
		next := r.next()
		if err := fixture.Pause(ctx, next.calm); err != nil {
			return err
		}
		if next.at != nil {
			if err := w.places.await(ctx, next.at); err != nil {
				return err
			}
		}
		if time.Now().After(until) {
			return nil
		}
		fixture.Tellf("%s", next)
		group, within := errgroup.WithContext(ctx)
		for _, x := range next.list {
			group.Go(func() error { return w.happen(within, x, t) })
		}
		if err := group.Wait(); err != nil {
			return err
		}
		if err := w.supervise(ctx, t); err != nil {
			return err
		}
	}
}

// happen has a disturbance from its beginning to its end.
func (w *testbed) happen(ctx context.Context, x disturbance, t *tally) error {
	k := kindOf(x)
	if k.longest == 0 {
		defer w.places.leave(x.on)
		w.places.enter(ctx, x.on)
	}
	if err := k.begin(w, ctx, x); err != nil {
		return fmt.Errorf("%s: %w", x, err)
	}
	t.disturbed(x)
	if k.longest == 0 {
		return nil
	}
	w.places.enter(ctx, x.on)
	defer w.places.leave(x.on)
	if err := fixture.Pause(ctx, x.lasts); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, fixture.Startup)
	defer cancel()
	if err := k.end(w, ctx, x); err != nil {
		return fmt.Errorf("%s, and its end: %w", x, err)
	}
	return nil
}

// supervise starts parts that ended by themselves, as a supervisor does.
func (w *testbed) supervise(ctx context.Context, t *tally) error {
	ctx, cancel := context.WithTimeout(ctx, fixture.Startup)
	defer cancel()
	for _, name := range parts() {
		if w.runs(name) {
			continue
		}
		fixture.Tellf("%s ended by itself, and is started again", name)
		t.disturbed(disturbance{kind: endedByItself, on: name})
		if err := w.startPart(ctx, name); err != nil {
			return err
		}
	}
	return nil
}
