package workflows_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/upkeep"
	"github.com/durapay/durapay/workflows"
)

// TestADaemonThatIsAwayFailsNoSearch: the next run asks again whether the network forks.
func TestADaemonThatIsAwayFailsNoSearch(t *testing.T) {
	t.Parallel()
	env := environment()
	env.RegisterActivity(&upkeep.Overdue{})
	env.OnActivity("CheckOverdue", mock.Anything).Return(3, nil).Once()
	env.OnActivity("CheckFork", mock.Anything).Return(errors.New("the daemon is away"))
	env.ExecuteWorkflow(workflows.Overdue)
	require.NoError(t, env.GetWorkflowError())
}
