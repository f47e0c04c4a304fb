package chargestore

import (
	"context"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/report"
)

// recordLedgerEntry writes a charge that has just been confirmed into the ledger, in the
// transaction of its confirmation. For a charge that was marked as settled the entry has
// the amount in blocks: it is written once blocks hold some money, as of that moment, and
// raised when they hold more. Without a usable price the fiat value stays unknown,
// because a confirmation does not wait for an exchange.
func (s *Charges) recordLedgerEntry(ctx context.Context, q *db.Queries, c charge.Charge, f charge.Facts) error {
	row := db.InsertLedgerParams{
		ChargeID: c.ID, MerchantID: c.MerchantID, Mode: string(modeOf(c.Sandbox)), CreatedAt: c.CreatedAt,
		ConfirmedAt: *c.ConfirmedAt, Amount: c.Amount, Currency: string(c.Currency), AmountPiconero: c.AmountXMR,
		ReceivedPiconero: charge.PublicViewOf(c, f, s.PublicURL).AmountReceivedXMR, OrderID: c.Order(),
	}
	if c.Mark == charge.MarkedSettled {
		row.ReceivedPiconero, row.ConfirmedAt = charge.Mined(f), f.Now
	}
	if row.ReceivedPiconero == 0 {
		return nil
	}
	reporting, err := q.GetReporting(ctx, c.MerchantID)
	if err != nil {
		return err
	}
	if reporting.ReportingEnabled {
		if quote, err := s.Prices.Price(money.Currency(reporting.ReportingCurrency)); err == nil {
			row.FiatValue, row.FiatRate, row.FiatCurrency = new(report.ValueOf(row.ReceivedPiconero, quote.Price)), &quote.Price, &reporting.ReportingCurrency
		}
	}
	if row.FeeOwed, err = s.feeOwed(ctx, q, c, row.ReceivedPiconero); err != nil {
		return err
	}
	return q.InsertLedger(ctx, row)
}

// feeOwed returns the operator's share of money that a shop's own wallet received. No payout
// takes it, so it is booked as owed. It is 0 for hosted money.
func (s *Charges) feeOwed(ctx context.Context, q *db.Queries, c charge.Charge, received money.Piconero) (money.Piconero, error) {
	if !charge.IsOwn(c.WalletID) {
		return 0, nil
	}
	m, err := q.GetMerchant(ctx, c.MerchantID)
	if err != nil {
		return 0, err
	}
	rate, err := postgres.FeeRate(ctx, q, m, s.FeeRate, *c.ConfirmedAt)
	if err != nil {
		return 0, err
	}
	return payout.Fee(received, rate)
}

// recordInvoiceEvents writes events in BTCPay's format and their deliveries, in the
// transaction of the change that caused them. An event that was recorded before is not
// recorded twice. It is called for merchants who have a webhook in that format.
func recordInvoiceEvents(ctx context.Context, q *db.Queries, c charge.Charge, f charge.Facts, events []invoice.Event) error {
	if len(events) == 0 {
		return nil
	}
	in := db.RecordInvoiceEventsParams{MerchantID: c.MerchantID, Mode: string(modeOf(c.Sandbox)), ResourceID: c.ID, CreatedAt: f.Now}
	for _, e := range events {
		body, err := e.Body(c, f)
		if err != nil {
			return err
		}
		in.Types, in.Parts, in.Payloads = append(in.Types, e.Type), append(in.Parts, e.Part), append(in.Payloads, string(body))
	}
	// This waits for a webhook that is being replaced, so the events see either the old one
	// or the new one.
	if _, err := q.HoldWebhooks(ctx, db.HoldWebhooksParams{MerchantID: in.MerchantID, Mode: in.Mode}); err != nil {
		return err
	}
	_, err := q.RecordInvoiceEvents(ctx, in)
	return err
}

// putNotice writes a notice for the merchant's mails about an event of a live charge, in
// the transaction of the event.
func putNotice(ctx context.Context, q *db.Queries, view charge.View, event string, at time.Time) error {
	kind, ok := noticeOf(view, event)
	if !ok || view.Sandbox {
		return nil
	}
	return notice.PutBusiness(ctx, q, notice.BusinessNotice{
		MerchantID: view.MerchantID, Kind: kind, ResourceID: view.ID, Amount: &view.AmountReceivedXMR, At: at,
	})
}

// wakeReceipt has the receipt of a charge mailed that has just been confirmed. A charge that asks
// for no email address has none, and a charge that was marked by hand was not paid here.
func wakeReceipt(ctx context.Context, q *db.Queries, c charge.Charge) error {
	if c.Mark != charge.Unmarked || !slices.Contains(c.Fields, charge.EmailField) {
		return nil
	}
	return q.WakeReceipt(ctx, db.WakeReceiptParams{MailID: notice.ReceiptID(c.ID), ChargeID: c.ID})
}

func noticeOf(view charge.View, event string) (notice.BusinessKind, bool) {
	switch event {
	case charge.EventConfirmed:
		return notice.ChargePaid, true
	case charge.EventLateConfirmed:
		return notice.Late, true
	case charge.EventExpired:
		return notice.Underpaid, view.PaymentState == charge.Partial
	default:
		return "", false
	}
}

// Reasons why money is unmatched.
const (
	NoCharge     = "money on a subaddress that belongs to no charge"
	BeforeCharge = "the payment was in the chain before the charge of its subaddress was made: it is somebody else's"
)

// UnmatchedAlert returns the alert about money that belongs to no charge.
func UnmatchedAlert(txHash string, index int32, why string) db.OpenAlertParams {
	return db.OpenAlertParams{Kind: alert.PaymentUnmatched, Subject: alert.PaymentSubject(txHash, index), Detail: why}
}

// orphan turns the payments to a charge that is gone into unmatched payments: they were
// seen while the charge was being removed, or came back to the chain later. A second run
// finds none.
func (s *Charges) orphan(ctx context.Context, chargeID string) error {
	return s.Store.Tx(ctx, func(q *db.Queries) error {
		rows, err := q.OrphanPayments(ctx, chargeID)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if err := q.OpenAlert(ctx, UnmatchedAlert(r.TxHash, r.SubaddressIndex, NoCharge)); err != nil {
				return err
			}
		}
		return nil
	})
}
