package workflows_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/temporalproto"
	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/workflows"
)

// TestRecordedHistoriesReplay runs the present code over histories of real executions:
// those of the present code in testdata/current, and those of each released version in a
// folder of its own. A change that would break a running workflow fails here. e2e/record
// makes most of them. The stacks of package e2e make those of operators' requests. Paths
// that a stack takes only by accident are recorded on Temporal alone, with activities
// that return the results that a test needs.
func TestRecordedHistoriesReplay(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*/*.json")
	require.NoError(t, err)
	recorded := map[string]any{
		"Charge": workflows.Charge, "Payout": workflows.Payout, "Delivery": workflows.Delivery, "Retention": workflows.Retention,
		"Mail": workflows.Mail, "Trade": workflows.Trade, "Watch": workflows.Watch, "Swap": workflows.Swap, "Refund": workflows.Refund, "Witness": workflows.Witness,
	}
	missing := maps.Clone(recorded)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		history := &historypb.History{}
		require.NoError(t, temporalproto.CustomJSONUnmarshalOptions{}.Unmarshal(text, history), file)
		delete(missing, history.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes().GetWorkflowType().GetName())
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			replayer := worker.NewWorkflowReplayer()
			for _, workflow := range recorded {
				replayer.RegisterWorkflow(workflow)
			}
			require.NoError(t, replayer.ReplayWorkflowHistoryFromJSONFile(nil, file))
		})
	}
	require.Empty(t, missing, "workflows without a history: record them with e2e/record")
}
