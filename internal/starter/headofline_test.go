package starter_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/starter"
)

// TestOneThatCannotBeStartedHoldsUpNobody: the oldest row always fails at once, as if one
// shard of Temporal is down. The other rows take as long as a start usually takes.
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

// TestManyThatCannotBeStartedHoldUpNobody: more rows than fit in a round belong to a shard
// that is down, and they are older than all other rows.
func TestManyThatCannotBeStartedHoldUpNobody(t *testing.T) {
	t.Parallel()
	const away, all = 300, 700
	store := pgtest.New(t)
	s := &started{fails: func(id string) error {
		if n, err := strconv.Atoi(strings.TrimPrefix(id, "ch_")); err != nil || n < away {
			return errors.New("its shard is away")
		}
		return nil
	}}
	want(t, store, all)
	loop := starter.Loop{Store: store, Start: s.start, Log: slog.New(slog.DiscardHandler)}
	for range all {
		_, _ = loop.Round(t.Context(), 0)
	}
	require.EqualValues(t, away, waiting(t, store))
	s.fails = nil
	for waiting(t, store) > 0 {
		_, err := loop.Round(t.Context(), 0)
		require.NoError(t, err)
	}
	require.Len(t, s.times, all)
}

// TestOneThatFailedIsNotForgottenWhileShopsSell: each start adds another row, so the loop
// never reaches an end after which it would return to the oldest row.
func TestOneThatFailedIsNotForgottenWhileShopsSell(t *testing.T) {
	t.Parallel()
	store, failed, sold := pgtest.New(t), false, 1
	s := &started{}
	want(t, store, 2)
	loop := starter.Loop{Store: store, Log: slog.New(slog.DiscardHandler), Start: func(ctx context.Context, row db.WorkflowStart) error {
		if row.ID == "ch_0" {
			if !failed {
				failed = true
				return errors.New("a moment")
			}
			return s.start(ctx, row)
		}
		sold++
		return store.WantWorkflow(ctx, db.WantWorkflowParams{ID: fmt.Sprint("ch_", sold), Kind: "charge", MerchantID: "m", Mode: "live"})
	}}
	for range 100 {
		_, _ = loop.Round(t.Context(), 0)
	}
	require.True(t, failed)
	require.Equal(t, 1, s.count())
}
