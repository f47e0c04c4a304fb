package activities_test

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/upkeep"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/sanctions"
)

func TestSanctionsAreRefreshedAndCheckedTwice(t *testing.T) {
	t.Parallel()
	text := `<sdnList><sdnEntry><idList><id><idType>Digital Currency Address - LTC</idType><idNumber>Labc</idNumber></id></idList></sdnEntry></sdnList>`
	var broken error
	a := &upkeep.SanctionsList{
		Register: sanctions.Register{Store: pgtest.New(t)}, MaxAge: time.Hour, Log: slog.New(slog.DiscardHandler),
		Clock: func() time.Time { return start },
		Read: func(context.Context) (sanctions.List, error) {
			if broken != nil {
				return sanctions.List{}, broken
			}
			return sanctions.Parse(strings.NewReader(text))
		},
	}
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(a)
	run := func() upkeep.SanctionsRead {
		value, err := env.ExecuteActivity(a.RefreshSanctions)
		require.NoError(t, err)
		var read upkeep.SanctionsRead
		require.NoError(t, value.Get(&read))
		return read
	}
	for range 2 {
		stale, err := a.CheckSanctions(t.Context())
		require.NoError(t, err)
		require.Contains(t, stale, "no sanctions list is in force")
	}
	open, err := a.Register.Store.ListAlerts(t.Context(), db.ListAlertsParams{Before: math.MaxInt64, MaxRows: 10})
	require.NoError(t, err)
	require.Len(t, open, 1)

	require.Equal(t, upkeep.SanctionsRead{Outcome: sanctions.Enforced, Entries: 1}, run())
	require.Equal(t, upkeep.SanctionsRead{Outcome: sanctions.Unchanged, Entries: 1}, run())
	for range 2 {
		stale, err := a.CheckSanctions(t.Context())
		require.NoError(t, err)
		require.Empty(t, stale)
	}
	broken = errors.New("no route")
	_, err = env.ExecuteActivity(a.RefreshSanctions)
	require.ErrorContains(t, err, "no route")
	listed, err := a.Register.Sanctioned(t.Context(), "Labc")
	require.NoError(t, err)
	require.True(t, listed, "the last good list stays in force")
}
