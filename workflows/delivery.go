package workflows

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/webhook"
)

// RedeliverUpdate opens a finished delivery again; it completes once the
// delivery is pending in the database.
const RedeliverUpdate = "redeliver"

// PingUpdate carries Ping, makes the delivery of a test event and completes
// once it is in the database; a refusal is an application error of a Refused
// type. Deliveries to merchants alone know it.
const PingUpdate = "ping"

// RetrySignal ends the wait of a delivery for its next attempt.
const RetrySignal = "retry"

// DeliveryInput names the delivery.
type DeliveryInput struct {
	Receiver webhook.Receiver
	// ID is the ID of the delivery, see webhook.Receiver.
	ID string
	// Again is set to send a finished delivery once more, or to send a test: the run waits
	// for RedeliverUpdate or PingUpdate.
	Again bool
	// Made is how many attempts there were. Next is when the next attempt is due; a time
	// that has passed means now.
	Made int
	Next time.Time
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

// Ping is the argument of PingUpdate.
type Ping struct {
	WebhookID  string
	MerchantID string
}

// Delivery sends one event to one receiver. It makes a round of attempts, with the pauses
// of the receiver's policy. Each redelivery starts another round. After a round without
// success the delivery is a dead letter until the next redelivery.
func Delivery(ctx workflow.Context, in DeliveryInput) error {
	run := &deliveryRun{in: in, phase: delivering, made: in.Made, next: in.Next}
	if in.Again {
		run.phase = deliveryWaiting
	}
	if err := run.setHandlers(ctx); err != nil {
		return err
	}
	return run.run(ctx)
}

type deliveryRun struct {
	in       DeliveryInput
	phase    deliveryPhase
	requests requests
	// made is how many attempts there were, next is when the next attempt is due.
	made int
	next time.Time
}

func (r *deliveryRun) setHandlers(ctx workflow.Context) error {
	if err := workflow.SetQueryHandler(ctx, PhaseQuery, func() (deliveryPhase, error) { return r.phase, nil }); err != nil {
		return err
	}
	if r.in.Receiver == webhook.Merchant {
		if err := workflow.SetUpdateHandler(ctx, PingUpdate, func(ctx workflow.Context, in Ping) error {
			return r.requests.submit(ctx, func(ctx workflow.Context) error { return r.ping(ctx, in) })
		}); err != nil {
			return err
		}
	}
	return workflow.SetUpdateHandler(ctx, RedeliverUpdate, func(ctx workflow.Context) error {
		return r.requests.submit(ctx, r.redeliver)
	})
}

func (r *deliveryRun) on(event deliveryEvent) { r.phase = deliveryTransitions.next(r.phase, event) }

func (r *deliveryRun) run(ctx workflow.Context) error {
	for {
		var err error
		switch r.phase {
		case deliveryWaiting:
			err = r.wait(ctx)
		case deliveryOpening:
			err = r.open(ctx, deliveries.ReopenDelivery{Idle: true})
		case deliveryTakingUp:
			err = r.open(ctx, deliveries.ReopenDelivery{Left: true})
		case delivering, deliveringUnknown, deliveryReopened:
			err = r.deliver(ctx)
		case deliveryFinished:
			// A caller that saw the outcome may send an update before this run ends.
			if over, err := r.requests.finish(ctx); over || err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
}

// wait returns when the update that the run was started with is done. The update can be
// lost with the process that sent it. The caller who started the run wanted the delivery
// sent, so the run then opens the delivery itself.
func (r *deliveryRun) wait(ctx workflow.Context) error {
	err := r.requests.awaitNews(ctx, func() bool { return r.phase != deliveryWaiting }, Unasked)
	if err == nil && r.phase == deliveryWaiting {
		r.on(deliveryUnasked)
	}
	return err
}

// redeliver handles RedeliverUpdate.
func (r *deliveryRun) redeliver(ctx workflow.Context) error {
	idle := r.phase == deliveryWaiting || r.phase == deliveryFinished
	err := r.reopen(ctx, deliveries.ReopenDelivery{Idle: idle})
	if err != nil {
		r.on(deliveryRefused)
	}
	return err
}

// open reopens the delivery without an update. It is no error if there is nothing to
// open.
func (r *deliveryRun) open(ctx workflow.Context, as deliveries.ReopenDelivery) error {
	err := r.reopen(ctx, as)
	if _, refused := refusals.Of(err); refused {
		r.on(deliveryRefused)
		return nil
	}
	return err
}

// reopen makes the delivery pending, so that a round begins.
func (r *deliveryRun) reopen(ctx workflow.Context, as deliveries.ReopenDelivery) error {
	var a *deliveries.Handler
	var made int
	as.Receiver, as.ID, as.Now = r.in.Receiver, r.in.ID, now(ctx)
	if err := workflow.ExecuteLocalActivity(databaseContext(ctx), a.ReopenDelivery, as).Get(ctx, &made); err != nil {
		return err
	}
	r.made, r.next = made, now(ctx)
	r.on(deliveryOpened)
	return nil
}

// ping creates the delivery of a test event. In a run that is attempting it, the delivery
// exists already.
func (r *deliveryRun) ping(ctx workflow.Context, in Ping) error {
	var a *deliveries.Handler
	err := workflow.ExecuteLocalActivity(createContext(ctx), a.CreatePing, deliveries.CreatePing{
		DeliveryID: r.in.ID, WebhookID: in.WebhookID, MerchantID: in.MerchantID, Now: now(ctx),
	}).Get(ctx, nil)
	if r.phase != deliveryWaiting {
		return err
	}
	_, refused := refusals.Of(err)
	switch {
	case err == nil:
		r.on(deliveryOpened)
	case refused:
		r.on(deliveryRefused)
	default:
		r.on(deliveryFault)
	}
	return err
}

// deliver makes the next attempt of the round when it is due.
func (r *deliveryRun) deliver(ctx workflow.Context) error {
	if err := r.awaitDue(ctx); err != nil {
		return err
	}
	if r.reopened() {
		r.on(attemptOver)
		return nil
	}
	if isLong(ctx) {
		return r.beginAnew(ctx)
	}
	r.made++
	number := r.made
	var outcome deliveries.Attempt
	if err := r.requests.get(ctx, startAttempt(ctx, r.in, number), &outcome); err != nil {
		return err
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("attempt %d: %s", number, outcome.Status))
	switch {
	case r.reopened():
		r.on(attemptOver)
	case outcome.Status == webhook.Pending:
		r.next = outcome.Next
		r.on(attemptPending)
	default:
		r.on(attemptLast)
		return workflow.UpsertTypedSearchAttributes(ctx, DeliveryStatusKey.ValueSet(string(outcome.Status)))
	}
	return nil
}

// beginAnew continues in a fresh history once every request is answered.
func (r *deliveryRun) beginAnew(ctx workflow.Context) error {
	if finished, err := r.requests.finish(ctx); !finished || err != nil {
		return err
	}
	return workflow.NewContinueAsNewError(ctx, Delivery, DeliveryInput{
		Receiver: r.in.Receiver, ID: r.in.ID, Made: r.made, Next: r.next,
	})
}

// awaitDue returns when the next attempt is due or requested, when the delivery was
// reopened, or when the run must continue in a fresh history.
func (r *deliveryRun) awaitDue(ctx workflow.Context) error {
	asked := workflow.GetSignalChannel(ctx, RetrySignal)
	stop := func() bool { return r.reopened() || asked.Len() > 0 || isLong(ctx) }
	err := r.requests.awaitNews(ctx, stop, r.next.Sub(workflow.Now(ctx)))
	for asked.ReceiveAsync(nil) {
		r.next = now(ctx)
	}
	return err
}

func (r *deliveryRun) reopened() bool { return r.phase == deliveryReopened }

// startAttempt starts attempt number n of a delivery. The delivery's row has the attempt
// at which the round began.
func startAttempt(ctx workflow.Context, in DeliveryInput, n int) workflow.Future {
	var a *deliveries.Handler
	return workflow.ExecuteActivity(attemptContext(ctx), a.AttemptDelivery, deliveries.AttemptDelivery{
		Receiver: in.Receiver, ID: in.ID, Attempt: n,
	})
}

// attemptFirst makes the first attempt of a delivery. If it fails, a workflow of its own,
// which outlives this one, makes the next attempts.
func attemptFirst(ctx workflow.Context, in DeliveryInput) error {
	var outcome deliveries.Attempt
	if err := startAttempt(ctx, in, 1).Get(ctx, &outcome); err != nil || outcome.Status != webhook.Pending {
		return err
	}
	in.Made, in.Next = 1, outcome.Next
	return startDelivery(ctx, in)
}

// startDeliveries starts a workflow for each delivery to a merchant. These workflows
// outlive their parent.
func startDeliveries(ctx workflow.Context, ids []string) error {
	for _, id := range ids {
		if err := startDelivery(ctx, DeliveryToMerchant(id)); err != nil {
			return err
		}
	}
	return nil
}

// startDelivery starts the workflow of a delivery. A running workflow is left alone. If
// an earlier run has ended, for example one of a redelivery, a new run changes nothing,
// because recorded attempts are not repeated.
func startDelivery(ctx workflow.Context, in DeliveryInput) error {
	options := workflow.ChildWorkflowOptions{
		WorkflowID:            in.WorkflowID(),
		ParentClosePolicy:     enumspb.PARENT_CLOSE_POLICY_ABANDON,
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
	}
	if merchantID := merchantOf(ctx); merchantID != "" {
		options.Priority, options.TypedSearchAttributes = TurnOf(merchantID), temporal.NewSearchAttributes(MerchantIDKey.ValueSet(merchantID))
	}
	err := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, options), Delivery, in).GetChildWorkflowExecution().Get(ctx, nil)
	if _, running := errors.AsType[*temporal.ChildWorkflowExecutionAlreadyStartedError](err); running {
		return nil
	}
	return err
}
