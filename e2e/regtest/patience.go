package regtest

import (
	"context"
	"math"
	"time"

	"github.com/durapay/durapay/internal/monero"
)

// patience is how long a call may take, and a process that was killed may stay
// away. Callers with less of it bound their context.
const patience = 8 * time.Minute

// patient allows long calls and disables the circuit breaker, so that a call does
// not fail because earlier ones did, as while a daemon is dead.
func patient() monero.Options {
	return monero.Options{CallTimeout: patience, LongTimeout: patience, BreakerFailures: math.MaxUint32}
}

// untilDone repeats an action that may fail while a process restarts.
func untilDone(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := do(ctx)
		if err == nil || pause(ctx) != nil {
			return err
		}
	}
}

// pause comes between two tries.
func pause(ctx context.Context) error {
	select {
	case <-time.After(200 * time.Millisecond):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
