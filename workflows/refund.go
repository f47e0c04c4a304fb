package workflows

import (
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/refusals"
)

// RefundWorkflowID is the workflow ID of a refund.
func RefundWorkflowID(refundID string) string { return "refund-" + refundID }

// Names that callers of the refund workflow use.
const (
	// ClaimRefundUpdate carries ClaimRefund and returns ClaimedRefund; a refusal is an
	// application error of a Refused type, as of all updates.
	ClaimRefundUpdate = "claim"
	// GivePaymentUpdate carries GivePayment.
	GivePaymentUpdate = "payment"
	// FundsSignal is sent when the refund was changed, or when money that claims wait for
	// may have come.
	FundsSignal = "funds"
	// ClaimMovedSignal is sent when the payout of a claim was sent, confirmed or failed.
	ClaimMovedSignal = "claim-moved"
)

// RefundInput names the refund that the workflow carries.
type RefundInput struct {
	RefundID   string
	MerchantID string
}

type (
	// ClaimRefund is the argument of ClaimRefundUpdate, checked by the caller. The run
	// itself sets the refund and the time.
	ClaimRefund = payouts.ClaimRefund
	// GivePayment is the argument of GivePaymentUpdate. The run itself sets the refund and the
	// time.
	GivePayment = payouts.GivePayment
	// ClaimedRefund is the result of ClaimRefundUpdate.
	ClaimedRefund = payouts.ClaimedRefund
)

// refundRecheck bounds the wait of a refund whose claims wait for something. The watcher
// signals money, and the payouts signal their ends.
const refundRecheck = time.Hour

// Refund carries one refund to its end. It takes claims, and starts a payout for each
// claim that may be paid. The payout writes the outcome of the claim. Of a claim that the
// shop pays itself, the run takes the payment and follows it until it is final.
func Refund(ctx workflow.Context, in RefundInput) error {
	run := &refundRun{
		in: in, machine: machine[refundPhase, refundEvent]{"Refund", refundLooking}, due: true,
		funds: workflow.GetSignalChannel(ctx, FundsSignal), moved: workflow.GetSignalChannel(ctx, ClaimMovedSignal),
	}
	if err := run.setHandlers(ctx); err != nil {
		return err
	}
	return run.walk(ctx, steps[refundPhase]{refundLooking: run.look, refundFollowing: run.follow, refundOpen: run.wait, refundPaying: run.pay}, run.finish)
}

type refundRun struct {
	machine[refundPhase, refundEvent]

	in           RefundInput
	requests     requests
	funds, moved workflow.ReceiveChannel
	state        payouts.RefundState
	// asked is set when a claim may have changed the refund since the last look.
	asked bool
	// due is set when it is time to look.
	due bool
	// followed is set after the daemon was asked for the shop's payments.
	followed bool
}

func (r *refundRun) setHandlers(ctx workflow.Context) error {
	return errors.Join(
		r.answerPhase(ctx),
		workflow.SetUpdateHandler(ctx, ClaimRefundUpdate, func(ctx workflow.Context, req ClaimRefund) (payouts.ClaimedRefund, error) {
			var made payouts.ClaimedRefund
			err := r.requests.submit(ctx, func(ctx workflow.Context) error { return r.claim(ctx, req, &made) })
			return made, err
		}),
		workflow.SetUpdateHandler(ctx, GivePaymentUpdate, func(ctx workflow.Context, req GivePayment) error {
			return r.requests.submit(ctx, func(ctx workflow.Context) error { return r.givePayment(ctx, req) })
		}),
	)
}

// claim writes a claim. A fault may come after the write, so the run looks at the refund
// then too.
func (r *refundRun) claim(ctx workflow.Context, req ClaimRefund, made *payouts.ClaimedRefund) error {
	var a *payouts.Handler
	req.RefundID, req.Now = r.in.RefundID, now(ctx)
	err := forCreation.start(ctx, a.ClaimRefund, req).Get(ctx, made)
	if _, refused := refusals.Of(err); !refused {
		r.asked = true
	}
	return err
}

// givePayment has a payment of the shop checked and recorded.
func (r *refundRun) givePayment(ctx workflow.Context, req GivePayment) error {
	var a *payouts.Handler
	req.RefundID, req.Now = r.in.RefundID, now(ctx)
	err := forCreation.start(ctx, a.GivePayment, req).Get(ctx, nil)
	if _, refused := refusals.Of(err); !refused {
		r.asked = true
	}
	return err
}

// follow asks where the payments of the shop are. While the daemon is away, the run waits for
// the next news or for its time, and takes claims meanwhile.
func (r *refundRun) follow(ctx workflow.Context) error {
	var a *payouts.Handler
	err := r.requests.get(ctx, forCreation.start(ctx, a.FollowPayments, payouts.FollowPayments{RefundID: r.in.RefundID, Now: now(ctx)}), nil)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		workflow.GetLogger(ctx).Warn("payments of the shop are not followed", "refund", r.in.RefundID, "error", err)
		r.on(ctx, refundUnfollowed)
	default:
		r.followed = true
		r.on(ctx, refundFollowed)
	}
	return nil
}

// look takes all signals at once, advances the refund's row and reads what to do next.
// The run retries claims that wait for money when money may have come, or when it is time.
func (r *refundRun) look(ctx workflow.Context) error {
	in := payouts.AdvanceRefund{RefundID: r.in.RefundID, Waiting: r.due || r.funds.Len() > 0, Now: now(ctx)}
	followed := r.followed && !r.asked
	r.asked, r.due, r.followed = false, false, false
	for r.funds.ReceiveAsync(nil) {
	}
	for r.moved.ReceiveAsync(nil) {
	}
	var a *payouts.Handler
	err := forDatabase.start(ctx, a.AdvanceRefund, in).Get(ctx, &r.state)
	if refusals.Is(err, refusals.Missing) {
		r.on(ctx, refundEnded)
		return nil
	}
	if err != nil {
		return err
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("**Refund %s** %s: %s XMR", r.in.RefundID, r.state.Status, r.state.Amount))
	if err := workflow.UpsertTypedSearchAttributes(ctx, MerchantIDKey.ValueSet(r.state.MerchantID)); err != nil {
		return err
	}
	switch {
	case r.state.Unsettled && !followed:
		r.on(ctx, refundUnsettled)
	case r.state.Status.Ended() && !r.state.Unsettled:
		r.on(ctx, refundEnded)
	case r.state.PayClaim != "":
		r.on(ctx, refundPayable)
	default:
		r.on(ctx, refundFound)
	}
	return nil
}

// pay starts the payout of a claim. If another payout pays the claim already, the new one
// is refused, because the database allows one payout that has not failed for each claim.
func (r *refundRun) pay(ctx workflow.Context) error {
	id := r.state.PayoutID
	if err := startChild(ctx, workflow.ChildWorkflowOptions{
		WorkflowID: PayoutWorkflowID(id), TypedSearchAttributes: temporal.NewSearchAttributes(MerchantIDKey.ValueSet(r.state.MerchantID)),
	}, Payout, PayoutInput{PayoutID: id, MerchantID: r.state.MerchantID, ClaimID: r.state.PayClaim, RefundID: r.in.RefundID}); err != nil {
		return err
	}
	r.on(ctx, refundPaid)
	return nil
}

// finish reports whether the run is over: every request is answered, and
// there is no reason to look.
func (r *refundRun) finish(ctx workflow.Context) (bool, error) {
	over, err := r.requests.finish(ctx)
	if err != nil || !r.mustLook() {
		return over, err
	}
	r.on(ctx, refundWoken)
	return false, nil
}

// mustLook reports whether a claim or a signal came since the last look.
func (r *refundRun) mustLook() bool { return r.asked || r.funds.Len() > 0 || r.moved.Len() > 0 }

// wait returns when there is a reason to look: a request, a signal or the time.
func (r *refundRun) wait(ctx workflow.Context) error {
	if err := r.requests.awaitWithTimeout(ctx, func() bool { return r.mustLook() || isLong(ctx) }, r.pause(ctx)); err != nil {
		return err
	}
	if isLong(ctx) {
		return r.continueAsNew(ctx)
	}
	r.due = !r.mustLook()
	r.on(ctx, refundWoken)
	return nil
}

// continueAsNew continues in a fresh history once every request is answered. The next run
// begins with a look.
func (r *refundRun) continueAsNew(ctx workflow.Context) error {
	if finished, err := r.requests.finish(ctx); !finished || err != nil {
		return err
	}
	return workflow.NewContinueAsNewError(ctx, Refund, r.in)
}

// pause returns how long nothing happens by itself. A payout that was started may be ended
// before it has reserved anything, and then nothing is signaled.
func (r *refundRun) pause(ctx workflow.Context) time.Duration {
	until := refundRecheck
	if r.state.NextAt != nil {
		until = r.state.NextAt.Sub(workflow.Now(ctx))
	}
	switch {
	case r.state.PayClaim != "", r.state.Unsettled:
		return min(until, recheck)
	case r.state.Status == refund.Open:
		return until // it waits for nothing but a claim
	default:
		return min(until, refundRecheck)
	}
}

type refundPhase string

const (
	// refundLooking: the run looks at the refund and its claims.
	refundLooking refundPhase = "looking"
	// refundFollowing: the run asks the daemon for payments of the shop.
	refundFollowing refundPhase = "following"
	// refundOpen: the refund waits for a claim, for the merchant, for money or for the
	// chain.
	refundOpen refundPhase = "open"
	// refundPaying: the run starts the payout of a claim.
	refundPaying refundPhase = "paying"
)

// refundEvent moves a run of Refund to another phase.
type refundEvent string

const (
	// refundWoken: a claim was answered and not refused, a signal came, or it is time to
	// look.
	refundWoken   refundEvent = "news"
	refundFound   refundEvent = "look: nothing to pay"
	refundPayable refundEvent = "look: a claim to pay"
	refundEnded   refundEvent = "look: ended or missing"
	refundPaid    refundEvent = "payout started"
	// refundUnsettled: a payment of the shop is not final.
	refundUnsettled  refundEvent = "look: a payment to follow"
	refundFollowed   refundEvent = "payments followed"
	refundUnfollowed refundEvent = "payments not followed"
)
