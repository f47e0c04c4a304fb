package workflows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/upkeep"
	"github.com/durapay/durapay/internal/sanctions"
	"github.com/durapay/durapay/workflows"
)

func sanctionsEnv(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	env := environment()
	env.RegisterActivity(&upkeep.SanctionsList{})
	return env
}

func TestSanctionsAreReadOnceWhenTheSourceAnswers(t *testing.T) {
	t.Parallel()
	env := sanctionsEnv(t)
	var a *upkeep.SanctionsList
	env.OnActivity(a.RefreshSanctions, mock.Anything).Once().Return(upkeep.SanctionsRead{Outcome: sanctions.Enforced, Entries: 5}, nil)
	env.OnActivity(a.CheckSanctions, mock.Anything).Once().Return("", nil)
	env.ExecuteWorkflow(workflows.Sanctions)
	require.NoError(t, env.GetWorkflowError())
	env.AssertExpectations(t)
}

// Operators learn of a stale list after the first round, not after the last;
// a source that is back within hours is read without waiting for the next day.
func TestSanctionsAreTriedAgainAndOperatorsAlertedAtOnce(t *testing.T) {
	t.Parallel()
	env := sanctionsEnv(t)
	var a *upkeep.SanctionsList
	begin := env.Now()
	var tried, checked int
	var firstCheck time.Duration
	env.OnActivity(a.RefreshSanctions, mock.Anything).Return(func(context.Context) (upkeep.SanctionsRead, error) {
		if tried++; tried < 8 { // two whole rounds and a part of the third
			return upkeep.SanctionsRead{}, errors.New("no route")
		}
		return upkeep.SanctionsRead{Outcome: sanctions.Unchanged}, nil
	})
	env.OnActivity(a.CheckSanctions, mock.Anything).Return(func(context.Context) (string, error) {
		if checked++; checked == 1 {
			firstCheck = env.Now().Sub(begin)
		}
		return "no list", nil
	})
	env.ExecuteWorkflow(workflows.Sanctions)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, 8, tried)
	require.Equal(t, 3, checked)
	require.Less(t, firstCheck, time.Minute)
}

func TestSanctionsGiveUpUntilTheNextDay(t *testing.T) {
	t.Parallel()
	env := sanctionsEnv(t)
	var a *upkeep.SanctionsList
	begin := env.Now()
	env.OnActivity(a.RefreshSanctions, mock.Anything).
		Return(upkeep.SanctionsRead{}, temporal.NewNonRetryableApplicationError("no list", "x", nil))
	env.OnActivity(a.CheckSanctions, mock.Anything).Times(10).Return("stale", nil)
	env.ExecuteWorkflow(workflows.Sanctions)
	require.ErrorContains(t, env.GetWorkflowError(), "no list")
	env.AssertExpectations(t)
	require.Less(t, env.Now().Sub(begin), 24*time.Hour)
}
