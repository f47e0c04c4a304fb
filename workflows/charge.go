package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/refusals"
)

// ChargeWorkflowID is the workflow ID of a charge.
func ChargeWorkflowID(chargeID string) string { return "charge-" + chargeID }

// PaymentsSignal is sent when the chain shows something new for a charge, or when its
// merchant has changed it.
const PaymentsSignal = "payments"

// ChargeInput names the charge that the workflow carries.
type ChargeInput struct {
	ChargeID string
	// Started holds deliveries that earlier runs have started, and that were not attempted
	// yet when the last of these runs looked.
	Started []string
}

// Charge carries one charge, whose row exists before the first run, to its end. It waits
// for a signal or the payment timeout, lets the domain package decide what follows, and
// meanwhile makes the first attempt of each delivery.
func Charge(ctx workflow.Context, in ChargeInput) error {
	run := &chargeRun{
		in: in, machine: machine[chargePhase, chargeEvent]{"Charge", chargeLooking}, payments: workflow.GetSignalChannel(ctx, PaymentsSignal), deliveries: newStarts(in.Started),
	}
	if err := run.answerPhase(ctx); err != nil {
		return err
	}
	return run.walk(ctx, steps[chargePhase]{chargeLooking: run.look, chargeOpen: run.wait}, run.finish)
}

type chargeRun struct {
	machine[chargePhase, chargeEvent]

	in       ChargeInput
	payments workflow.ReceiveChannel
	state    incoming.ChargeState
	// deliveries are those whose first attempt this run, or an earlier run, has begun.
	deliveries *starts
	// shown is the status that operators see; empty until one is shown.
	shown charge.Status
}

func (r *chargeRun) signaled() bool { return r.payments.Len() > 0 }

// look drains the signals that came and looks at the facts once for all of them, even if
// the database is away for long.
func (r *chargeRun) look(ctx workflow.Context) error {
	for r.payments.ReceiveAsync(nil) {
	}
	var a *incoming.Charges
	err := forDatabase.start(ctx, a.AdvanceCharge, incoming.AdvanceCharge{ChargeID: r.in.ChargeID, Now: now(ctx)}).Get(ctx, &r.state)
	switch {
	case refusals.Is(err, refusals.Missing):
		r.on(ctx, chargeMissing)
	case err != nil:
		return err
	default:
		r.on(ctx, chargeFound)
	}
	return nil
}

// wait shows the result of the last look. It returns when there is a reason for the next
// look, or when none is needed. A reason is a signal or the time.
func (r *chargeRun) wait(ctx workflow.Context) error {
	if err := r.publish(ctx); err != nil {
		return err
	}
	if r.mayContinueAsNew(ctx) {
		return r.continueAsNew(ctx)
	}
	if r.state.Status != charge.Pending {
		r.on(ctx, chargeEnded)
		return nil
	}
	stop := func() bool { return r.signaled() || r.mayContinueAsNew(ctx) }
	if err := awaitWithTimeout(ctx, stop, r.pause(ctx)); err != nil {
		return err
	}
	switch {
	case r.signaled():
		r.on(ctx, chargeSignaled)
	case r.mayContinueAsNew(ctx):
		return r.continueAsNew(ctx)
	default:
		r.on(ctx, chargeDue)
	}
	return nil
}

// mayContinueAsNew reports whether the run should continue in a fresh history, and no attempt
// would be interrupted by that.
func (r *chargeRun) mayContinueAsNew(ctx workflow.Context) bool {
	long := r.state.Status == charge.Pending && isLong(ctx)
	return (long || r.deliveries.used()) && r.deliveries.idle()
}

// pause returns how long the run waits for a signal: until the timeout.
// While a payment is being confirmed, it is at most recheck, because signals can be lost
// with Temporal's memory.
func (r *chargeRun) pause(ctx workflow.Context) time.Duration {
	pause := r.state.ExpiresAt.Sub(workflow.Now(ctx))
	if r.state.Received > 0 {
		pause = min(pause, recheck)
	}
	return pause
}

// continueAsNew continues in a fresh history.
func (r *chargeRun) continueAsNew(ctx workflow.Context) error {
	next := r.in
	next.Started = r.deliveries.among(r.state.Deliveries)
	return workflow.NewContinueAsNewError(ctx, Charge, next)
}

// finish reports whether the run is over: no attempt is running, and there is no reason
// for another look.
func (r *chargeRun) finish(ctx workflow.Context) (bool, error) {
	if err := workflow.Await(ctx, func() bool { return r.signaled() || r.deliveries.idle() }); err != nil {
		return false, err
	}
	if r.signaled() {
		r.on(ctx, chargeSignaled)
		return false, nil
	}
	if r.deliveries.used() {
		return false, r.continueAsNew(ctx)
	}
	return true, nil
}

// publish shows operators the state of the charge and starts its deliveries.
func (r *chargeRun) publish(ctx workflow.Context) error {
	workflow.SetCurrentDetails(ctx, r.details())
	if r.shown != r.state.Status {
		if err := workflow.UpsertTypedSearchAttributes(ctx, r.attributes()...); err != nil {
			return err
		}
		r.shown = r.state.Status
	}
	r.deliveries.start(ctx, r.state.Deliveries)
	return nil
}

// attributes returns the search attributes that changed, or all of them for a run that
// has shown none.
func (r *chargeRun) attributes() []temporal.SearchAttributeUpdate {
	changed := []temporal.SearchAttributeUpdate{ChargeStatusKey.ValueSet(string(r.state.Status))}
	if r.shown == "" {
		changed = append(changed, MerchantIDKey.ValueSet(r.state.MerchantID),
			AmountXMRKey.ValueSet(r.state.AmountXMR.String()), SandboxKey.ValueSet(r.state.Sandbox))
	}
	return changed
}

func (r *chargeRun) details() string {
	s := r.state
	waiting := map[charge.Status]string{
		charge.Pending:   "waits for money until " + s.ExpiresAt.Format(time.RFC3339),
		charge.Confirmed: "is confirmed; waits for nothing",
		charge.Expired:   "expired; late money starts a new run",
	}[s.Status]
	return fmt.Sprintf("**Charge %s** %s\n\n| | |\n|---|---|\n| asked | %s %s = %s XMR |\n| received | %s XMR |\n| confirmations | %d of %d |\n",
		r.in.ChargeID, waiting, s.Amount, s.Currency, s.AmountXMR, s.Received, s.Confirmations, s.Required)
}

type chargePhase string

const (
	// chargeLooking: the run compares the charge with the chain. Each run begins here.
	chargeLooking chargePhase = "looking"
	// chargeOpen: the charge waits for money or for its depth.
	chargeOpen chargePhase = "open"
)

// chargeEvent moves a run of Charge to another phase.
type chargeEvent string

const (
	chargeFound chargeEvent = "look: found"
	// chargeMissing: retention has removed it.
	chargeMissing chargeEvent = "look: missing"
	// chargeEnded: the charge is confirmed or expired.
	chargeEnded chargeEvent = "confirmed or expired"
	// chargeSignaled: a signal came.
	chargeSignaled chargeEvent = "news"
	// chargeDue: the timeout is reached, or a charge with a payment had no signal for ten
	// minutes.
	chargeDue chargeEvent = "due"
)
