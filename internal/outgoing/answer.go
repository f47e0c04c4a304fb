package outgoing

import (
	"context"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// Answer lets a deposit be answered by a transaction that was taken over. That
// replaces what this copy of the database had planned for it. A deposit that
// was swapped had come in time, whenever this copy saw it first. Run twice, it
// changes nothing.
func Answer(ctx context.Context, q *db.Queries, a db.UnseenDeposit, depositID int64) error {
	if err := q.TakeOverPayment(ctx, db.TakeOverPaymentParams{
		TradeID: a.TradeID, DepositID: depositID, Kind: a.Kind, WalletID: a.WalletID,
		Amount: a.Amount, TransactionID: a.TransactionID, Paid: a.Paid, Fee: a.Fee, CreatedAt: a.CreatedAt,
	}); err != nil || a.Kind != "payout" {
		return err
	}
	return q.CountDepositAsInTime(ctx, depositID)
}

// AnswerSeen is called for every deposit, in the transaction that stores it.
// It answers a deposit that a transaction had answered before it was seen.
func AnswerSeen(ctx context.Context, q *db.Queries, deposit db.TakeAwaitedDepositParams, depositID int64) error {
	a, err := q.TakeAwaitedDeposit(ctx, deposit)
	if postgres.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return Answer(ctx, q, a, depositID)
}
