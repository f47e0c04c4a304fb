package workflows_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/workflows"
)

// TestRecordedHistoriesReplay runs today's code over histories of real
// executions, of each released version and of the one that comes next: a change
// that would break a workflow that is running somewhere
// fails here. e2e/record makes them; those of what operators ask for are of the
// stacks of package e2e. Those of paths that a stack takes by accident only are
// Temporal's, with activities that return what a test needs.
func TestRecordedHistoriesReplay(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			replayer := worker.NewWorkflowReplayer()
			replayer.RegisterWorkflow(workflows.Charge)
			replayer.RegisterWorkflow(workflows.Payout)
			replayer.RegisterWorkflow(workflows.Delivery)
			replayer.RegisterWorkflow(workflows.Retention)
			replayer.RegisterWorkflow(workflows.Mail)
			replayer.RegisterWorkflow(workflows.Trade)
			replayer.RegisterWorkflow(workflows.WatchExchange)
			replayer.RegisterWorkflow(workflows.Swap)
			replayer.RegisterWorkflow(workflows.Witness)
			require.NoError(t, replayer.ReplayWorkflowHistoryFromJSONFile(nil, file))
		})
	}
}
