package invoice

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/webhook"
)

// Event is an event of an invoice in BTCPay's format.
type Event struct {
	// Type is one of webhook.BTCPayEvents.
	Type string
	// Part is the transaction of the payment that the event is about; empty for an
	// event of the invoice.
	Part string
	// Extra holds the fields that this type has in addition to the common ones.
	Extra map[string]any
}

// payment is one payment as the events show it.
type payment struct {
	ID           string `json:"id"`
	ReceivedDate int64  `json:"receivedDate"`
	Value        string `json:"value"`
	Fee          string `json:"fee"`
	Status       Status `json:"status"`
	Destination  string `json:"destination"`
}

// Events returns the events of a charge's change: those of the invoice and those of its
// payments. It may return an event again, so the caller stores each type and part once.
func Events(before, after charge.Charge, f charge.Facts) []Event {
	events := append(expiry(before, after, f), payments(after, f)...)
	is, over := StateOf(after, f), charge.PublicViewOf(after, f, "").PaymentState == charge.Overpaid
	changed := is.Status != statusOf(before)
	if is.Status == Processing {
		events = append(events, Event{Type: webhook.InvoiceProcessing, Extra: map[string]any{"overPaid": over}})
	}
	switch {
	case changed && is.Additional == PaidLate:
		events = append(events, Event{Type: webhook.InvoicePaidAfterExpiration})
	case changed && is.Status == Settled:
		events = append(events, Event{Type: webhook.InvoiceSettled, Extra: map[string]any{"manuallyMarked": is.Additional == Marked, "overPaid": over}})
	case changed && is.Status == Invalid:
		events = append(events, Event{Type: webhook.InvoiceInvalid, Extra: map[string]any{"manuallyMarked": true}})
	}
	return events
}

// expiry comes before the money that came too late.
func expiry(before, after charge.Charge, f charge.Facts) []Event {
	if before.Status != charge.Pending || after.Status != charge.Expired && !after.Late || after.Mark != charge.Unmarked {
		return nil
	}
	inTime := slices.ContainsFunc(f.Payments, func(p charge.Payment) bool { return !p.FirstSeenAt.After(after.ExpiresAt) })
	events := []Event{{Type: webhook.InvoiceExpired, Extra: map[string]any{"partiallyPaid": inTime}}}
	if inTime {
		events = append(events, Event{Type: webhook.InvoiceExpiredPaidPartial})
	}
	return events
}

// statusOf is where a charge stood before, as far as events ask.
func statusOf(c charge.Charge) Status {
	switch {
	case c.Mark == charge.MarkedInvalid:
		return Invalid
	case c.Status == charge.Confirmed:
		return Settled
	default:
		return New
	}
}

// maxPaymentEvents is the number of an invoice's payments that have events: the first
// ones. So a customer who sends dust causes no more deliveries than that. The invoice
// shows all payments.
const maxPaymentEvents = 100

// payments returns the events of the first payments: received, and deep enough.
func payments(c charge.Charge, f charge.Facts) (events []Event) {
	first := slices.SortedFunc(slices.Values(f.Payments), func(a, b charge.Payment) int {
		return cmp.Or(a.FirstSeenAt.Compare(b.FirstSeenAt), cmp.Compare(a.TxHash, b.TxHash))
	})
	for _, p := range first[:min(len(first), maxPaymentEvents)] {
		events = append(events, ofPayment(webhook.InvoiceReceivedPayment, c, p, Processing))
		if p.Mature {
			events = append(events, ofPayment(webhook.InvoicePaymentSettled, c, p, Settled))
		}
	}
	return events
}

func ofPayment(event string, c charge.Charge, p charge.Payment, status Status) Event {
	return Event{Type: event, Part: p.TxHash, Extra: map[string]any{
		"afterExpiration": p.FirstSeenAt.After(c.ExpiresAt), "paymentMethodId": MethodXMR, "payment": payment{
			ID: p.TxHash + "-0", ReceivedDate: p.FirstSeenAt.Unix(), Value: p.Amount.String(), Fee: "0", Status: status, Destination: c.Subaddress,
		},
	}}
}

// Body returns the event's body, as it is stored.
func (e Event) Body(c charge.Charge, f charge.Facts) ([]byte, error) {
	body, err := webhook.BTCPayBody(e.Type, c.MerchantID, c.ID, f.Now, e.Extra)
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", e.Type, c.ID, err)
	}
	return body, nil
}
