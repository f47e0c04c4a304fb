package exchangeapi

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/workflows"
	"github.com/durapay/durapay/workflows/dispatch"
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
	row := dispatch.Row{Kind: outbox.Trades, ID: id, Input: workflows.TradeInput{TradeID: id, Shown: true}}
	return limitOf(dispatch.Dispatcher{Client: f.Temporal}.Ask(ctx, row, dispatch.Update{
		Name: workflows.CreateTradeUpdate, Args: []any{req}, ID: id,
		Attributes: []temporal.SearchAttributeUpdate{
			workflows.TradeStatusKey.ValueSet(string(trade.AwaitingDeposit)), workflows.StuckKey.ValueSet(false),
		},
	}, nil))
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
