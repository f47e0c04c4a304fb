package service

import (
	"context"
	"net/http"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/swap"
	"github.com/durapay/durapay/workflows"
	"github.com/durapay/durapay/workflows/dispatch"
)

// These are the times that a client waits for the first result of a workflow. The workflow
// continues after the wait ends.
const (
	shortWait = 15 * time.Second
	sweepWait = 60 * time.Second
	// orderWait is a little longer than a provider may take to answer. pollWait is how long a
	// merchant waits for a provider's current state.
	orderWait = 45 * time.Second
	pollWait  = 10 * time.Second
)

// retryBacklog is the wait after which a client may try again while too many charges wait for
// their workflows.
const retryBacklog = 30 * time.Second

// Workflows starts workflows. A method that waits for a result makes one update-with-start: it
// starts the workflow, unless it runs already, and waits for the result of the update. The error
// of a refusal contains an application error of a Refused type.
type Workflows struct {
	Client client.Client
	// MinWait is the minimum time that a client waits. 0 means the default times.
	MinWait time.Duration
	// Charges creates charges.
	Charges *chargestore.Charges
	// Wakeups sends the wakeups of new charges; nil leaves that to the workers.
	Wakeups *outbox.Queue
	Clock   func() time.Time
}

// CreateCharge inserts a charge and returns its current row. This process or a worker starts the
// charge's workflow right afterwards, so the request does not wait for Temporal. While too many
// charges wait for their workflows, CreateCharge returns 503.
func (e Workflows) CreateCharge(ctx context.Context, req chargestore.New) (charge.Charge, error) {
	if e.Wakeups != nil && e.Wakeups.Full(req.MerchantID) {
		return charge.Charge{}, &httpapi.Problem{
			Text: "too many charges wait for their workflows, try again later", Status: http.StatusServiceUnavailable, RetryAfter: retryBacklog,
		}
	}
	req.Now = e.now()
	made, err := e.Charges.Create(ctx, req)
	if err == nil && e.Wakeups != nil {
		e.Wakeups.Offer(outbox.NewCharge(req.ChargeID, req.MerchantID))
	}
	return made, err
}

// Sweep sends a payout. When it returns, the daemon has the transaction.
func (e Workflows) Sweep(ctx context.Context, in workflows.PayoutInput) error {
	row := dispatch.Row{Kind: outbox.Payouts, ID: in.PayoutID, MerchantID: in.MerchantID, Input: in}
	return e.ask(ctx, sweepWait, row, dispatch.Update{Name: workflows.SweepUpdate}, nil)
}

// CreateSwap orders a swap. When it returns, the swap is in the database. A second call
// meanwhile waits for the same order.
func (e Workflows) CreateSwap(ctx context.Context, in workflows.SwapInput, req workflows.CreateSwap) error {
	return e.ask(ctx, orderWait, swapRow(in), swapUpdate(workflows.CreateSwapUpdate, req), nil)
}

// PollSwap asks the provider of a swap for its state now. If no workflow follows the swap,
// PollSwap starts one.
func (e Workflows) PollSwap(ctx context.Context, in workflows.SwapInput) error {
	return e.ask(ctx, pollWait, swapRow(in), swapUpdate(workflows.PollSwapUpdate), nil)
}

func swapRow(in workflows.SwapInput) dispatch.Row {
	return dispatch.Row{Kind: outbox.Swaps, ID: in.SwapID, MerchantID: in.MerchantID, Input: in}
}

func swapUpdate(name string, args ...any) dispatch.Update {
	return dispatch.Update{Name: name, Args: args, Attributes: []temporal.SearchAttributeUpdate{workflows.SwapStatusKey.ValueSet(string(swap.Waiting))}}
}

// AcceptUnderpaid confirms a charge with the amount received so far. When it returns, the charge
// is confirmed.
func (e Workflows) AcceptUnderpaid(ctx context.Context, caller access.Key, chargeID string) error {
	return access.ChangeByKey(ctx, e.Charges.Store, caller, func(q *db.Queries) error {
		return e.Charges.AcceptUnderpaid(ctx, q, chargeID, e.now())
	})
}

// Mark records the merchant's mark of a charge. When it returns, the charge is marked.
func (e Workflows) Mark(ctx context.Context, caller access.Key, chargeID string, mark charge.Mark) error {
	return access.ChangeByKey(ctx, e.Charges.Store, caller, func(q *db.Queries) error {
		return e.Charges.Mark(ctx, q, chargeID, mark, e.now())
	})
}

// now is the time that the rows of a change have.
func (e Workflows) now() time.Time { return e.Clock().UTC().Truncate(time.Millisecond) }

// ClaimRefund takes a claim and returns its identifier. If the same was claimed earlier, it
// returns the identifier of that claim.
func (e Workflows) ClaimRefund(ctx context.Context, merchantID, refundID string, req workflows.ClaimRefund) (string, error) {
	var made workflows.ClaimedRefund
	row := dispatch.Row{Kind: outbox.Refunds, ID: refundID, MerchantID: merchantID}
	err := e.ask(ctx, shortWait, row, dispatch.Update{Name: workflows.ClaimRefundUpdate, Args: []any{req}}, &made)
	return made.ClaimID, err
}

// GivePayment has a payment of a claim checked, from the shop's own wallet. When it returns, the
// payment is recorded.
func (e Workflows) GivePayment(ctx context.Context, merchantID, refundID string, req workflows.GivePayment) error {
	row := dispatch.Row{Kind: outbox.Refunds, ID: refundID, MerchantID: merchantID}
	return e.ask(ctx, shortWait, row, dispatch.Update{Name: workflows.GivePaymentUpdate, Args: []any{req}}, nil)
}

func (e Workflows) ask(ctx context.Context, wait time.Duration, row dispatch.Row, u dispatch.Update, result any) error {
	ctx, cancel := context.WithTimeout(ctx, max(wait, e.MinWait))
	defer cancel()
	return dispatch.Dispatcher{Client: e.Client}.Ask(ctx, row, u, result)
}
