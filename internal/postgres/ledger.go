package postgres

import (
	"context"
	"fmt"
	"iter"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/report"
	"github.com/durapay/durapay/internal/wire"
)

// ledgerBatch is the number of rows of the ledger in memory at a time.
const ledgerBatch = 500

// Transactions reads a merchant's confirmed charges of one mode, the first
// confirmed first. It reads them in batches. So memory stays constant and no
// connection is held, however many there are and however slowly the caller
// reads them. It ends with the first error.
func (s *Store) Transactions(ctx context.Context, merchantID string, mode config.Mode, span report.Span) iter.Seq2[report.Transaction, error] {
	next := db.ListLedgerParams{
		MerchantID: merchantID, Mode: string(mode), AfterAt: span.From, Until: span.To, Batch: ledgerBatch,
	}
	return func(yield func(report.Transaction, error) bool) {
		for {
			rows, err := s.ListLedger(ctx, next)
			if err != nil {
				yield(report.Transaction{}, fmt.Errorf("read the ledger: %w", err))
				return
			}
			for _, r := range rows {
				if !yield(transactionOf(r), nil) {
					return
				}
			}
			if len(rows) < ledgerBatch {
				return
			}
			last := rows[len(rows)-1].Ledger
			next.AfterAt, next.AfterID = last.ConfirmedAt, last.ChargeID
		}
	}
}

func transactionOf(r db.ListLedgerRow) report.Transaction {
	l := r.Ledger
	value := &report.Fiat{FiatValue: l.FiatValue, FiatCurrency: (*money.Currency)(l.FiatCurrency), FiatRate: l.FiatRate}
	if l.FiatValue == nil && l.Currency != string(money.XMR) {
		value = report.Own(l.Amount, money.Currency(l.Currency), l.AmountPiconero, l.ReceivedPiconero)
	}
	return report.Transaction{
		ChargeID: l.ChargeID, CreatedAt: wire.TimeOf(l.CreatedAt), ConfirmedAt: wire.TimeOf(l.ConfirmedAt),
		Amount: l.Amount, Currency: money.Currency(l.Currency), AmountXMR: l.AmountPiconero,
		AmountReceivedXMR: l.ReceivedPiconero, OrderID: l.OrderID, PayoutID: r.PayoutID,
		Fiat: value,
	}
}
