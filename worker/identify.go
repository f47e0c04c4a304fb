package worker

import (
	"context"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"

	"github.com/durapay/durapay/internal/telemetry"
)

// identify puts the workflow's identifiers into every activity's context, so
// that the lines it logs carry them.
type identify struct {
	interceptor.WorkerInterceptorBase
}

// InterceptActivity wraps the execution of activities.
func (*identify) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	i := &identifyActivity{}
	i.Next = next
	return i
}

type identifyActivity struct {
	interceptor.ActivityInboundInterceptorBase
}

// ExecuteActivity runs the activity in a context that names its workflow.
func (i *identifyActivity) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	at := activity.GetInfo(ctx).WorkflowExecution
	return i.Next.ExecuteActivity(telemetry.WithWorkflow(ctx, at.ID, at.RunID), in)
}
