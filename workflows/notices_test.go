package workflows_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/mails"
	"github.com/durapay/durapay/workflows"
)

func TestNoticesAreGatheredUntilThatWorks(t *testing.T) {
	t.Parallel()
	env := environment()
	env.RegisterActivity(&mails.Handler{})
	tries := 0
	env.OnActivity("GatherNotices", mock.Anything).Return(func(context.Context) (int, error) {
		if tries++; tries < 3 {
			return 0, errors.New("the database is away")
		}
		return 5, nil
	})
	env.ExecuteWorkflow(workflows.Notices)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, 3, tries)
}
