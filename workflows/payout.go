package workflows

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/swap"
)

// PayoutWorkflowID is the workflow ID of a payout.
func PayoutWorkflowID(payoutID string) string { return "payout-" + payoutID }

// Names that callers of the payout workflow use.
const (
	// SweepUpdate completes once the daemon has the transaction; a refusal is an application
	// error of a Refused type.
	SweepUpdate = "sweep"
	// BlockSignal is sent when the chain has grown or changed.
	BlockSignal = "block"
	// ReleaseUpdate carries ReleasePayout, for a payout whose transaction a reorganization
	// dropped for good. It completes once the charges are free, or is refused with
	// refusals.Release.
	ReleaseUpdate = "release"
)

// ReleasePayout is the argument of ReleaseUpdate. The run itself sets the payout and the
// time.
type ReleasePayout = payouts.ReleasePayout

// PayoutInput names the payout and the merchant whose charges it sweeps.
type PayoutInput struct {
	PayoutID   string
	MerchantID string
	// Resume is set on a run for an existing payout: its workflow was lost with Temporal's
	// memory, or a long history was cut.
	Resume bool
	// Stuck is set if the cut history had shown the payout as stuck to operators.
	Stuck bool
	// ClaimID is the claim that the payout pays, together with the merchant, and RefundID is
	// the claim's refund. Such a payout gets no SweepUpdate.
	ClaimID, RefundID string `json:",omitempty"`
}

// recheck bounds the wait for a BlockSignal.
const recheck = 10 * time.Minute

// Payout sweeps a merchant's unlocked, unpaid charges in one transaction. It reserves
// them, and orders the swap that it pays if the merchant wants one. It builds the
// transaction once and stores the bytes. It relays the stored bytes until the daemon has
// them. Then it watches the transaction until it is deep enough.
func Payout(ctx workflow.Context, in PayoutInput) error {
	run := &payoutRun{in: in, machine: machine[payoutPhase, payoutEvent]{"Payout", payoutWaiting}, blocks: workflow.GetSignalChannel(ctx, BlockSignal)}
	switch {
	case in.Resume:
		run.phase = payoutResuming
	case in.ClaimID != "":
		run.phase = payoutSending
	}
	if err := run.setHandlers(ctx); err != nil {
		return err
	}
	sending := func(ctx workflow.Context) error {
		err := run.send(ctx)
		run.notifyRefund(ctx)
		return err
	}
	return run.walk(ctx, steps[payoutPhase]{
		payoutWaiting: run.wait, payoutResuming: run.resume, payoutSending: sending, payoutReleasing: sending,
		payoutConfirming: run.watch, payoutStuck: run.watch,
	}, run.requests.finish)
}

type payoutRun struct {
	machine[payoutPhase, payoutEvent]

	in       PayoutInput
	requests requests
	blocks   workflow.ReceiveChannel
	// reserved is what the payout has reserved; nil before that.
	reserved *payouts.Reserved
	// refusal is the error that answers the sweep; nil when the payout was sent.
	refusal error
}

func (r *payoutRun) setHandlers(ctx workflow.Context) error {
	return errors.Join(
		r.answerPhase(ctx),
		workflow.SetUpdateHandler(ctx, SweepUpdate, r.sweep),
		workflow.SetUpdateHandler(ctx, ReleaseUpdate, func(ctx workflow.Context, req ReleasePayout) error {
			return r.requests.submit(ctx, func(ctx workflow.Context) error { return r.release(ctx, req) })
		}),
	)
}

// sweep is the update that a merchant waits for. It starts the payout, unless it has
// begun, and returns the outcome.
func (r *payoutRun) sweep(ctx workflow.Context) error {
	if r.phase == payoutWaiting {
		r.on(ctx, sweepAsked)
	}
	if err := workflow.Await(ctx, func() bool {
		return r.phase != payoutResuming && r.phase != payoutSending && r.phase != payoutReleasing
	}); err != nil {
		return err
	}
	return r.refusal
}

// wait returns when the sweep that the run was started with arrives. The sweep can be lost
// with the process that sent it, or with the worker that began it. That worker may have
// reserved charges, which no history shows, so the run looks for the payout then.
func (r *payoutRun) wait(ctx workflow.Context) error {
	err := r.requests.awaitWithTimeout(ctx, func() bool { return r.phase != payoutWaiting }, Unasked)
	if err == nil && r.phase == payoutWaiting {
		r.on(ctx, sweepUnasked)
	}
	return err
}

// send does all that a payout needs until the daemon has it. A refusal answers the
// merchant. It does not end the run.
func (r *payoutRun) send(ctx workflow.Context) error {
	if r.reserved == nil {
		if r.refusal = r.reserve(ctx); r.refusal != nil {
			r.on(ctx, sendRefused)
			return unlessCanceled(r.refusal)
		}
	}
	if r.refusal = r.complete(ctx, *r.reserved); r.refusal != nil {
		r.on(ctx, sendFailed)
		return unlessCanceled(r.refusal)
	}
	if r.on(ctx, sendDone); r.phase == payoutFailed { // an operator released it meanwhile
		r.refusal = errFailed()
		return r.showReleased(ctx)
	}
	return nil
}

// unlessCanceled returns the error of a run that is canceled, and nil otherwise.
func unlessCanceled(err error) error {
	if temporal.IsCanceledError(err) {
		return err
	}
	return nil
}

// notifyRefund signals the refund to look at its claim, whose row has changed with the
// payout's. A refund that has ended needs no signal. If the signal is lost, the refund
// looks by itself.
func (r *payoutRun) notifyRefund(ctx workflow.Context) {
	id := r.in.RefundID
	if r.reserved != nil && r.reserved.RefundID != "" {
		id = r.reserved.RefundID
	}
	if id == "" {
		return
	}
	if err := workflow.SignalExternalWorkflow(ctx, RefundWorkflowID(id), "", ClaimMovedSignal, nil).Get(ctx, nil); err != nil {
		workflow.GetLogger(ctx).Info("the refund of a payout was not told", "refund", id, "error", err)
	}
}

// reserve reserves what the payout pays. The estimate gives up soon. If the daemon is away,
// nothing is reserved, and the merchant gets the error at once. A claim waits for its next
// try then, whose time is in its row.
func (r *payoutRun) reserve(ctx workflow.Context) error {
	var a *payouts.Handler
	ofClaim := r.in.ClaimID != ""
	if !ofClaim {
		if err := forCreation.start(ctx, a.CheckSweep, payouts.CheckSweep{
			MerchantID: r.in.MerchantID, PayoutID: r.in.PayoutID,
		}).Get(ctx, nil); err != nil {
			return err
		}
	}
	var dust money.Piconero
	err := forCreation.start(ctx, a.EstimateDust).Get(ctx, &dust)
	if err != nil && ofClaim && !temporal.IsCanceledError(err) {
		return cmp.Or(forDatabase.start(ctx, a.DelayClaim, payouts.DelayClaim{ClaimID: r.in.ClaimID, Now: now(ctx)}).Get(ctx, nil), err)
	}
	if err != nil {
		return err
	}
	var reserving workflow.Future
	if ofClaim {
		reserving = forDatabase.start(ctx, a.ReserveClaim, payouts.ReserveClaim{
			PayoutID: r.in.PayoutID, ClaimID: r.in.ClaimID, Dust: dust, Now: now(ctx),
		})
	} else {
		reserving = forDatabase.start(ctx, a.ReservePayout, payouts.ReservePayout{
			PayoutID: r.in.PayoutID, MerchantID: r.in.MerchantID, Dust: dust, Now: now(ctx),
		})
	}
	var reserved payouts.Reserved
	if err = reserving.Get(ctx, &reserved); err == nil {
		r.reserved = &reserved
	}
	return err
}

// resume continues where the last workflow left the payout. A payout that was built is
// only relayed, so resume works from any point.
func (r *payoutRun) resume(ctx workflow.Context) error {
	var a *payouts.Handler
	var found payouts.FoundPayout
	if err := forDatabase.start(ctx, a.FindPayout, payouts.PayoutTask{PayoutID: r.in.PayoutID}).Get(ctx, &found); err != nil {
		return err
	}
	r.reserved = &found.Reserved
	switch found.Status {
	case payout.Building:
		r.on(ctx, foundBuilding)
	case payout.Broadcast:
		return r.resumeBroadcast(ctx)
	case payout.Confirmed:
		r.on(ctx, foundConfirmed)
	case payout.Failed:
		r.refusal = errFailed()
		r.on(ctx, foundFailed)
	default:
		r.refusal = errFailed()
		r.on(ctx, foundNothing)
	}
	return nil
}

func (r *payoutRun) resumeBroadcast(ctx workflow.Context) error {
	if r.in.Stuck {
		r.on(ctx, foundStuck)
	} else {
		r.on(ctx, foundBroadcast)
	}
	if err := r.show(ctx, *r.reserved, payout.Broadcast); err != nil || !r.reserved.Swap {
		return err
	}
	return startSwap(ctx, r.in.MerchantID, swap.OfPayout(r.in.PayoutID))
}

// errFailed returns the error for the sweep of a payout that has failed already.
func errFailed() error {
	return refusals.New(refusals.Broadcast, "the payout has failed")
}

// build orders the swap, if the payout pays one, and builds the transaction.
func (r *payoutRun) build(ctx workflow.Context, reserved payouts.Reserved) error {
	if err := r.order(ctx, reserved); err != nil {
		return err
	}
	var a *payouts.Handler
	building := forBuild
	if reserved.RefundID != "" {
		building = forClaim
	}
	return r.requests.get(ctx, building.at(PayoutQueue(reserved.WalletID)).start(ctx, a.BuildPayout, payouts.PayoutTask{
		PayoutID: r.in.PayoutID,
	}), nil)
}

// complete builds the transaction, unless it is built, and sends it. If that fails, it
// fails the payout, which frees the reserved charges.
func (r *payoutRun) complete(ctx workflow.Context, reserved payouts.Reserved) error {
	if err := r.show(ctx, reserved, payout.Building); err != nil {
		return err
	}
	var a *payouts.Handler
	var err error
	if !reserved.Built {
		err = r.build(ctx, reserved)
	}
	for {
		if err == nil {
			err = r.relay(ctx, reserved)
		}
		if err == nil {
			return nil
		}
		// Nothing was sent, or the daemon refused it and shows its inputs unspent.
		var outcome payouts.FailOutcome
		if failed := r.requests.get(ctx, forRelay.start(ctx, a.FailPayout, payouts.FailPayout{
			PayoutID: r.in.PayoutID, Reason: cmp.Or(refusals.Text(err), "the transaction could not be built"),
		}), &outcome); failed != nil {
			return failed
		}
		if !outcome.AlreadyBroadcast {
			break
		}
		err = nil // the daemon knows it after all
	}
	if shown := r.show(ctx, reserved, payout.Failed); shown != nil {
		return shown
	}
	return err
}

// order orders the swap that the payout pays, for merchants who want one. An order names
// its amount, so the amount that remains after fees is measured first.
func (r *payoutRun) order(ctx workflow.Context, reserved payouts.Reserved) error {
	if !reserved.Swap {
		return nil
	}
	var a *payouts.Handler
	var measured payouts.Measured
	if err := r.requests.get(ctx, forBuild.at(PayoutQueue(reserved.WalletID)).start(ctx, a.MeasurePayout, payouts.PayoutTask{
		PayoutID: r.in.PayoutID,
	}), &measured); err != nil {
		return err
	}
	return r.requests.get(ctx, forOrder.at(OutsideQueue).start(ctx, a.OrderPayoutSwap, payouts.OrderPayoutSwap{
		PayoutID: r.in.PayoutID, Net: measured.Net, Now: now(ctx),
	}), nil)
}

func (r *payoutRun) relay(ctx workflow.Context, reserved payouts.Reserved) error {
	var a *payouts.Handler
	if err := r.requests.get(ctx, forRelay.start(ctx, a.RelayPayout, payouts.PayoutTask{PayoutID: r.in.PayoutID}), nil); err != nil {
		return err
	}
	if err := r.show(ctx, reserved, payout.Broadcast); err != nil || !reserved.Swap {
		return err
	}
	return startSwap(ctx, r.in.MerchantID, swap.OfPayout(r.in.PayoutID))
}

// watch waits for a block, or for recheck, and then checks the transaction, until it is
// deep enough. A release waits for the running check, so that abandoned bytes are not
// relayed again.
func (r *payoutRun) watch(ctx workflow.Context) error {
	ready := func() bool { return r.blocks.Len() > 0 || !r.watches() || isLong(ctx) }
	if err := r.requests.awaitWithTimeout(ctx, ready, recheck); err != nil || !r.watches() {
		return err
	}
	if err := r.look(ctx); err != nil || !r.watches() || !isLong(ctx) {
		return err
	}
	if over, err := r.requests.finish(ctx); !over || err != nil {
		return err
	}
	next := r.in
	next.Resume, next.Stuck, next.ClaimID = true, r.phase == payoutStuck, ""
	return workflow.NewContinueAsNewError(ctx, Payout, next)
}

func (r *payoutRun) watches() bool { return r.phase == payoutConfirming || r.phase == payoutStuck }

// look checks the transaction once for all blocks that came. The activity relays the same
// bytes again if a reorg dropped the transaction.
func (r *payoutRun) look(ctx workflow.Context) error {
	for r.blocks.ReceiveAsync(nil) {
	}
	var a *payouts.Handler
	var depth payouts.Depth
	if err := forRelay.start(ctx, a.CheckPayout, payouts.PayoutTask{PayoutID: r.in.PayoutID}).Get(ctx, &depth); err != nil {
		return err
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("**Payout %s** sent; %d of %d confirmations", r.in.PayoutID, depth.Confirmations, payout.Confirmations))
	was := r.phase
	switch {
	case depth.Gone:
		r.refusal = errFailed()
		r.on(ctx, lookFailed)
		r.notifyRefund(ctx)
		return r.showReleased(ctx)
	case depth.Confirmed:
		r.on(ctx, lookDeep)
		r.notifyRefund(ctx)
		return workflow.UpsertTypedSearchAttributes(ctx, PayoutStatusKey.ValueSet(string(payout.Confirmed)), StuckKey.ValueSet(false))
	case depth.Stuck:
		r.on(ctx, lookStuck)
	default:
		r.on(ctx, lookInTime)
	}
	if r.phase == was {
		return nil
	}
	return workflow.UpsertTypedSearchAttributes(ctx, StuckKey.ValueSet(r.phase == payoutStuck))
}

// release handles the update by which an operator gives up a payout that was sent.
func (r *payoutRun) release(ctx workflow.Context, req ReleasePayout) error {
	var a *payouts.Handler
	req.PayoutID, req.Now = r.in.PayoutID, now(ctx)
	if err := forOperator.start(ctx, a.ReleasePayout, req).Get(ctx, nil); err != nil {
		return err
	}
	r.refusal = errFailed()
	if r.on(ctx, releaseDone); r.phase == payoutFailed {
		r.notifyRefund(ctx)
		return r.showReleased(ctx)
	}
	return nil
}

func (r *payoutRun) showReleased(ctx workflow.Context) error {
	return workflow.UpsertTypedSearchAttributes(ctx, PayoutStatusKey.ValueSet(string(payout.Failed)), StuckKey.ValueSet(false))
}

func (r *payoutRun) show(ctx workflow.Context, reserved payouts.Reserved, status payout.Status) error {
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("**Payout %s** %s: %s XMR gross from %d charges, wallet %s",
		r.in.PayoutID, status, reserved.Gross, reserved.Charges, reserved.WalletID))
	return workflow.UpsertTypedSearchAttributes(ctx, MerchantIDKey.ValueSet(r.in.MerchantID),
		PayoutStatusKey.ValueSet(string(status)), WalletIDKey.ValueSet(reserved.WalletID))
}
