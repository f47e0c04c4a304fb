package charges

import (
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/event"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
)

// ChargeState is the state that the workflow of a charge needs to continue.
type ChargeState struct {
	MerchantID    string
	Sandbox       bool
	Status        charge.Status
	Amount        money.Decimal
	Currency      money.Currency
	AmountXMR     money.Piconero
	Received      money.Piconero
	Confirmations int32
	Required      int32
	ExpiresAt     time.Time
	Unbacked      bool
	// Deliveries are the deliveries that have not been attempted yet.
	Deliveries []string
}

// MakeCharge prices the charge, takes an address from the pool and inserts the row, its
// event and its deliveries. The same transaction writes a wakeup, which starts the charge's
// workflow. It returns the charge as reading it would. A second run
// finds the row and returns the same charge, even if a new one would be refused by now.
func (a *Handler) MakeCharge(ctx context.Context, in CreateCharge) (charge.Charge, error) {
	made, err := a.create(ctx, in)
	if _, refused := refusals.Of(err); !refused {
		return made, err
	}
	found, foundErr := a.Store.Charge(ctx, in.ChargeID, in.Now)
	if errors.Is(foundErr, postgres.ErrNotFound) {
		return charge.Charge{}, err
	}
	return found.Charge, foundErr
}

// create inserts a charge that does not exist. It waits for the database as rarely as it
// can: once to read what the charge begins with, and once for all writes.
func (a *Handler) create(ctx context.Context, in CreateCharge) (charge.Charge, error) {
	var made charge.Charge
	err := a.Store.TxTogether(ctx, func(q, later *db.Queries) error {
		if err := admit(ctx, q, in); err != nil {
			return err
		}
		begun, err := a.begin(ctx, q, in)
		if err != nil {
			return err
		}
		row, err := a.newRow(in, begun)
		if err != nil {
			return err
		}
		if err := a.needAddress(ctx, q, later, &row); err != nil {
			return err
		}
		if _, err := later.InsertCharge(ctx, row); err != nil {
			return err
		}
		wake := db.WakeNewChargeParams{ID: in.ChargeID, Owner: in.MerchantID, GraceSeconds: outbox.Grace.Seconds()}
		if err := later.WakeNewCharge(ctx, wake); err != nil {
			return err
		}
		made = postgres.NewCharge(row)
		facts := charge.Facts{Now: in.Now}
		if err := a.record(ctx, later, made, facts, charge.EventCreated); err != nil || !begun.HearsInvoices {
			return err
		}
		return recordInvoiceEvents(ctx, later, made, facts, []invoice.Event{invoice.CreatedEvent()})
	})
	if postgres.IsDuplicate(err) {
		return charge.Charge{}, refusals.New(refusals.NoAddress, "the receiving address is taken")
	}
	return made, err
}

// AdvanceCharge names the charge to advance.
type AdvanceCharge struct {
	ChargeID string
	// Now is the workflow's clock.
	Now time.Time
}

// AdvanceCharge compares the charge with the chain and writes the consequences in one
// transaction: the new state, its line in the ledger, its events and their deliveries. A
// second run changes nothing and returns the deliveries that were not attempted yet.
// Payments to a charge that is gone become unmatched payments.
func (a *Handler) AdvanceCharge(ctx context.Context, in AdvanceCharge) (ChargeState, error) {
	state, err := a.move(ctx, in.ChargeID, in.Now, func(_ context.Context, _ *db.Queries, c charge.Charge, _ charge.Facts) (charge.Charge, []string, error) {
		return c, nil, nil
	})
	if refusals.Is(err, refusals.Missing) {
		if kept := a.orphan(ctx, in.ChargeID); kept != nil {
			return ChargeState{}, kept
		}
	}
	return state, err
}

// change is a change that a merchant requests before a charge is advanced. It returns the
// events of the change.
type change func(context.Context, *db.Queries, charge.Charge, charge.Facts) (charge.Charge, []string, error)

// move locks the charge, makes the requested change and writes the consequences of the
// facts.
func (a *Handler) move(ctx context.Context, id string, now time.Time, asked change) (ChargeState, error) {
	var state ChargeState
	err := a.Store.Tx(ctx, func(q *db.Queries) error {
		row, err := q.LockCharge(ctx, id)
		if postgres.IsNotFound(err) {
			return refusals.New(refusals.Missing, "the charge does not exist any more")
		}
		if err != nil {
			return err
		}
		before := postgres.ChargeOf(row)
		facts, hears, err := a.facts(ctx, q, id, now)
		if err != nil {
			return err
		}
		changed, first, err := asked(ctx, q, before, facts)
		if err != nil {
			return err
		}
		after, events := charge.Advance(changed, facts, a.Rules)
		events = append(first, events...)
		if err := a.write(ctx, q, row, after, facts); err != nil {
			return err
		}
		if err := alertOwed(ctx, q, after); err != nil {
			return err
		}
		for _, name := range events {
			if err := a.record(ctx, q, after, facts, name); err != nil {
				return err
			}
		}
		if hears {
			if err := recordInvoiceEvents(ctx, q, after, facts, invoice.Events(before, after, facts)); err != nil {
				return err
			}
		}
		deliveries, err := q.UnsentDeliveries(ctx, id)
		state = stateOf(after, facts, deliveries)
		return err
	})
	return state, err
}

// write stores the new state of the charge and the consequences of a confirmation.
func (a *Handler) write(ctx context.Context, q *db.Queries, row db.Charge, after charge.Charge, facts charge.Facts) error {
	if err := save(ctx, q, row, after, facts); err != nil {
		return err
	}
	first := row.Status != string(charge.Confirmed)
	if after.Status != charge.Confirmed || (!first && after.Mark != charge.MarkedSettled) {
		return nil
	}
	if err := a.recordLedgerEntry(ctx, q, after, facts); err != nil || !first {
		return err
	}
	return complete(ctx, q, after, facts.Now)
}

// facts returns the payments and the height that the chain shows for a charge, as of one
// moment. It marks the payments as shown in the caller's transaction, so a payment
// becomes visible together with its consequences. The bool reports whether the merchant
// has a webhook in BTCPay's format.
func (a *Handler) facts(ctx context.Context, q *db.Queries, id string, now time.Time) (facts charge.Facts, hears bool, err error) {
	row, err := q.ChargeFacts(ctx, id)
	if err != nil {
		return charge.Facts{}, false, err
	}
	facts, newest, err := postgres.FactsOf(row, now)
	if err != nil || newest == 0 {
		return facts, row.HearsInvoices, err
	}
	return facts, row.HearsInvoices, q.UnfreshPayments(ctx, db.UnfreshPaymentsParams{ChargeID: id, UpTo: newest})
}

func save(ctx context.Context, q *db.Queries, row db.Charge, after charge.Charge, facts charge.Facts) error {
	before := postgres.ChargeOf(row)
	if after.Unbacked != before.Unbacked {
		if err := alertUnbacked(ctx, q, after); err != nil {
			return err
		}
	}
	is := progress(after, invoice.StateOf(after, facts).Status)
	if !reflect.DeepEqual(progress(before, invoice.Status(row.InvoiceStatus)), is) {
		return q.SaveCharge(ctx, is)
	}
	return nil
}

// complete counts the payment of a payment request, once, when its charge is confirmed. A
// second charge of a request for one payment is confirmed too, because its money is
// there.
func complete(ctx context.Context, q *db.Queries, c charge.Charge, now time.Time) error {
	if c.PaymentRequestID == nil {
		return nil
	}
	return q.CompletePaymentRequest(ctx, db.CompletePaymentRequestParams{ID: *c.PaymentRequestID, Now: now})
}

// alertOwed alerts operators to confirmed money whose merchant has deleted the account
// and so will never sweep it.
func alertOwed(ctx context.Context, q *db.Queries, c charge.Charge) error {
	if c.Status != charge.Confirmed || c.Sandbox {
		return nil
	}
	owed, err := q.IsOwedToDeleted(ctx, c.ID)
	if err != nil || !owed {
		return err
	}
	return q.OpenAlert(ctx, db.OpenAlertParams{
		Kind: alert.OwedToDeletedAccount, Subject: c.ID, Detail: "a payment was confirmed after its merchant had deleted the account",
	})
}

// progress returns the fields of a charge that Advance and marks may change, and its
// status as an invoice.
func progress(c charge.Charge, status invoice.Status) db.SaveChargeParams {
	p := db.SaveChargeParams{
		ID: c.ID, Status: string(c.Status), ExpiresAt: c.ExpiresAt, Extended: c.Extended,
		SeenAt: c.SeenAt, ConfirmedAt: c.ConfirmedAt, Late: c.Late, Unbacked: c.Unbacked, CountsUntil: c.CountsUntil,
		InvoiceStatus: string(status),
	}
	if c.Mark != charge.Unmarked {
		mark := string(c.Mark)
		p.Mark = &mark
	}
	return p
}

// alertUnbacked alerts operators if confirmed money left the chain, and closes the alert
// if it came back. Simulated money raises no alert.
func alertUnbacked(ctx context.Context, q *db.Queries, c charge.Charge) error {
	if c.Sandbox {
		return nil
	}
	if !c.Unbacked {
		return q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.ChargeUnbacked, Subject: c.ID})
	}
	return q.OpenAlert(ctx, db.OpenAlertParams{
		Kind: alert.ChargeUnbacked, Subject: c.ID, Detail: "the payment of a confirmed charge left the chain",
	})
}

// record records an event of the charge in its present state.
func (a *Handler) record(ctx context.Context, q *db.Queries, c charge.Charge, f charge.Facts, name string) error {
	view := charge.ViewOf(c, f, a.PublicURL)
	if err := putNotice(ctx, q, view, name, f.Now); err != nil {
		return err
	}
	_, err := event.Record(ctx, q, event.Event{
		MerchantID: c.MerchantID, Mode: modeOf(c.Sandbox), Type: name, ResourceID: c.ID,
		Data: view, Invoice: c.Checkout != nil, At: f.Now,
	})
	return err
}

func modeOf(sandbox bool) config.Mode {
	if sandbox {
		return config.Sandbox
	}
	return config.Live
}

func stateOf(c charge.Charge, f charge.Facts, deliveries []string) ChargeState {
	view := charge.PublicViewOf(c, f, "")
	return ChargeState{
		MerchantID: c.MerchantID, Sandbox: c.Sandbox, Status: c.Status, Amount: c.Amount, Currency: c.Currency,
		AmountXMR: c.AmountXMR, Received: view.AmountReceivedXMR, Confirmations: view.Confirmations,
		Required: c.ConfirmationsRequired, ExpiresAt: c.ExpiresAt, Unbacked: c.Unbacked, Deliveries: deliveries,
	}
}
