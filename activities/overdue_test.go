package activities_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/upkeep"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// allOverdue returns all overdue items, each once. It requires that a search item by item
// finds the same.
func allOverdue(t *testing.T, store *postgres.Store, s outbox.OverdueSearch) []outbox.Overdue {
	t.Helper()
	s.MaxRows = 100
	items, err := outbox.FindOverdue(t.Context(), store.Queries, s)
	require.NoError(t, err)
	s.MaxRows = 1
	var single []outbox.Overdue
	require.NoError(t, outbox.EachOverdue(t.Context(), store.Queries, s, func(page []outbox.Overdue) {
		for _, item := range page {
			if !slices.ContainsFunc(single, func(i outbox.Overdue) bool { return i.Kind == item.Kind && i.ID == item.ID }) {
				single = append(single, item)
			}
		}
	}))
	require.Equal(t, items, single)
	return items
}

// However many charges stay overdue, those after them are woken, and though Temporal
// refuses to wake some.
func TestOverdueChargesHideNoLaterOnes(t *testing.T) {
	t.Parallel()
	const many = 450
	s := open(t, many)
	var made, woken []string
	for range many {
		made = append(made, s.create(t, s.request()).ID)
	}
	look := upkeep.Overdue{
		Store: s.store, Clock: func() time.Time { return start.Add(48 * time.Hour) },
		Wake: func(_ context.Context, items []outbox.Overdue) error {
			for _, i := range items {
				woken = append(woken, i.ID)
			}
			return errors.New("the first one has had too many signals")
		},
	}
	found, err := look.CheckOverdue(t.Context())
	require.ErrorContains(t, err, "too many signals")
	require.Equal(t, many, found)
	require.ElementsMatch(t, made, woken)
	alerts, err := s.store.CountOpenAlerts(t.Context())
	require.NoError(t, err)
	require.Len(t, alerts, 1)
}

// TestRunThatIsCutOffHasReportedWhatItFound: the alert of a kind is opened with its first
// page, so a run that ends before the last page has alerted operators.
func TestRunThatIsCutOffHasReportedWhatItFound(t *testing.T) {
	t.Parallel()
	const many = 250
	s := open(t, many)
	for range many {
		s.create(t, s.request())
	}
	ctx, cutOff := context.WithCancel(t.Context())
	look := upkeep.Overdue{
		Store: s.store, Clock: func() time.Time { return start.Add(48 * time.Hour) },
		Wake: func(context.Context, []outbox.Overdue) error { cutOff(); return nil },
	}
	_, err := look.CheckOverdue(ctx)
	require.ErrorIs(t, err, context.Canceled)
	alerts, err := s.store.ListAlerts(t.Context(), db.ListAlertsParams{Before: 1 << 40, MaxRows: 10})
	require.NoError(t, err)
	require.Len(t, alerts, 1)
	require.Contains(t, alerts[0].Detail, "200 or more, the first is ")
}
