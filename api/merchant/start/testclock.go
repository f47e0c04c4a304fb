package start

import (
	"context"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/durapay/durapay/workflows"
)

// AdvanceTestClock moves a test clock; what is bound to it lives by the new time when
// this returns, and does what is due.
func (e Workflows) AdvanceTestClock(ctx context.Context, in workflows.TestClockInput, to workflows.AdvanceClock) error {
	return e.first(ctx, shortWait, testClockRun(in), workflows.AdvanceClockUpdate, to)
}

// DeleteTestClock deletes a test clock; charges that wait by it are about to expire
// when this returns.
func (e Workflows) DeleteTestClock(ctx context.Context, in workflows.TestClockInput) error {
	return e.first(ctx, shortWait, testClockRun(in), workflows.DeleteClockUpdate)
}

func testClockRun(in workflows.TestClockInput) run {
	return run{client.StartWorkflowOptions{
		ID: workflows.TestClockWorkflowID(in.ClockID), TaskQueue: workflows.MerchantQueue,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		TypedSearchAttributes:    temporal.NewSearchAttributes(workflows.MerchantIDKey.ValueSet(in.MerchantID)),
	}, workflows.TestClock, in}
}
