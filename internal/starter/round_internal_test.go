package starter

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/postgres/db"
)

// TestARoundHoldsRowsForSecondsAlone: Temporal starts one, and hangs then. What a round
// holds would keep PostgreSQL from cleaning up for as long as all have hung.
func TestARoundHoldsRowsForSecondsAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var begun atomic.Int32
		loop := Loop{Start: func(ctx context.Context, _ db.WorkflowStart) error {
			if begun.Add(1) == 1 {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		}}
		before := time.Now()
		started, err := loop.startAll(t.Context(), make([]db.WorkflowStart, batch))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Len(t, started, 1)
		require.LessOrEqual(t, time.Since(before), beginFor+startTimeout)
		require.Less(t, begun.Load(), int32(batch/2))
	})
}

// TestWhatIsInHandIsEnded, though the process is about to end: Temporal may have started it
// already, and its answer holds the first task. Nothing is begun anew, and what hangs is given
// up.
func TestWhatIsInHandIsEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		loop := Loop{Start: func(ctx context.Context, row db.WorkflowStart) error {
			if row.ID == "hangs" {
				<-ctx.Done()
				return errors.New("hung")
			}
			select {
			case <-time.After(drainTimeout / 2):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}}
		rows := make([]db.WorkflowStart, 2*atOnce)
		rows[0].ID = "hangs"
		time.AfterFunc(time.Second, end)
		before := time.Now()
		started, err := loop.startAll(ctx, rows)
		require.Error(t, err)
		require.Len(t, started, atOnce-1)
		require.LessOrEqual(t, time.Since(before), time.Second+drainTimeout)
	})
}
