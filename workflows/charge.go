package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/charges"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/refusals"
)

// ChargeWorkflowID is the workflow ID of a charge.
func ChargeWorkflowID(chargeID string) string { return "charge-" + chargeID }

// Names that callers of the charge workflow use.
const (
	// CreateChargeUpdate carries CreateCharge and completes once the charge is
	// in the database; a refusal is an application error of a Refused type.
	CreateChargeUpdate = "create"
	// AcceptUpdate confirms an underpaid charge with what has come; it completes
	// once that is in the database. A refusal is an application error of a
	// Refused type.
	AcceptUpdate = "accept-underpaid"
	// PaymentsSignal says that the chain shows something new for the charge.
	PaymentsSignal = "payments"
)

// ChargeInput names the charge that the workflow carries.
type ChargeInput struct {
	ChargeID   string
	MerchantID string
	Mode       config.Mode
	// Resume is set on a run for a charge that exists already: late money, a
	// reorg, or a long history that was cut.
	Resume bool
	// Unasked is for how long the run waits for the update that it was started
	// with, see awaitUpdate; 0 for ever.
	Unasked time.Duration
}

// CreateCharge is the argument of CreateChargeUpdate.
type CreateCharge struct {
	Source           charge.Source
	PaymentRequestID *string
	// Amount is in the natural unit of Currency, checked by the caller.
	Amount   money.Decimal
	Currency money.Currency
	// Metadata is a JSON object as it was sent.
	Metadata      string
	OrderID       *string
	Description   *string
	ReturnURL     *string
	Fields        []string
	LinkExpiresAt *time.Time
	// ClientCode and CrowdCode are those of charges.CreateCharge.
	ClientCode, CrowdCode []byte
}

// Charge carries one charge from its creation to its end: it waits for the
// watcher's signal or the payment timeout, lets the domain say what follows,
// and starts one webhook workflow per delivery.
func Charge(ctx workflow.Context, in ChargeInput) error {
	run := &chargeRun{in: in, payments: workflow.GetSignalChannel(ctx, PaymentsSignal)}
	if err := run.setup(ctx); err != nil {
		return err
	}
	if err := run.run(ctx); err != nil {
		return err
	}
	return finishUpdates(ctx)
}

type chargeRun struct {
	in       ChargeInput
	payments workflow.ReceiveChannel
	state    charges.ChargeState
	asking   bool
	answered bool
	created  bool
	refused  bool
	// moved is set when an update has changed the state: it is not shown yet.
	moved bool
	shown charge.Status
}

func (r *chargeRun) setup(ctx workflow.Context) error {
	if err := workflow.SetUpdateHandler(ctx, AcceptUpdate, r.accept); err != nil || r.in.Resume {
		return err
	}
	return workflow.SetUpdateHandler(ctx, CreateChargeUpdate, r.create)
}

// create is the update that makes the charge; the API waits for it.
func (r *chargeRun) create(ctx workflow.Context, req CreateCharge) error {
	r.asking = true
	var a *charges.Handler
	err := workflow.ExecuteLocalActivity(createContext(ctx), a.CreateCharge, charges.CreateCharge{
		ChargeID: r.in.ChargeID, MerchantID: r.in.MerchantID, Mode: r.in.Mode, Source: req.Source,
		PaymentRequestID: req.PaymentRequestID, Amount: req.Amount, Currency: req.Currency,
		Metadata: req.Metadata, OrderID: req.OrderID, Description: req.Description, ReturnURL: req.ReturnURL,
		Fields: req.Fields, LinkExpiresAt: req.LinkExpiresAt, ClientCode: req.ClientCode, CrowdCode: req.CrowdCode,
		Now: now(ctx),
	}).Get(ctx, &r.state)
	_, r.refused = refusals.Of(err)
	r.answered = true
	r.created = err == nil
	return err
}

// accept is the update by which a merchant takes less than was asked for.
func (r *chargeRun) accept(ctx workflow.Context) error {
	var a *charges.Handler
	var state charges.ChargeState
	err := workflow.ExecuteLocalActivity(createContext(ctx), a.AcceptUnderpaid, charges.AcceptUnderpaid{
		ChargeID: r.in.ChargeID, Now: now(ctx),
	}).Get(ctx, &state)
	if err == nil {
		r.state, r.moved = state, true
	}
	return err
}

func (r *chargeRun) run(ctx workflow.Context) error {
	if err := r.begin(ctx); err != nil || r.refused {
		return err
	}
	for {
		if err := r.publish(ctx); err != nil {
			return err
		}
		if r.state.Status != charge.Pending {
			if ended, err := r.ended(ctx); ended || err != nil {
				return err
			}
		} else if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			if err := finishUpdates(ctx); err != nil {
				return err
			}
			next := r.in
			next.Resume = true
			return workflow.NewContinueAsNewError(ctx, Charge, next)
		} else if err := r.wait(ctx); err != nil {
			return err
		}
		if gone, err := r.advance(ctx); gone || err != nil {
			return err
		}
	}
}

// begin returns once the charge exists, or will never exist. A creation that
// ended in a fault, or whose update was lost, may have left the charge behind
// with nobody told. Then the charge is looked for, however long the database
// is away.
func (r *chargeRun) begin(ctx workflow.Context) error {
	if !r.in.Resume {
		if err := awaitUpdate(ctx, r.in.Unasked, &r.asking, &r.answered); err != nil || r.created || r.refused {
			return err
		}
	}
	gone, err := r.advance(ctx)
	if err == nil && gone && r.asking { // it may have begun meanwhile
		err = workflow.Await(ctx, func() bool { return r.answered })
		gone = !r.created
	}
	r.refused = gone
	return err
}

// ended says whether a charge that does not wait any more has nothing left to
// do. An update that came meanwhile is finished first.
func (r *chargeRun) ended(ctx workflow.Context) (bool, error) {
	err := finishUpdates(ctx)
	return r.payments.Len() == 0 && !r.moved, err
}

// wait returns when the chain shows something new, an update changed the
// charge, or the timeout is reached. While a payment is confirmed it also
// returns after a while: news can be lost with Temporal's memory.
func (r *chargeRun) wait(ctx workflow.Context) error {
	pause := r.state.ExpiresAt.Sub(workflow.Now(ctx))
	if r.state.Received > 0 {
		pause = min(pause, recheck)
	}
	return awaitNews(ctx, func() bool { return r.moved || r.payments.Len() > 0 }, pause)
}

// advance drains the signals that came and looks at the facts once for all of
// them. gone is true when retention has removed the charge.
func (r *chargeRun) advance(ctx workflow.Context) (gone bool, err error) {
	r.moved = false
	for r.payments.ReceiveAsync(nil) {
	}
	var a *charges.Handler
	err = workflow.ExecuteLocalActivity(databaseContext(ctx), a.AdvanceCharge, charges.AdvanceCharge{
		ChargeID: r.in.ChargeID, Now: now(ctx),
	}).Get(ctx, &r.state)
	if refusals.Is(err, refusals.Missing) {
		return true, nil
	}
	return false, err
}

// publish shows operators where the charge stands and hands its deliveries to
// workflows of their own.
func (r *chargeRun) publish(ctx workflow.Context) error {
	workflow.SetCurrentDetails(ctx, r.details())
	if r.shown != r.state.Status {
		if err := workflow.UpsertTypedSearchAttributes(ctx, r.attributes()...); err != nil {
			return err
		}
		r.shown = r.state.Status
	}
	return startDeliveries(ctx, r.state.Deliveries)
}

// attributes are what changed of the search attributes. Whoever creates a
// charge sets all but the amount, which is not known before.
func (r *chargeRun) attributes() []temporal.SearchAttributeUpdate {
	if r.created && r.shown == "" {
		return []temporal.SearchAttributeUpdate{AmountXMRKey.ValueSet(r.state.AmountXMR.String())}
	}
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
