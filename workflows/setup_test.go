package workflows_test

import (
	"time"

	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// patience is how long a test may take, and an activity in it: the library's
// limits for both are of the machine's time, not of that which skips.
const patience = 5 * time.Minute

// environment runs one workflow with time that skips. A test may take as long
// as the machine needs: three seconds of no progress are the library's limit.
// What is logged goes to the logger that is given, if any.
func environment(logger ...log.Logger) *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	if len(logger) > 0 {
		suite.SetLogger(logger[0])
	}
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(patience)
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{&unhurried{}}})
	return env
}

// unhurried lets activities take as long as the machine needs. How often and
// for how long they are tried again stays as it is.
type unhurried struct {
	interceptor.WorkerInterceptorBase
}

// InterceptWorkflow is called for each workflow.
func (*unhurried) InterceptWorkflow(_ workflow.Context, next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	return &unhurriedWorkflow{interceptor.WorkflowInboundInterceptorBase{Next: next}}
}

type unhurriedWorkflow struct {
	interceptor.WorkflowInboundInterceptorBase
}

// Init puts itself before what the workflow calls.
func (w *unhurriedWorkflow) Init(outbound interceptor.WorkflowOutboundInterceptor) error {
	return w.Next.Init(&unhurriedCalls{interceptor.WorkflowOutboundInterceptorBase{Next: outbound}})
}

type unhurriedCalls struct {
	interceptor.WorkflowOutboundInterceptorBase
}

// ExecuteActivity takes the limits of one attempt away.
func (c *unhurriedCalls) ExecuteActivity(ctx workflow.Context, name string, args ...any) workflow.Future {
	o := workflow.GetActivityOptions(ctx)
	o.HeartbeatTimeout, o.StartToCloseTimeout = 0, attemptTime(o.ScheduleToCloseTimeout)
	return c.Next.ExecuteActivity(workflow.WithActivityOptions(ctx, o), name, args...)
}

// ExecuteLocalActivity does the same.
func (c *unhurriedCalls) ExecuteLocalActivity(ctx workflow.Context, name string, args ...any) workflow.Future {
	o := workflow.GetLocalActivityOptions(ctx)
	o.StartToCloseTimeout = attemptTime(o.ScheduleToCloseTimeout)
	return c.Next.ExecuteLocalActivity(workflow.WithLocalActivityOptions(ctx, o), name, args...)
}

// attemptTime is how long one attempt may take: no longer than all together.
func attemptTime(all time.Duration) time.Duration {
	if all > 0 {
		return min(all, patience)
	}
	return patience
}

// fault is an error of an activity that is no refusal, as Temporal hands it
// to a workflow: of the type of the Go error.
func fault() error { return temporal.NewApplicationError("connection lost", "ConnectError") }
