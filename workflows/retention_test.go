package workflows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/upkeep"
	"github.com/durapay/durapay/workflows"
)

// retentionEnvironment answers each call with prune and records the inputs.
func retentionEnvironment(prune func(call int) (upkeep.Pruned, error)) (env *testsuite.TestWorkflowEnvironment, asked *[]upkeep.Prune) {
	env = environment()
	env.RegisterActivity(&upkeep.Retention{})
	asked = &[]upkeep.Prune{}
	env.OnActivity("PruneData", mock.Anything, mock.Anything).Return(func(_ context.Context, in upkeep.Prune) (upkeep.Pruned, error) {
		*asked = append(*asked, in)
		return prune(len(*asked))
	})
	return env, asked
}

func TestRetentionContinuesWhereItsLastStepEnded(t *testing.T) {
	t.Parallel()
	places := []upkeep.Position{{Step: "a", ID: "7"}, {Step: "b"}}
	env, asked := retentionEnvironment(func(call int) (upkeep.Pruned, error) {
		switch call {
		case 1:
			return upkeep.Pruned{Next: places[0]}, nil
		case 2:
			return upkeep.Pruned{}, errors.New("the database is away")
		case 3:
			return upkeep.Pruned{Next: places[1]}, nil
		default:
			return upkeep.Pruned{Done: true}, nil
		}
	})
	env.ExecuteWorkflow(workflows.Retention, workflows.RetentionInput{})
	require.NoError(t, env.GetWorkflowError())
	require.Len(t, *asked, 4)
	for i, from := range []upkeep.Position{{}, places[0], places[0], places[1]} {
		require.Equal(t, from, (*asked)[i].From, i)
		require.Equal(t, (*asked)[0].Now, (*asked)[i].Now, "one moment decides for the whole run")
	}
}

func TestRetentionContinuesInANewRun(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	last := upkeep.Position{Step: "charges", At: at, ID: "ch_1"}
	env, asked := retentionEnvironment(func(int) (upkeep.Pruned, error) { return upkeep.Pruned{Next: last}, nil })
	env.ExecuteWorkflow(workflows.Retention, workflows.RetentionInput{Prune: upkeep.Prune{Now: at}})
	var next *workflow.ContinueAsNewError
	require.ErrorAs(t, env.GetWorkflowError(), &next)
	require.Len(t, *asked, 100, "the history of a run is bounded")
	var in workflows.RetentionInput
	require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(next.Input, &in))
	require.Equal(t, workflows.RetentionInput{Prune: upkeep.Prune{Now: at, From: last}}, in)
}
