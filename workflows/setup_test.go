package workflows_test

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
)

// environment runs one workflow with time that skips. A test may take as long
// as the machine needs: three seconds of no progress are the library's limit.
func environment() *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(5 * time.Minute)
	return env
}

// fault is an error of an activity that is no refusal, as the engine hands it
// to a workflow: of the type of the Go error.
func fault() error { return temporal.NewApplicationError("connection lost", "ConnectError") }
