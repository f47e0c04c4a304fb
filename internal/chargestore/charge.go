package chargestore

import (
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/rates"
	"github.com/durapay/durapay/internal/refusals"
)

// Charges holds the settings of charges. Its methods are short transactions without external
// calls.
type Charges struct {
	Store *postgres.Store
	// Prices answers from memory; it never waits for an exchange.
	Prices interface {
		Price(currency money.Currency) (rates.Quote, error)
	}
	Rules                 charge.Rules
	ChargeTimeout         time.Duration
	ButtonChargeTimeout   time.Duration
	ConfirmationsRequired int32
	// ConfirmationSteps, if there are any, replace ConfirmationsRequired.
	ConfirmationSteps charge.Steps
	TolerancePercent  money.Decimal
	// PendingMax is how many charges of a merchant may be pending if the merchant has no
	// number of their own; 0 stands for charge.MaxPending.
	PendingMax int32
	// Simulated is set if charges of the sandbox are simulated: they have no wallet.
	Simulated bool
	// SandboxWallets are the configured wallets of mode sandbox. If a merchant's own wallet
	// is not among them, another one takes its place.
	SandboxWallets []string
	// Custody is which wallets shops may have. FeeRate is the operator's share if neither the
	// merchant nor a volume tier has a rate.
	Custody config.Custody
	FeeRate money.Decimal
	// PublicURL is the base URL of payment pages, without a trailing slash.
	PublicURL string

	// known are the settings from which the process last made charges, and hands the addresses
	// that it may give to charges.
	known settings
	hands hands
}

// Create prices the charge, gives it an address and inserts the row, its event, its
// deliveries and a wakeup, which starts the charge's workflow, in one transaction. It returns
// the charge as reading it would. A second run
// finds the row and returns the same charge, even if a new one would be refused by now.
func (s *Charges) Create(ctx context.Context, in New) (charge.Charge, error) {
	made, err := s.create(ctx, in)
	if _, refused := refusals.Of(err); !refused {
		return made, err
	}
	found, foundErr := s.Store.Charge(ctx, in.ChargeID, in.Now)
	if errors.Is(foundErr, postgres.ErrNotFound) {
		return charge.Charge{}, err
	}
	return found.Charge, foundErr
}

// create inserts a charge that does not exist. With settings that the process knows, it waits
// for the database once. If these do not lead to a charge, it reads them, which also says why.
func (s *Charges) create(ctx context.Context, in New) (charge.Charge, error) {
	if begun, known := s.known.of(in); known {
		made, err := s.attempt(ctx, in, begun)
		if !again(err) && !refused(err) {
			return made, err
		}
		s.known.forget(in)
	}
	for n := 1; ; n++ {
		begun, err := s.begin(ctx, in)
		if err != nil {
			return charge.Charge{}, err
		}
		made, err := s.attempt(ctx, in, begun)
		if err == nil {
			s.known.keep(in, begun)
		}
		if !again(err) {
			return made, err
		}
		if n == attempts {
			return made, refusals.New(refusals.NoAddress, "no receiving address could be given, try again: "+err.Error())
		}
	}
}

// Advanced is a charge with the facts of the chain.
type Advanced struct {
	Charge charge.Charge
	Facts  charge.Facts
	// Deliveries are the deliveries that have not been attempted yet.
	Deliveries []string
}

// Advance compares the charge with the chain and writes the consequences in one
// transaction: the new state, its line in the ledger, its events and their deliveries. A
// second run changes nothing and returns the deliveries that were not attempted yet. If the
// charge is gone, its payments become unmatched payments, and Advance returns
// refusals.Missing.
func (s *Charges) Advance(ctx context.Context, id string, now time.Time) (advanced Advanced, err error) {
	err = s.Store.Tx(ctx, func(q *db.Queries) error {
		advanced, err = s.move(ctx, q, id, now, func(c charge.Charge, _ charge.Facts) (charge.Charge, []string, error) { return c, nil, nil })
		return err
	})
	if refusals.Is(err, refusals.Missing) {
		if kept := s.orphan(ctx, id); kept != nil {
			return Advanced{}, kept
		}
	}
	return advanced, err
}

// change is a change that a merchant requests before a charge is advanced. It returns the
// events of the change.
type change func(charge.Charge, charge.Facts) (charge.Charge, []string, error)

// move locks the charge, makes the requested change and writes the consequences of the
// facts.
func (s *Charges) move(ctx context.Context, q *db.Queries, id string, now time.Time, requested change) (Advanced, error) {
	row, err := q.LockCharge(ctx, id)
	if postgres.IsNotFound(err) {
		return Advanced{}, refusals.New(refusals.Missing, "the charge does not exist any more")
	}
	if err != nil {
		return Advanced{}, err
	}
	before := postgres.ChargeOf(row)
	facts, toBTCPay, err := s.facts(ctx, q, id, now)
	if err != nil {
		return Advanced{}, err
	}
	changed, first, err := requested(before, facts)
	if err != nil {
		return Advanced{}, err
	}
	after, events := charge.Advance(changed, facts, s.Rules)
	if err := s.write(ctx, q, row, after, facts); err != nil {
		return Advanced{}, err
	}
	if err := alertOwed(ctx, q, after); err != nil {
		return Advanced{}, err
	}
	for _, name := range append(first, events...) {
		if err := s.record(ctx, q, after, facts, name); err != nil {
			return Advanced{}, err
		}
	}
	if toBTCPay {
		if err := recordInvoiceEvents(ctx, q, after, facts, invoice.Events(before, after, facts)); err != nil {
			return Advanced{}, err
		}
	}
	deliveries, err := q.UnsentDeliveries(ctx, id)
	return Advanced{after, facts, deliveries}, err
}

// write stores the new state of the charge and the consequences of a confirmation.
func (s *Charges) write(ctx context.Context, q *db.Queries, row db.Charge, after charge.Charge, facts charge.Facts) error {
	if err := save(ctx, q, row, after, facts); err != nil {
		return err
	}
	first := row.Status != string(charge.Confirmed)
	if after.Status != charge.Confirmed || (!first && after.Mark != charge.MarkedSettled) {
		return nil
	}
	if err := s.recordLedgerEntry(ctx, q, after, facts); err != nil || !first {
		return err
	}
	if err := wakeReceipt(ctx, q, after); err != nil {
		return err
	}
	return complete(ctx, q, after, facts.Now)
}

// facts returns the payments and the height that the chain shows for a charge, as of one
// moment. It marks the payments as shown in the caller's transaction, so a payment
// becomes visible together with its consequences. The bool reports whether the merchant
// has a webhook in BTCPay's format.
func (s *Charges) facts(ctx context.Context, q *db.Queries, id string, now time.Time) (facts charge.Facts, toBTCPay bool, err error) {
	row, err := q.ChargeFacts(ctx, id)
	if err != nil {
		return charge.Facts{}, false, err
	}
	facts, newest, err := postgres.FactsOf(row, now)
	if err != nil || newest == 0 {
		return facts, row.HasInvoiceWebhook, err
	}
	return facts, row.HasInvoiceWebhook, q.UnfreshPayments(ctx, db.UnfreshPaymentsParams{ChargeID: id, UpTo: newest})
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
		p.Mark = new(string(c.Mark))
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
func (s *Charges) record(ctx context.Context, q *db.Queries, c charge.Charge, f charge.Facts, name string) error {
	view := charge.ViewOf(c, f, s.PublicURL)
	if err := putNotice(ctx, q, view, name, f.Now); err != nil {
		return err
	}
	_, err := Record(ctx, q, Event{
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
