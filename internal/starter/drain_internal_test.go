package starter

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
)

// TestALoopThatWasWokenLeavesYoungRowsAgain: even if the shop sells all the time, a loop
// soon leaves young rows to the process that wrote them.
func TestALoopThatWasWokenLeavesYoungRowsAgain(t *testing.T) {
	t.Parallel()
	const many = 1000
	store := pgtest.New(t)
	sold := 0
	sell := func(ctx context.Context) error {
		sold++
		return store.WantWorkflow(ctx, db.WantWorkflowParams{ID: fmt.Sprint("ch_", sold), Kind: "charge", MerchantID: "m", Mode: "live"})
	}
	require.NoError(t, sell(t.Context()))
	loop := Loop{Store: store, Log: slog.New(slog.DiscardHandler), Start: func(ctx context.Context, _ db.WorkflowStart) error {
		if sold == many {
			return nil
		}
		return sell(ctx)
	}}
	require.NoError(t, loop.drain(t.Context(), 0))
	require.Less(t, sold, many)
}
