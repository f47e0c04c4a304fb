package main

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/durapay/durapay/e2e/fixture"
)

// engine is bare Temporal: the same server, with a worker of its own whose workflows do
// nothing.
type engine struct {
	client client.Client
	child  *child
	// usual is how long it takes to answer while nothing else is done.
	usual time.Duration
}

const (
	// probes are so many calls in a row that show that Temporal has nothing else to do; the
	// middle one may take idleTimes of the usual time.
	probes    = 5
	idleTimes = 2
	// idleAtMost is how long one waits for it.
	idleAtMost = 45 * time.Second
)

func (w *testbed) openEngine(ctx context.Context) (*engine, error) {
	e := &engine{}
	var err error
	if e.child, err = startChild(ctx, "temporal", w.URLs["TEMPORAL_ADDRESS"]); err != nil {
		return nil, err
	}
	if e.client, err = dialTemporal(ctx, w.URLs["TEMPORAL_ADDRESS"]); err != nil {
		return nil, errors.Join(err, e.child.stop())
	}
	took, err := times(ctx, 2*probes, e.begin)
	if err != nil {
		return nil, errors.Join(err, e.stop())
	}
	e.usual = percentile(took[probes:], 50)
	return e, nil
}

func (e *engine) stop() error {
	e.client.Close()
	return e.child.stop()
}

// begin is a call of the reference.
func (e *engine) begin(ctx context.Context, _ int64) error { return beginNothing(ctx, e.client) }

// idle returns once Temporal answers as if it had nothing else to do: the workflows of
// charges keep it busy for longer than the turns last. On a machine that is never idle,
// idle returns after idleAtMost.
func (e *engine) idle(ctx context.Context) error {
	begun := time.Now()
	for time.Since(begun) < idleAtMost {
		took, err := times(ctx, probes, e.begin)
		if err != nil {
			return err
		}
		if percentile(took, 50) <= idleTimes*e.usual {
			return nil
		}
		if err := fixture.Pause(ctx, breath); err != nil {
			return err
		}
	}
	fixture.Tellf("Temporal is still busy after %s", idleAtMost)
	return nil
}
