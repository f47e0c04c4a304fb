package workflows

import (
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/swap"
)

// PayoutWorkflowID is the workflow ID of a payout.
func PayoutWorkflowID(payoutID string) string { return "payout-" + payoutID }

// Names that callers of the payout workflow use.
const (
	// SweepUpdate completes once the transaction is with the daemon; a refusal
	// is an application error of a Refused type.
	SweepUpdate = "sweep"
	// BlockSignal says that the chain has grown or changed.
	BlockSignal = "block"
	// ReleaseUpdate carries ReleasePayout, for a payout whose transaction a
	// reorganization dropped for good; it completes once the charges are free,
	// or is refused with RefusedRelease.
	ReleaseUpdate = "release"
)

// ReleasePayout is the argument of ReleaseUpdate.
type ReleasePayout struct {
	// Actor is who asks, for the audit.
	Actor string
}

// PayoutInput names the payout and the merchant whose charges it sweeps.
type PayoutInput struct {
	PayoutID   string
	MerchantID string
	// Resume is set on a run for a payout that exists already: its workflow was
	// lost with Temporal's memory, or a long history was cut.
	Resume bool
	// Stuck is what the cut history had shown to operators.
	Stuck bool
	// Unasked is for how long the run waits for the update that it was started
	// with, see awaitUpdate; 0 for ever.
	Unasked time.Duration
}

// recheck bounds the wait for a BlockSignal.
const recheck = 10 * time.Minute

// Payout sweeps a merchant's unlocked, unpaid charges in one transaction:
// reserve them, order the swap that it pays, if the merchant wants one, build
// once and store, relay the stored bytes until the daemon has them, then watch
// the transaction until it is deep enough.
func Payout(ctx workflow.Context, in PayoutInput) error {
	run := &payoutRun{in: in, stuck: in.Stuck, blocks: workflow.GetSignalChannel(ctx, BlockSignal)}
	if err := workflow.SetUpdateHandler(ctx, SweepUpdate, run.sweep); err != nil {
		return err
	}
	if err := workflow.SetUpdateHandler(ctx, ReleaseUpdate, run.release); err != nil {
		return err
	}
	if in.Resume {
		if err := run.resume(ctx); err != nil {
			return err
		}
	}
	if err := awaitUpdate(ctx, in.Unasked, &run.asked, &run.done); err != nil {
		return err
	}
	if run.sent {
		if err := run.confirm(ctx); err != nil {
			return err
		}
	}
	return finishUpdates(ctx)
}

type payoutRun struct {
	in     PayoutInput
	blocks workflow.ReceiveChannel
	asked  bool
	done   bool
	sent   bool
	stuck  bool
	// busy is set while the transaction is looked at or given up: the two take
	// turns, so that what was given up is not relayed again.
	busy     bool
	released bool
}

// sweep is the update that a merchant waits for.
func (r *payoutRun) sweep(ctx workflow.Context) error {
	r.asked = true
	err := r.send(ctx)
	r.done, r.sent = true, err == nil
	return err
}

func (r *payoutRun) send(ctx workflow.Context) error {
	var a *activities.Payouts
	if err := workflow.ExecuteLocalActivity(createContext(ctx), a.CheckSweep, activities.CheckSweep{
		MerchantID: r.in.MerchantID, PayoutID: r.in.PayoutID,
	}).Get(ctx, nil); err != nil {
		return err
	}
	// Given up soon: while the daemon is away nothing is reserved, and the
	// merchant learns it at once.
	var dust money.Piconero
	if err := workflow.ExecuteLocalActivity(createContext(ctx), a.EstimateDust).Get(ctx, &dust); err != nil {
		return err
	}
	var reserved activities.Reserved
	err := workflow.ExecuteLocalActivity(databaseContext(ctx), a.ReservePayout, activities.ReservePayout{
		PayoutID: r.in.PayoutID, MerchantID: r.in.MerchantID, Dust: dust, Now: now(ctx),
	}).Get(ctx, &reserved)
	if err != nil {
		return err
	}
	return r.complete(ctx, reserved)
}

// resume takes a payout up where the last workflow left it. What was built is
// only relayed, so it makes no difference where that was.
func (r *payoutRun) resume(ctx workflow.Context) error {
	var a *activities.Payouts
	var found activities.FoundPayout
	if err := workflow.ExecuteLocalActivity(databaseContext(ctx), a.FindPayout, activities.PayoutTask{
		PayoutID: r.in.PayoutID,
	}).Get(ctx, &found); err != nil {
		return err
	}
	r.done = true
	switch found.Status {
	case payout.Building:
		err := r.complete(ctx, found.Reserved)
		r.sent = err == nil
		if temporal.IsCanceledError(err) {
			return err
		}
		return nil // the payout tells why it failed
	case payout.Broadcast:
		r.sent = true
		if err := r.show(ctx, found.Reserved, payout.Broadcast); err != nil || !found.Reserved.Swap {
			return err
		}
		return startSwap(ctx, r.in.MerchantID, swap.OfPayout(r.in.PayoutID))
	case payout.Confirmed, payout.Failed:
	}
	return nil
}

// build orders the swap, if there is to be one, and makes the transaction.
func (r *payoutRun) build(ctx workflow.Context, reserved activities.Reserved) error {
	if err := r.order(ctx, reserved); err != nil {
		return err
	}
	var a *activities.Payouts
	return workflow.ExecuteActivity(buildContext(ctx, reserved.WalletID), a.BuildPayout, activities.PayoutTask{
		PayoutID: r.in.PayoutID,
	}).Get(ctx, nil)
}

// complete builds, unless it is built, and sends what is reserved, or lets go
// of it.
func (r *payoutRun) complete(ctx workflow.Context, reserved activities.Reserved) error {
	if err := r.show(ctx, reserved, payout.Building); err != nil {
		return err
	}
	var a *activities.Payouts
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
		var released activities.FailOutcome
		if failed := workflow.ExecuteActivity(relayContext(ctx), a.FailPayout, activities.FailPayout{
			PayoutID: r.in.PayoutID, Reason: publicReason(err),
		}).Get(ctx, &released); failed != nil {
			return failed
		}
		if !released.Sent {
			break
		}
		err = nil // the daemon knows it after all
	}
	if shown := r.show(ctx, reserved, payout.Failed); shown != nil {
		return shown
	}
	return err
}

// order makes the swap that the payout pays, for merchants who want one: what
// is left after the fees is measured, since an order names its amount. A
// history that was recorded before there were swaps reserved none.
func (r *payoutRun) order(ctx workflow.Context, reserved activities.Reserved) error {
	if !reserved.Swap {
		return nil
	}
	var a *activities.Payouts
	var measured activities.Measured
	err := workflow.ExecuteActivity(buildContext(ctx, reserved.WalletID), a.MeasurePayout, activities.PayoutTask{
		PayoutID: r.in.PayoutID,
	}).Get(ctx, &measured)
	if err != nil {
		return err
	}
	return workflow.ExecuteActivity(orderContext(ctx), a.OrderPayoutSwap, activities.OrderPayoutSwap{
		PayoutID: r.in.PayoutID, Net: measured.Net, Now: now(ctx),
	}).Get(ctx, nil)
}

func (r *payoutRun) relay(ctx workflow.Context, reserved activities.Reserved) error {
	var a *activities.Payouts
	var sent activities.Sent
	err := workflow.ExecuteActivity(relayContext(ctx), a.RelayPayout, activities.PayoutTask{PayoutID: r.in.PayoutID}).Get(ctx, &sent)
	if err != nil {
		return err
	}
	if err := r.show(ctx, reserved, payout.Broadcast); err != nil {
		return err
	}
	if reserved.Swap {
		if err := startSwap(ctx, r.in.MerchantID, swap.OfPayout(r.in.PayoutID)); err != nil {
			return err
		}
	}
	return startDeliveries(ctx, sent.Deliveries)
}

// confirm watches the transaction at every block until it is deep enough, and
// relays the same bytes again when a reorg dropped it.
func (r *payoutRun) confirm(ctx workflow.Context) error {
	for {
		if err := awaitNews(ctx, func() bool { return r.blocks.Len() > 0 || r.released }, recheck); err != nil {
			return err
		}
		if err := workflow.Await(ctx, func() bool { return !r.busy }); err != nil {
			return err
		}
		if r.released {
			return workflow.UpsertTypedSearchAttributes(ctx, PayoutStatusKey.ValueSet(string(payout.Failed)), StuckKey.ValueSet(false))
		}
		if confirmed, err := r.look(ctx); confirmed || err != nil {
			return err
		}
		if !isLong(ctx) {
			continue
		}
		if err := finishUpdates(ctx); err != nil {
			return err
		}
		if !r.released {
			next := r.in
			next.Resume, next.Stuck = true, r.stuck
			return workflow.NewContinueAsNewError(ctx, Payout, next)
		}
	}
}

// lengthChange is the version of payouts that cut their history: a stuck one
// would have Temporal end it, with nobody to relay or to release it.
const lengthChange = "payouts continue as new"

func isLong(ctx workflow.Context) bool {
	return workflow.GetInfo(ctx).GetContinueAsNewSuggested() &&
		workflow.GetVersion(ctx, lengthChange, workflow.DefaultVersion, 1) != workflow.DefaultVersion
}

// look asks once, for all blocks that came, where the transaction is.
func (r *payoutRun) look(ctx workflow.Context) (confirmed bool, err error) {
	for r.blocks.ReceiveAsync(nil) {
	}
	var a *activities.Payouts
	var depth activities.Depth
	r.busy = true
	err = workflow.ExecuteActivity(relayContext(ctx), a.CheckPayout, activities.PayoutTask{PayoutID: r.in.PayoutID}).Get(ctx, &depth)
	r.busy = false
	if err != nil {
		return false, err
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("**Payout %s** sent; %d of %d confirmations", r.in.PayoutID, depth.Confirmations, payout.Confirmations))
	if depth.Confirmed {
		return true, workflow.UpsertTypedSearchAttributes(ctx, PayoutStatusKey.ValueSet(string(payout.Confirmed)), StuckKey.ValueSet(false))
	}
	if depth.Stuck == r.stuck {
		return false, nil
	}
	r.stuck = depth.Stuck
	return false, workflow.UpsertTypedSearchAttributes(ctx, StuckKey.ValueSet(r.stuck))
}

// release is the update by which an operator gives up a payout that was sent.
func (r *payoutRun) release(ctx workflow.Context, req ReleasePayout) error {
	if err := workflow.Await(ctx, func() bool { return !r.busy }); err != nil {
		return err
	}
	r.busy = true
	defer func() { r.busy = false }()
	var a *activities.Payouts
	err := workflow.ExecuteActivity(operatorContext(ctx), a.ReleasePayout, activities.ReleasePayout{
		PayoutID: r.in.PayoutID, Actor: req.Actor, Now: now(ctx),
	}).Get(ctx, nil)
	r.released = r.released || err == nil
	return err
}

func (r *payoutRun) show(ctx workflow.Context, reserved activities.Reserved, status payout.Status) error {
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("**Payout %s** %s: %s XMR gross from %d charges, wallet %s",
		r.in.PayoutID, status, reserved.Gross, reserved.Charges, reserved.WalletID))
	return workflow.UpsertTypedSearchAttributes(ctx, MerchantIDKey.ValueSet(r.in.MerchantID),
		PayoutStatusKey.ValueSet(string(status)), WalletIDKey.ValueSet(reserved.WalletID))
}

// publicReason is the text of a refusal, or a neutral one for other errors.
func publicReason(err error) string {
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok && app.NonRetryable() {
		return app.Message()
	}
	return "the transaction could not be built"
}
