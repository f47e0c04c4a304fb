package starter_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/starter"
)

// TestOneThatCannotBeStartedHoldsUpNobody: the oldest row fails at once and always, as where
// one shard of Temporal is away. The others take as long as Temporal takes.
func TestOneThatCannotBeStartedHoldsUpNobody(t *testing.T) {
	t.Parallel()
	store, s := pgtest.New(t), &started{}
	want(t, store, 40)
	loop := starter.Loop{Store: store, Log: slog.New(slog.DiscardHandler), Start: func(ctx context.Context, row db.WorkflowStart) error {
		if row.ID == "ch_0" {
			return errors.New("its shard is away")
		}
		select {
		case <-time.After(5 * time.Millisecond):
			return s.start(ctx, row)
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
	for range 10 {
		_, _ = loop.Round(t.Context(), 0)
	}
	require.EqualValues(t, 1, waiting(t, store), "all but the one")
}
