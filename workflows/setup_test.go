package workflows_test

import (
	"time"

	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
)

// maxWait is how long a test may take on a slow machine.
const maxWait = 8 * time.Minute

// environment runs one workflow with time that skips and with production's own
// options. The SDK ends a test after three seconds of the machine's time
// without progress, and takes one second without progress for a deadlock, so a
// test gets maxWait instead. Log entries go to the given logger, if there is one.
func environment(logger ...log.Logger) *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	if len(logger) > 0 {
		suite.SetLogger(logger[0])
	}
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(maxWait)
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: maxWait})
	return env
}

// fault is an error of an activity that is no refusal, as Temporal hands it
// to a workflow: of the type of the Go error.
func fault() error { return temporal.NewApplicationError("connection lost", "ConnectError") }
