package worker

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
)

// A worker that starts while Temporal is slow or away waits for it. A refusal by Temporal
// ends the wait, and so does the end of the process.
func TestAWorkerWaitsForTemporalAtItsStart(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	asked := 0
	require.NoError(t, untilAnswered(t.Context(), log, func(context.Context) error {
		if asked++; asked == 1 {
			return fmt.Errorf("start watch-xmr-Mainnet: %w", context.DeadlineExceeded)
		}
		return nil
	}))
	require.Equal(t, 2, asked)

	require.ErrorContains(t, untilAnswered(t.Context(), log, func(context.Context) error {
		return serviceerror.NewNamespaceNotFound("durapay")
	}), "durapay")

	ctx, stop := context.WithCancel(t.Context())
	require.Error(t, untilAnswered(ctx, log, func(context.Context) error {
		stop()
		return serviceerror.NewUnavailable("the connection is refused")
	}))
}
