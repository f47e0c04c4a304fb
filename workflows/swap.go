package workflows

import (
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/swap"
)

// SwapWorkflowID is the workflow ID of a merchant's swap.
func SwapWorkflowID(swapID string) string { return "swap-" + swapID }

// Names that callers of the swap workflow use.
const (
	// CreateSwapUpdate carries CreateSwap and completes once the swap is in the
	// database; a refusal is an application error of a Refused type. However often
	// it comes, one order is sent.
	CreateSwapUpdate = "create"
	// PollSwapUpdate completes once the provider has been asked, or did not answer.
	PollSwapUpdate = "poll"
)

// SwapInput names the swap that the workflow carries.
type SwapInput struct {
	SwapID     string
	MerchantID string
	// Resume is set on a run for a swap that exists already: one that a payout
	// made, or a long history that was cut.
	Resume bool
	// Unasked is for how long the run waits for the update that it was started
	// with, see awaitUpdate; 0 for ever.
	Unasked time.Duration
}

// CreateSwap is the argument of CreateSwapUpdate, checked by the caller.
type CreateSwap struct {
	// Provider is who offered the swap, Route and Reference what it named with
	// its offer.
	Provider, Route, Reference string
	From, To                   coin.Coin
	Amount                     money.Decimal
	// LeastAmountTo is what was offered.
	LeastAmountTo   money.Decimal
	Address, Refund string
}

// askedJustNow is for how long an answer of the provider counts as one of now.
const askedJustNow = 2 * time.Second

// Swap carries one swap of a merchant from the order to its end: it asks the
// provider where the swap stands, often while it moves and seldom while it
// does not, and at once when the merchant asks. A provider that is away is
// asked on for as long as that lasts.
func Swap(ctx workflow.Context, in SwapInput) error {
	run := &swapRun{in: in}
	if err := workflow.SetUpdateHandler(ctx, CreateSwapUpdate, run.create); err != nil {
		return err
	}
	if err := workflow.SetUpdateHandler(ctx, PollSwapUpdate, run.poll); err != nil {
		return err
	}
	if err := run.begin(ctx); err != nil {
		return err
	}
	if run.gone {
		return finishUpdates(ctx)
	}
	return run.follow(ctx)
}

type swapRun struct {
	in    SwapInput
	state activities.SwapState
	// begun and answered say that the order was sent and answered; refusal is why
	// there is no swap.
	begun, answered bool
	refusal         error
	// found says that the swap exists, gone that it never will.
	found, gone bool
	// asking is set while the provider is being asked, woken once it was for a
	// merchant.
	asking, woken bool
	// asked is when the provider was last asked, by this workflow's clock.
	asked   time.Time
	shown   swap.Status
	alarmed bool
}

// create is the update that orders the swap; whoever comes second gets the
// outcome of the first.
func (r *swapRun) create(ctx workflow.Context, req CreateSwap) error {
	if r.in.Resume {
		return nil
	}
	if r.begun {
		if err := workflow.Await(ctx, func() bool { return r.answered }); err != nil {
			return err
		}
		return r.refusal
	}
	r.begun = true
	var a *activities.Swaps
	r.refusal = workflow.ExecuteActivity(orderContext(ctx), a.PlaceSwap, activities.PlaceSwap{
		SwapID: r.in.SwapID, MerchantID: r.in.MerchantID, Provider: req.Provider, Route: req.Route, Reference: req.Reference,
		From: req.From, To: req.To, Amount: req.Amount, LeastAmountTo: req.LeastAmountTo, Address: req.Address, Refund: req.Refund,
		Now: now(ctx),
	}).Get(ctx, &r.state)
	r.answered, r.found = true, r.refusal == nil
	_, r.gone = refusals.Of(r.refusal)
	return r.refusal
}

// begin returns once the swap exists, or never will. An order that ended in a
// fault, or was lost, may have left a swap behind with nobody told.
func (r *swapRun) begin(ctx workflow.Context) error {
	if !r.in.Resume {
		if err := awaitUpdate(ctx, r.in.Unasked, &r.begun, &r.answered); err != nil || r.found || r.gone {
			return err
		}
	}
	var a *activities.Swaps
	err := workflow.ExecuteLocalActivity(databaseContext(ctx), a.FindSwap, activities.SwapTask{SwapID: r.in.SwapID}).Get(ctx, &r.state)
	if refusals.Is(err, refusals.Missing) {
		var canceled error
		if r.begun { // it may have begun meanwhile
			canceled = workflow.Await(ctx, func() bool { return r.answered })
		}
		r.gone = !r.found
		return canceled
	}
	r.found = err == nil
	return err
}

// follow asks the provider until nothing more will happen.
func (r *swapRun) follow(ctx workflow.Context) error {
	for {
		if err := r.publish(ctx); err != nil {
			return err
		}
		if r.state.Closed {
			return finishUpdates(ctx)
		}
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			if err := finishUpdates(ctx); err != nil {
				return err
			}
			return workflow.NewContinueAsNewError(ctx, Swap, SwapInput{SwapID: r.in.SwapID, MerchantID: r.in.MerchantID, Resume: true})
		}
		if err := awaitNews(ctx, func() bool { return r.woken }, r.pause(ctx)); err != nil {
			return err
		}
		if r.woken {
			r.woken = false
			continue
		}
		if err := r.ask(ctx); err != nil {
			return err
		}
	}
}

func (r *swapRun) pause(ctx workflow.Context) time.Duration {
	return swap.Pause(swap.Swap{Status: r.state.Status, QuietSince: r.state.QuietSince}, workflow.Now(ctx))
}

// ask asks the provider once; whoever wants the same meanwhile waits for it.
func (r *swapRun) ask(ctx workflow.Context) error {
	if r.asking {
		return workflow.Await(ctx, func() bool { return !r.asking })
	}
	r.asking = true
	defer func() { r.asking, r.asked = false, workflow.Now(ctx) }()
	var a *activities.Swaps
	err := workflow.ExecuteActivity(pollContext(ctx), a.PollSwap, activities.SwapTask{SwapID: r.in.SwapID}).Get(ctx, &r.state)
	if refusals.Is(err, refusals.Missing) { // it had ended, and retention was faster than this look
		r.state.Closed = true
		return nil
	}
	return err
}

// poll is the update by which a merchant has the provider asked now.
func (r *swapRun) poll(ctx workflow.Context) error {
	if err := workflow.Await(ctx, func() bool { return r.found || r.gone }); err != nil || r.gone {
		return err
	}
	if r.state.Closed || workflow.Now(ctx).Sub(r.asked) < askedJustNow {
		return nil
	}
	defer func() { r.woken = true }()
	return r.ask(ctx)
}

// publish shows operators where the swap stands.
func (r *swapRun) publish(ctx workflow.Context) error {
	workflow.SetCurrentDetails(ctx, r.details())
	if r.shown == r.state.Status && r.alarmed == r.state.Alarm {
		return nil
	}
	r.shown, r.alarmed = r.state.Status, r.state.Alarm
	return workflow.UpsertTypedSearchAttributes(ctx, MerchantIDKey.ValueSet(r.state.MerchantID),
		SwapStatusKey.ValueSet(string(r.shown)), StuckKey.ValueSet(r.alarmed))
}

func (r *swapRun) details() string {
	s := r.state
	text := fmt.Sprintf("**Swap %s** %s\n\n| | |\n|---|---|\n| pair | %s |\n| provider | %s |\n| amount | %s for %s |\n"+
		"| deposit until | %s |\n| the same since | %s |\n| last answer | %s |\n",
		r.in.SwapID, s.Status, s.Pair, s.Provider, s.AmountFrom, s.Expected,
		s.ExpiresAt.Format(time.RFC3339), s.QuietSince.Format(time.RFC3339), s.HeardAt.Format(time.RFC3339))
	if s.Detail != "" {
		text += "\n" + s.Detail + "\n"
	}
	if s.Alarm {
		text += "\nAn operator must look at it: see the alert.\n"
	}
	return text
}

// startSwap gives a swap that exists a workflow of its own that outlives its
// parent. One that runs already is left alone.
func startSwap(ctx workflow.Context, merchantID, swapID string) error {
	child := workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID: SwapWorkflowID(swapID), ParentClosePolicy: enumspb.PARENT_CLOSE_POLICY_ABANDON,
	})
	err := workflow.ExecuteChildWorkflow(child, Swap, SwapInput{SwapID: swapID, MerchantID: merchantID, Resume: true}).
		GetChildWorkflowExecution().Get(ctx, nil)
	if _, running := errors.AsType[*temporal.ChildWorkflowExecutionAlreadyStartedError](err); running {
		return nil
	}
	return err
}
