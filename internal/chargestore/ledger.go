package chargestore

import (
	"context"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
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
			value := report.ValueOf(row.ReceivedPiconero, quote.Price)
			row.FiatValue, row.FiatRate, row.FiatCurrency = &value, &quote.Price, &reporting.ReportingCurrency
		}
	}
	return q.InsertLedger(ctx, row)
}
