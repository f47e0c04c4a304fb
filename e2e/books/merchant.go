package books

import (
	"fmt"
	"slices"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/regtest"
	"github.com/durapay/durapay/internal/money"
)

// Charge compares a charge with the amount that was sent for it, and its events
// with its state: each event once, and exactly those that lead there.
func Charge(c clients.Charge, events []string, sent money.Piconero) []Fault {
	var faults []Fault
	if c.AmountReceivedXMR != sent {
		faults = append(faults, Fault{Received, c.ID, fmt.Sprintf("%s XMR of %s XMR", c.AmountReceivedXMR, sent)})
	}
	return append(faults, Events(c.ID+" ("+c.Status+")", ChargeEvents(c), events)...)
}

// ChargeEvents are the events of a charge that is what it is. charge.pending
// is not among those of an expired charge, since a part of the money may or
// may not have been seen in time.
func ChargeEvents(c clients.Charge) []string {
	events := []string{"charge.created"}
	if c.Status == "confirmed" && !c.Late {
		return append(events, "charge.pending", "charge.confirmed")
	}
	if c.Status == "pending" {
		if len(c.Payments) > 0 {
			events = append(events, "charge.pending")
		}
		return events
	}
	events = append(events, "charge.expired")
	if c.Late {
		events = append(events, "charge.late_confirmed")
	}
	return events
}

// Invoice compares a charge with its events in BTCPay's shape: each once, and exactly
// those that lead there. It leaves out events that depend on the moment of a scan: that an
// invoice is processing, and that it expired with a part of its money.
func Invoice(c clients.Charge, events []string) []Fault {
	want := []string{"InvoiceCreated"}
	if c.Status == "expired" || c.Late {
		want = append(want, "InvoiceExpired")
	}
	switch {
	case c.Late && !slices.Contains(events, "InvoiceSettled"): // marked by hand, it is settled
		want = append(want, "InvoicePaidAfterExpiration")
	case c.Status == "confirmed":
		want = append(want, "InvoiceSettled")
	}
	for range c.Payments {
		want = append(want, "InvoiceReceivedPayment")
		if c.Status == "confirmed" {
			want = append(want, "InvoicePaymentSettled")
		}
	}
	told := slices.DeleteFunc(slices.Clone(events), func(name string) bool {
		return name == "InvoiceProcessing" || name == "InvoiceExpiredPaidPartial"
	})
	return Events(c.ID+" ("+c.Status+", as an invoice)", want, told)
}

// Payout compares a payout with its events. A payout that was released after it was
// sent has its event, too.
func Payout(p clients.Payout, events []string, released bool) []Fault {
	switch p.Status {
	case "broadcast", "confirmed":
		return Events(p.PayoutID, []string{"payout.sent"}, events)
	case "failed":
		if released {
			return nil
		}
		return Events(p.PayoutID, nil, events)
	default:
		return []Fault{{PaidOut, p.PayoutID, "it is " + p.Status}}
	}
}

// PaidOutTo compares the payouts that went to an address with the transactions that
// arrived there: the same transactions with the same amounts. It leaves out payouts
// that pay a swap.
func PaidOutTo(payouts []clients.Payout, receipts []regtest.Receipt) []Fault {
	booked := map[string]money.Piconero{}
	for _, p := range payouts {
		if (p.Status == "broadcast" || p.Status == "confirmed") && p.SwapID == nil {
			booked[*p.TxHash] = p.AmountXMR
		}
	}
	var faults []Fault
	for _, r := range receipts {
		if booked[r.TxHash] != r.Amount {
			faults = append(faults, Fault{PaidOut, r.TxHash, fmt.Sprintf("%s XMR on the chain, %s XMR in the books", r.Amount, booked[r.TxHash])})
		}
		delete(booked, r.TxHash)
	}
	for hash, amount := range booked {
		faults = append(faults, Fault{PaidOut, hash, fmt.Sprintf("not on the chain, %s XMR in the books", amount)})
	}
	return faults
}
