package workflows

import (
	"errors"
	"fmt"
	"strconv"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/internal/webhook"
)

// DueSignal is sent when a delivery was made, opened again or made due.
const DueSignal = "due"

// DeliveryInput names the delivery.
type DeliveryInput struct {
	Receiver webhook.Receiver
	// ID is the ID of the delivery, see webhook.Receiver.
	ID string
}

// DeliveryToMerchant returns the input for a merchant's delivery.
func DeliveryToMerchant(deliveryID string) DeliveryInput {
	return DeliveryInput{Receiver: webhook.Merchant, ID: deliveryID}
}

// DeliveryToPartner returns the input for an event of a trade, by its number.
func DeliveryToPartner(eventID int64) DeliveryInput {
	return DeliveryInput{Receiver: webhook.Partner, ID: strconv.FormatInt(eventID, 10)}
}

// WorkflowID returns the workflow ID of the delivery.
func (in DeliveryInput) WorkflowID() string {
	if in.Receiver == webhook.Partner {
		return "trade-event-" + in.ID
	}
	return "webhook-" + in.ID
}

// Delivery sends one event to one receiver: it makes attempts until one of them ends the
// delivery. The row says when the next attempt is due; the receiver's policy decides in
// each attempt whether and when another follows. A redelivery is a change of the row.
func Delivery(ctx workflow.Context, in DeliveryInput) error {
	run := &deliveryRun{in: in, machine: machine[deliveryPhase, deliveryEvent]{"Delivery", deliveryLooking}, due: workflow.GetSignalChannel(ctx, DueSignal)}
	if err := run.answerPhase(ctx); err != nil {
		return err
	}
	return run.walk(ctx, steps[deliveryPhase]{deliveryLooking: run.look, deliveryWaiting: run.wait, deliveryAttempting: run.attempt}, run.finish)
}

type deliveryRun struct {
	machine[deliveryPhase, deliveryEvent]

	in    DeliveryInput
	due   workflow.ReceiveChannel
	state deliveries.State
}

func (r *deliveryRun) signaled() bool { return r.due.Len() > 0 }

// finish reports whether the run is over: no signal came.
func (r *deliveryRun) finish(ctx workflow.Context) (bool, error) {
	if r.signaled() {
		r.on(ctx, deliverySignaled)
		return false, nil
	}
	return true, nil
}

// look takes all signals at once and reads when the next attempt is due.
func (r *deliveryRun) look(ctx workflow.Context) error {
	for r.due.ReceiveAsync(nil) {
	}
	var a *deliveries.Handler
	err := forDatabase.start(ctx, a.FindDelivery, deliveries.FindDelivery(r.in)).Get(ctx, &r.state)
	switch {
	case err != nil:
		return err
	case r.state.Pending:
		r.on(ctx, deliveryFound)
	default:
		r.on(ctx, deliveryEnded)
	}
	return nil
}

// wait returns when the next attempt is due, or when a signal came.
func (r *deliveryRun) wait(ctx workflow.Context) error {
	stop := func() bool { return r.signaled() || isLong(ctx) }
	if err := awaitWithTimeout(ctx, stop, r.state.Next.Sub(workflow.Now(ctx))); err != nil {
		return err
	}
	switch {
	case r.signaled():
		r.on(ctx, deliverySignaled)
	case isLong(ctx):
		return workflow.NewContinueAsNewError(ctx, Delivery, r.in)
	default:
		r.on(ctx, deliveryDue)
	}
	return nil
}

// attempt makes the next attempt.
func (r *deliveryRun) attempt(ctx workflow.Context) error {
	r.state.Attempts++
	var outcome deliveries.Attempt
	if err := startAttempt(ctx, r.in, r.state.Attempts).Get(ctx, &outcome); err != nil {
		return err
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("attempt %d: %s", r.state.Attempts, outcome.Status))
	if outcome.Status == webhook.Pending {
		r.state.Next = outcome.Next
		r.on(ctx, attemptFailed)
		return nil
	}
	r.on(ctx, attemptLast)
	return workflow.UpsertTypedSearchAttributes(ctx, DeliveryStatusKey.ValueSet(string(outcome.Status)))
}

// startAttempt starts attempt number n of a delivery. The delivery's row has the attempt
// at which the round began.
func startAttempt(ctx workflow.Context, in DeliveryInput, n int) workflow.Future {
	var a *deliveries.Handler
	within := forAttempt
	within.priority = TurnOf(merchantOf(ctx))
	return within.start(ctx, a.AttemptDelivery, deliveries.AttemptDelivery{Receiver: in.Receiver, ID: in.ID, Attempt: n})
}

// attemptFirst makes the first attempt of a delivery. If it fails, a workflow of its own,
// which outlives this one, makes the next attempts.
func attemptFirst(ctx workflow.Context, in DeliveryInput) error {
	var outcome deliveries.Attempt
	if err := startAttempt(ctx, in, 1).Get(ctx, &outcome); err != nil || outcome.Status != webhook.Pending {
		return err
	}
	return startDelivery(ctx, in)
}

// startDelivery starts the workflow of a delivery. If an earlier run has ended, for example
// one of a redelivery, a new run finds nothing to do.
func startDelivery(ctx workflow.Context, in DeliveryInput) error {
	options := workflow.ChildWorkflowOptions{
		WorkflowID: in.WorkflowID(), WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
	}
	if merchantID := merchantOf(ctx); merchantID != "" {
		options.Priority, options.TypedSearchAttributes = TurnOf(merchantID), temporal.NewSearchAttributes(MerchantIDKey.ValueSet(merchantID))
	}
	return startChild(ctx, options, Delivery, in)
}

// startChild starts a workflow that outlives its parent. A running workflow is left alone.
func startChild(ctx workflow.Context, options workflow.ChildWorkflowOptions, child, in any) error {
	options.ParentClosePolicy = enumspb.PARENT_CLOSE_POLICY_ABANDON
	err := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, options), child, in).GetChildWorkflowExecution().Get(ctx, nil)
	if _, running := errors.AsType[*temporal.ChildWorkflowExecutionAlreadyStartedError](err); running {
		return nil
	}
	return err
}

type deliveryPhase string

const (
	// deliveryLooking: the run reads the delivery. Each run begins here.
	deliveryLooking deliveryPhase = "looking"
	// deliveryWaiting: the run waits until the next attempt is due.
	deliveryWaiting deliveryPhase = "waiting"
	// deliveryAttempting: an attempt is under way.
	deliveryAttempting deliveryPhase = "attempting"
)

// deliveryEvent moves a run of Delivery to another phase.
type deliveryEvent string

const (
	// deliveryFound: an attempt is due, now or later.
	deliveryFound deliveryEvent = "look: pending"
	// deliveryEnded: the delivery has ended, waits for another one, or is gone.
	deliveryEnded deliveryEvent = "look: nothing to send"
	// deliverySignaled: a signal came.
	deliverySignaled deliveryEvent = "news"
	// deliveryDue: it is time for the next attempt.
	deliveryDue deliveryEvent = "due"
	// attemptFailed: an attempt failed, and another follows.
	attemptFailed deliveryEvent = "attempt: pending"
	// attemptLast: an attempt ended the delivery.
	attemptLast deliveryEvent = "attempt: delivered, failed or dropped"
)

// mostStarts is how many deliveries a run of a charge starts, and so how many attempts it
// has running. Temporal allows at most 2,000 running activities or children of one run,
// and fails the run's next step beyond that. If a receiver is away, each of its
// deliveries keeps a run of its own for a day.
const mostStarts = 100

// starts makes the first attempt of each delivery once, while the run does its other
// work. A receiver that hangs delays no other delivery.
type starts struct {
	done map[string]bool
	// made counts the deliveries that this run has started, underWay those whose attempt is
	// running.
	made, underWay int
}

// newStarts returns the starts of a run, given the deliveries that earlier runs have
// started.
func newStarts(before []string) *starts {
	s := &starts{done: map[string]bool{}}
	for _, id := range before {
		s.done[id] = true
	}
	return s
}

// start starts deliveries that have not been started, until the run has started
// mostStarts.
func (s *starts) start(ctx workflow.Context, ids []string) {
	for _, id := range ids {
		if s.used() {
			return
		}
		if s.done[id] {
			continue
		}
		s.startFirstAttempt(ctx, DeliveryToMerchant(id))
		s.done[id] = true
		s.made++
	}
}

// startFirstAttempt starts the first attempt of a delivery and does not wait for it.
func (s *starts) startFirstAttempt(ctx workflow.Context, in DeliveryInput) {
	s.underWay++
	workflow.Go(ctx, func(ctx workflow.Context) {
		if err := attemptFirst(ctx, in); err != nil {
			workflow.GetLogger(ctx).Error("a delivery cannot be attempted", "delivery", in.ID, "error", err)
		}
		s.underWay--
	})
}

// used reports whether the run has started mostStarts, so that another run must continue.
func (s *starts) used() bool { return s.made >= mostStarts }

// idle reports whether no attempt is running. The end of a run would interrupt a running
// one.
func (s *starts) idle() bool { return s.underWay == 0 }

// among returns those of some deliveries that were started.
func (s *starts) among(ids []string) []string {
	var started []string
	for _, id := range ids {
		if s.done[id] {
			started = append(started, id)
		}
	}
	return started
}
