package exchangeapi

import (
	"context"
	"errors"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/workflows"
)

// createWait is how long a client waits for its trade. The workflow continues after the wait
// ends, and a repeated request finds its trade.
const createWait = 25 * time.Second

// createTrade creates a trade by one update-with-start. The trade is in the database when this
// returns. It returns a trade.LimitError if the amount is refused, and an application error of
// a Refused type for any other refusal. Concurrent calls get the same result.
func (f *Front) createTrade(ctx context.Context, id string, req workflows.CreateTrade) error {
	ctx, cancel := context.WithTimeout(ctx, max(createWait, f.Patience))
	defer cancel()
	op := f.Temporal.NewWithStartWorkflowOperation(client.StartWorkflowOptions{
		ID: workflows.TradeWorkflowID(id), TaskQueue: workflows.ExchangeQueue,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		TypedSearchAttributes: temporal.NewSearchAttributes(
			workflows.TradeStatusKey.ValueSet(string(trade.AwaitingDeposit)), workflows.StuckKey.ValueSet(false),
		),
	}, workflows.Trade, workflows.TradeInput{TradeID: id, Shown: true})
	handle, err := f.Temporal.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: op,
		UpdateOptions: client.UpdateWorkflowOptions{
			UpdateID: id, UpdateName: workflows.CreateTradeUpdate, Args: []any{req},
			WaitForStage: client.WorkflowUpdateStageCompleted,
		},
	})
	if err != nil {
		return limitOf(err)
	}
	return limitOf(handle.Get(ctx, nil))
}

// limitOf returns the quoter's error if a workflow refused an amount. It returns all other
// errors unchanged.
func limitOf(err error) error {
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	if !ok || app.Type() != refusals.Limits {
		return err
	}
	var limits workflows.RefusedAmounts
	if detailErr := app.Details(&limits); detailErr != nil {
		return errors.Join(err, detailErr)
	}
	return &trade.LimitError{Below: limits.Below, Limits: trade.Limits{Min: limits.Min, Max: limits.Max}}
}
