package workflows_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/charges"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/workflows"
)

// TestARunOfAChargeStartsAShareOfItsDeliveries: who sends much dust makes many, and
// while the receivers are away all are under way. Each is started once, by one run or
// another, whichever look finds it.
func TestARunOfAChargeStartsAShareOfItsDeliveries(t *testing.T) {
	t.Parallel()
	const many = 250
	unsent := make([]string, many)
	for i := range unsent {
		unsent[i] = fmt.Sprintf("whd_%024d", i)
	}
	started := map[string]int{}
	var shares []int
	in := input()
	for in.Resume = true; ; {
		env := environment()
		env.RegisterWorkflow(workflows.Delivery)
		env.RegisterActivity(&charges.Handler{})
		looks, share := 0, 0
		env.OnActivity("AdvanceCharge", mock.Anything, mock.Anything).Return(
			func(context.Context, charges.AdvanceCharge) (charges.ChargeState, error) {
				state := charges.ChargeState{Status: charge.Pending, ExpiresAt: env.Now(), Deliveries: unsent}
				if looks++; looks > 1 {
					state.Status = charge.Expired
				}
				return state, nil
			})
		env.OnWorkflow(workflows.Delivery, mock.Anything, mock.Anything).Return(
			func(_ workflow.Context, in workflows.DeliveryInput) error {
				started[in.ID]++
				share++
				return nil
			})
		env.ExecuteWorkflow(workflows.Charge, in)
		shares = append(shares, share)
		next, again := errors.AsType[*workflow.ContinueAsNewError](env.GetWorkflowError())
		if !again {
			require.NoError(t, env.GetWorkflowError())
			require.Equal(t, 2, looks, "nothing is started at the second look that was at the first")
			break
		}
		require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(next.Input, &in))
		require.Len(t, in.Started, len(started))
	}
	require.Equal(t, []int{100, 100, 50}, shares)
	for _, id := range unsent {
		require.Equal(t, 1, started[id], id)
	}
}
