package main

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/durapay/durapay/e2e/fixture"
)

// work is one call of a load; n counts the calls of all clients.
type work func(ctx context.Context, n int64) error

// tally adds up the turns of one side of a comparison.
type tally struct {
	calls   int64
	elapsed time.Duration
}

func (t *tally) rate() float64 { return float64(t.calls) / t.elapsed.Seconds() }

// load keeps clients busy with calls for a while, each starting the next when
// the last is answered, and adds what they did. It ends at the first error.
func (t *tally) load(ctx context.Context, clients int, during time.Duration, do work) error {
	begun := time.Now()
	var calls atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range clients {
		group.Go(func() error {
			for time.Since(begun) < during {
				if err := do(ctx, calls.Add(1)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := group.Wait()
	t.calls += calls.Load()
	t.elapsed += time.Since(begun)
	return err
}

// breath lets what a turn left behind come to an end before the next.
const breath = 500 * time.Millisecond

// settled returns when what a turn has begun is done; nil where nothing is left.
type settled func(context.Context)

// inTurns gives loads their turns, after a short one for each that does not count. The
// first load changes from round to round, so that a machine that gets busier does not
// favour one side. Before each turn, the work of the earlier turns comes to its end.
func (s sizes) inTurns(ctx context.Context, clients int, settle settled, sides ...work) comparison {
	c := comparison{make([][]tally, len(sides))}
	calm := func() {
		fixture.Do(fixture.Pause(ctx, breath))
		if settle != nil {
			settle(ctx)
		}
	}
	for _, do := range sides {
		fixture.Do(new(tally).load(ctx, clients, s.slice/4, do))
		calm()
	}
	for round := range s.rounds {
		for i := range sides {
			side := (round + i) % len(sides)
			calm()
			var turn tally
			fixture.Do(turn.load(ctx, clients, s.slice, sides[side]))
			c.rounds[side] = append(c.rounds[side], turn)
		}
	}
	return c
}

// turns is how long one side of a comparison has its turns.
func (s sizes) turns() time.Duration { return s.slice*time.Duration(s.rounds) + s.slice/4 }

// comparison has what each side did in each round.
type comparison struct{ rounds [][]tally }

func (c comparison) rate(side int) float64 {
	return middle(len(c.rounds[side]), func(i int) float64 { return c.rounds[side][i].rate() })
}

// ratioTo is the rate of side 1 in its middle round, in rates of another side.
func (c comparison) ratioTo(other int) float64 {
	return middle(len(c.rounds[1]), func(i int) float64 { return c.rounds[1][i].rate() / c.rounds[other][i].rate() })
}

func (c comparison) row(measure, reference string, other int, bar float64) row {
	ratio := c.ratioTo(other)
	return row{
		measure: measure, value: perSecond(c.rate(1)), reference: reference + " " + perSecond(c.rate(other)),
		ratio: ratioText(ratio), bar: "ratio ≥ " + ratioText(bar), met: ratio >= bar,
	}
}

// times does something n times and returns how long each took.
func times(ctx context.Context, n int, do work) []time.Duration {
	samples := make([]time.Duration, 0, n)
	for i := range n {
		begun := time.Now()
		fixture.Do(do(ctx, int64(i)))
		samples = append(samples, time.Since(begun))
	}
	return samples
}

// repeat makes so many calls from so many clients.
func repeat(ctx context.Context, clients int, n int64, do work) error {
	var calls atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range clients {
		group.Go(func() error {
			for i := calls.Add(1); i <= n; i = calls.Add(1) {
				if err := do(ctx, i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}
