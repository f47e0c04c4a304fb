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

// TestARoundHoldsRowsForSecondsAlone: Temporal starts one workflow and then hangs. If the
// round waited for all its rows, its transaction would prevent PostgreSQL from cleaning up all
// that time.
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

// TestWhatIsInHandIsEnded: a process that is about to end finishes its running starts, because
// Temporal may have accepted them already and its answer contains the first task. It begins no
// new start, and gives up starts that hang.
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
