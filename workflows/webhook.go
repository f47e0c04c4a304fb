package workflows

import (
	"errors"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities"
	"github.com/durapay/durapay/internal/webhook"
)

// WebhookWorkflowID is the workflow ID of a delivery.
func WebhookWorkflowID(deliveryID string) string { return "webhook-" + deliveryID }

// RedeliverUpdate opens a finished delivery again; it completes once the
// delivery is pending in the database.
const RedeliverUpdate = "redeliver"

// PingUpdate carries Ping, makes the delivery of a test event and completes
// once it is in the database; a refusal is an application error of a Refused
// type.
const PingUpdate = "ping"

// WebhookInput names the delivery.
type WebhookInput struct {
	DeliveryID string
	// Again is set when a merchant asked for a finished delivery to be sent
	// once more, or for a test: the run waits for RedeliverUpdate or PingUpdate.
	Again bool
}

// Ping is the argument of PingUpdate.
type Ping struct {
	WebhookID  string
	MerchantID string
}

// Webhook sends one delivery: three attempts, the pauses between them counted
// from the end of the failed one, and another round whenever a merchant asks
// for it once the delivery is over.
func Webhook(ctx workflow.Context, in WebhookInput) error {
	run := &webhookRun{in: in, open: !in.Again}
	if err := workflow.SetUpdateHandler(ctx, RedeliverUpdate, run.reopen); err != nil {
		return err
	}
	if err := workflow.SetUpdateHandler(ctx, PingUpdate, run.ping); err != nil {
		return err
	}
	if err := run.begin(ctx); err != nil {
		return err
	}
	for run.open {
		run.open, run.busy = false, true
		if err := run.round(ctx); err != nil {
			return err
		}
		run.busy = false
		// A merchant who saw the outcome may be faster than the end of this run.
		if err := finishUpdates(ctx); err != nil {
			return err
		}
		if err := run.takeUp(ctx); err != nil {
			return err
		}
	}
	return nil
}

// reopenChange is the version of runs that do not depend on their update.
const reopenChange = "reopen without update"

type webhookRun struct {
	in WebhookInput
	// before is how many attempts the delivery had before this round.
	before int
	// open is set when a round of attempts is to be made, busy during one.
	open, busy bool
	refused    bool
	// outcomeUnknown is set when an update was refused during a round. It may have been
	// the second run of one that had written already.
	outcomeUnknown bool
}

// begin returns when there is a round to be made, or none. The update that a
// run was started with can be lost with the process that sent it: whoever
// started the run wanted the delivery sent, so it is opened all the same.
func (r *webhookRun) begin(ctx workflow.Context) error {
	decided := func() bool { return r.open || r.refused }
	if !r.in.Again || workflow.GetVersion(ctx, reopenChange, workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return workflow.Await(ctx, decided)
	}
	if err := awaitNews(ctx, decided, Unasked); err != nil || decided() {
		return err
	}
	return unlessRefused(r.openAs(ctx, activities.ReopenDelivery{Idle: true}))
}

// takeUp opens what an update has left pending during the last round.
func (r *webhookRun) takeUp(ctx workflow.Context) error {
	if !r.outcomeUnknown || r.open {
		return nil
	}
	r.outcomeUnknown = false
	return unlessRefused(r.openAs(ctx, activities.ReopenDelivery{Left: true}))
}

// unlessRefused is an error other than a refusal.
func unlessRefused(err error) error {
	if refusal(err) != "" {
		return nil
	}
	return err
}

// reopen is the update by which a merchant has the delivery sent again.
func (r *webhookRun) reopen(ctx workflow.Context) error {
	busy := r.busy || r.open
	err := r.openAs(ctx, activities.ReopenDelivery{Idle: !busy})
	if err != nil {
		r.refused, r.outcomeUnknown = true, r.outcomeUnknown || busy
	}
	return err
}

func (r *webhookRun) openAs(ctx workflow.Context, as activities.ReopenDelivery) error {
	var a *activities.Webhooks
	var before int
	as.DeliveryID, as.Now = r.in.DeliveryID, now(ctx)
	if err := workflow.ExecuteLocalActivity(databaseContext(ctx), a.ReopenDelivery, as).Get(ctx, &before); err != nil {
		return err
	}
	r.before, r.open = before, true
	return nil
}

func (r *webhookRun) ping(ctx workflow.Context, in Ping) error {
	var a *activities.Webhooks
	err := workflow.ExecuteLocalActivity(createContext(ctx), a.CreatePing, activities.CreatePing{
		DeliveryID: r.in.DeliveryID, WebhookID: in.WebhookID, MerchantID: in.MerchantID, Now: now(ctx),
	}).Get(ctx, nil)
	// After a fault it may be in the database: begin looks.
	r.open, r.refused = err == nil, refusedToMake(ctx, err)
	return err
}

func (r *webhookRun) round(ctx workflow.Context) error {
	var a *activities.Webhooks
	for n := 1; ; n++ {
		var outcome activities.Attempt
		err := workflow.ExecuteActivity(attemptContext(ctx), a.AttemptDelivery, activities.AttemptDelivery{
			DeliveryID: r.in.DeliveryID, Attempt: r.before + n, Round: n,
		}).Get(ctx, &outcome)
		if err != nil {
			return err
		}
		workflow.SetCurrentDetails(ctx, fmt.Sprintf("attempt %d of %d: %s", n, webhook.MaxAttempts, outcome.Status))
		if outcome.Status != webhook.Pending {
			return workflow.UpsertTypedSearchAttributes(ctx, DeliveryStatusKey.ValueSet(string(outcome.Status)))
		}
		pause, _ := webhook.RetryAfter(n)
		if err := workflow.Sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// startDeliveries gives each delivery a workflow of its own that outlives its
// parent. One that runs or ran already is left alone.
func startDeliveries(ctx workflow.Context, ids []string) error {
	for _, id := range ids {
		child := workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
			WorkflowID:            WebhookWorkflowID(id),
			ParentClosePolicy:     enumspb.PARENT_CLOSE_POLICY_ABANDON,
			WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		})
		err := workflow.ExecuteChildWorkflow(child, Webhook, WebhookInput{DeliveryID: id}).
			GetChildWorkflowExecution().Get(ctx, nil)
		if _, running := errors.AsType[*temporal.ChildWorkflowExecutionAlreadyStartedError](err); err != nil && !running {
			return err
		}
	}
	return nil
}
