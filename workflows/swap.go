package workflows

import (
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/swap"
)

// SwapWorkflowID is the workflow ID of a merchant's swap.
func SwapWorkflowID(swapID string) string { return "swap-" + swapID }

// Names that callers of the swap workflow use.
const (
	// CreateSwapUpdate carries CreateSwap and completes once the swap is in the database; a
	// refusal is an application error of a Refused type. One order is sent, even if the
	// update comes often.
	CreateSwapUpdate = "create"
	// PollSwapUpdate completes once the provider has been asked, or did not answer.
	PollSwapUpdate = "poll"
)

// SwapInput names the swap that the workflow carries.
type SwapInput struct {
	SwapID     string
	MerchantID string
	// Resume is set on a run for an existing swap: a payout made it, or a long history was
	// cut.
	Resume bool
}

// CreateSwap is the argument of CreateSwapUpdate, checked by the caller.
type CreateSwap = sending.SwapRequest

// askedJustNow is how long an answer of the provider counts as current.
const askedJustNow = 2 * time.Second

// Swap carries one swap of a merchant from the order to its end. It asks the provider for
// the state of the swap: often while it changes, seldom while it does not, and at once
// when the merchant asks. It keeps asking a provider that is away. phases.md has its
// phases.
func Swap(ctx workflow.Context, in SwapInput) error {
	run := &swapRun{in: in, machine: machine[swapPhase, swapEvent]{"Swap", swapUnordered}, sentUntil: now(ctx)}
	if in.Resume {
		run.phase = swapSought
	}
	if err := errors.Join(
		run.answerPhase(ctx),
		workflow.SetUpdateHandler(ctx, CreateSwapUpdate, run.create),
		workflow.SetUpdateHandler(ctx, PollSwapUpdate, run.poll),
	); err != nil {
		return err
	}
	return run.walk(ctx, steps[swapPhase]{
		swapUnordered: run.awaitOrder, swapOrdering: func(ctx workflow.Context) error { run.place(ctx); return nil },
		swapLost: run.find, swapSought: run.find, swapWaiting: run.wait, swapPolling: run.ask,
	}, func(ctx workflow.Context) (bool, error) { return true, finishUpdates(ctx) })
}

type swapRun struct {
	machine[swapPhase, swapEvent]

	in    SwapInput
	state payouts.SwapState
	// order is the requested order; nil before that. refusal is why there is no swap.
	order   *CreateSwap
	refusal error
	// sentUntil is when the order was sent; before that, when the run began. No attempt of
	// an earlier order is younger.
	sentUntil time.Time
	// pollRequested is set while a merchant waits for an answer of the provider. polls counts
	// the questions to the provider, and asked is the time of the last one.
	pollRequested bool
	polls         int
	asked         time.Time
	// shown and alarmed are the status and alarm that operators saw last.
	shown   swap.Status
	alarmed bool
}

// create is the update that orders the swap. A second caller gets the outcome of the
// first.
func (r *swapRun) create(ctx workflow.Context, req CreateSwap) error {
	if r.in.Resume {
		return nil
	}
	if r.order == nil && r.phase == swapOver {
		return errors.New("the run has ended: order anew")
	}
	if r.order == nil {
		r.order = &req
	}
	if err := workflow.Await(ctx, func() bool { return r.phase.answered() }); err != nil {
		return err
	}
	return r.refusal
}

// poll is the update by which a merchant has the provider asked now. Further polls
// meanwhile share the answer.
func (r *swapRun) poll(ctx workflow.Context) error {
	if err := workflow.Await(ctx, func() bool { return r.phase.exists() || r.phase == swapOver }); err != nil {
		return err
	}
	if r.phase == swapOver || r.state.Closed || workflow.Now(ctx).Sub(r.asked) < askedJustNow {
		return nil
	}
	r.pollRequested = r.pollRequested || r.phase == swapWaiting
	before := r.polls
	return workflow.Await(ctx, func() bool { return r.polls > before || r.phase == swapOver })
}

// awaitOrder waits for the update that the run was started with.
func (r *swapRun) awaitOrder(ctx workflow.Context) error {
	ordered := func() bool { return r.order != nil }
	err := awaitWithTimeout(ctx, ordered, Unasked)
	switch {
	case err != nil:
		return err
	case ordered():
		r.on(ctx, swapRequested)
	default:
		r.on(ctx, swapUnasked)
	}
	return nil
}

// place orders the swap, once for the run.
func (r *swapRun) place(ctx workflow.Context) {
	var a *payouts.Swaps
	r.sentUntil = now(ctx)
	r.refusal = forOrder.at(OutsideQueue).start(ctx, a.PlaceSwap, sending.PlaceSwap{
		SwapID: r.in.SwapID, MerchantID: r.in.MerchantID, SwapRequest: *r.order, Now: r.sentUntil,
	}).Get(ctx, &r.state)
	switch _, refused := refusals.Of(r.refusal); {
	case r.refusal == nil:
		r.on(ctx, swapMade)
	case refused:
		r.on(ctx, swapRefused)
	default:
		r.on(ctx, swapFaulted)
	}
}

// find looks for a swap that an order created although its answer was lost, or that a
// payout or an earlier run created. If there is none, an order that came meanwhile is
// sent next.
func (r *swapRun) find(ctx workflow.Context) error {
	var a *payouts.Swaps
	err := forDatabase.start(ctx, a.FindSwap, sending.SwapOrder{
		SwapID: r.in.SwapID, MerchantID: r.in.MerchantID, SentUntil: r.sentUntil,
	}).Get(ctx, &r.state)
	switch {
	case refusals.Is(err, refusals.Missing) && r.phase == swapSought && r.order != nil:
		r.on(ctx, swapRequested)
	case refusals.Is(err, refusals.Missing):
		r.on(ctx, swapMissing)
	case err != nil:
		return err
	default:
		r.refusal = nil
		r.on(ctx, swapFound)
	}
	return nil
}

// wait waits until the provider is due to be asked, unless the swap is closed.
func (r *swapRun) wait(ctx workflow.Context) error {
	if err := r.publish(ctx); err != nil {
		return err
	}
	if r.state.Closed {
		r.on(ctx, swapClosed)
		return nil
	}
	if !isLong(ctx) {
		if err := awaitWithTimeout(ctx, func() bool { return r.pollRequested || isLong(ctx) }, r.pause(ctx)); err != nil {
			return err
		}
	}
	if isLong(ctx) {
		if err := r.continueAsNew(ctx); err != nil {
			return err
		}
	}
	if r.pollRequested {
		r.on(ctx, swapPollRequested)
	} else {
		r.on(ctx, swapDue)
	}
	return nil
}

// continueAsNew continues in a fresh history, unless a merchant polls before that. No update
// is interrupted.
func (r *swapRun) continueAsNew(ctx workflow.Context) error {
	err := workflow.Await(ctx, func() bool { return r.pollRequested || workflow.AllHandlersFinished(ctx) })
	if err != nil || r.pollRequested {
		return err
	}
	return workflow.NewContinueAsNewError(ctx, Swap, SwapInput{SwapID: r.in.SwapID, MerchantID: r.in.MerchantID, Resume: true})
}

func (r *swapRun) pause(ctx workflow.Context) time.Duration {
	return swap.Pause(swap.Swap{Status: r.state.Status, QuietSince: r.state.QuietSince}, workflow.Now(ctx))
}

// ask asks the provider once.
func (r *swapRun) ask(ctx workflow.Context) error {
	var a *payouts.Swaps
	err := forPolling.start(ctx, a.PollSwap, payouts.SwapTask{SwapID: r.in.SwapID}).Get(ctx, &r.state)
	if refusals.Is(err, refusals.Missing) { // the swap had ended, and retention removed it before this look
		r.state.Closed, err = true, nil
	}
	if err != nil {
		return err
	}
	r.pollRequested, r.asked = false, workflow.Now(ctx)
	r.polls++
	r.on(ctx, swapPolled)
	return nil
}

// publish shows operators the state of the swap.
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

// startSwap starts the workflow of an existing swap.
func startSwap(ctx workflow.Context, merchantID, swapID string) error {
	return startChild(ctx, workflow.ChildWorkflowOptions{
		WorkflowID: SwapWorkflowID(swapID), TypedSearchAttributes: temporal.NewSearchAttributes(MerchantIDKey.ValueSet(merchantID)),
	}, Swap, SwapInput{SwapID: swapID, MerchantID: merchantID, Resume: true})
}
