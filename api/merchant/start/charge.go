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

// retryBacklog is the wait after which a client may try again while too many charges wait for
// their workflows.
const retryBacklog = 30 * time.Second

// CreateCharge inserts a charge and returns its current row. This process or a worker starts the
// charge's workflow right afterwards, so the request does not wait for Temporal. While too many
// charges wait for their workflows, CreateCharge returns 503.
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

// Wanted starts the workflow of an outbox row. It succeeds if that workflow is running or has
// finished. It starts the workflow again if the last run failed or an operator ended it.
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
