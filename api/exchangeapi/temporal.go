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

// createWait is how long a client waits for its trade. What was begun goes on
// when the wait ends: whoever repeats the request finds it.
const createWait = 25 * time.Second

// createTrade makes a trade by one update-with-start; it is in the database
// when this returns. A trade.LimitError where the amount is refused, an
// application error of a Refused type where all else is. Called twice at the same time, both get the one outcome.
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

// limitOf is the quoter's error where a workflow refused an amount, and the
// error itself everywhere else.
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
