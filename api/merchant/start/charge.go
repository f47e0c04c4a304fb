package start

import (
	"context"
	"errors"
	"net/http"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/temporal"

	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/workflows"
)

// retryBacklog is after how long a client may ask again while too much waits for its
// workflow.
const retryBacklog = 30 * time.Second

// CreateCharge makes a charge and returns it as it is in the database now. This process
// or a worker starts its workflow right after: nobody waits for Temporal.
func (e Workflows) CreateCharge(ctx context.Context, req workflows.CreateCharge) (charge.Charge, error) {
	if e.Starts != nil && e.Starts.Full() {
		return charge.Charge{}, &answer.Problem{
			Text: "too many charges wait for their workflows, try again later", Status: http.StatusServiceUnavailable, RetryAfter: retryBacklog,
		}
	}
	req.Now = e.Clock().UTC().Truncate(time.Millisecond)
	made, err := e.MakeCharge(ctx, req)
	if err != nil {
		return charge.Charge{}, err
	}
	if e.Starts != nil {
		e.Starts.Offer(db.WorkflowStart{ID: req.ChargeID, Kind: "charge", MerchantID: req.MerchantID, Mode: string(req.Mode)})
	}
	return made, nil
}

// Wanted starts the workflow that a row asks for. One that runs, or has finished, is no
// error. One that failed or was ended by an operator is started again.
func (e Workflows) Wanted(ctx context.Context, row db.WorkflowStart) error {
	op := chargeRun(row.ID)
	op.options.WorkflowIDReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY
	op.options.EnableEagerStart, op.options.Priority = e.Eager, workflows.TurnOf(row.MerchantID)
	op.options.TypedSearchAttributes = temporal.NewSearchAttributes(
		workflows.MerchantIDKey.ValueSet(row.MerchantID), workflows.ChargeStatusKey.ValueSet(string(charge.Pending)),
		workflows.SandboxKey.ValueSet(config.Mode(row.Mode) == config.Sandbox),
	)
	_, err := e.Client.ExecuteWorkflow(ctx, op.options, op.workflow, op.input)
	if _, before := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); before {
		return nil
	}
	return err
}
