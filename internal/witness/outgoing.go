package witness

import (
	"context"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// TxState is the state of an outgoing transaction.
type TxState string

// The states, as stored in the database.
const (
	TxBuilding  TxState = "building"
	TxBuilt     TxState = "built"
	TxSent      TxState = "sent"
	TxConfirmed TxState = "confirmed"
	TxFailed    TxState = "failed"
	// TxAbandoned: its bytes were given up for good.
	TxAbandoned TxState = "abandoned"
)

// MayBeRelayed reports whether a transaction has bytes and is neither deep in the
// chain nor abandoned.
func MayBeRelayed(tx db.OutgoingTransaction) bool {
	switch TxState(tx.State) {
	case TxBuilt, TxSent, TxFailed:
		return true
	default:
		return false
	}
}

// BuiltOf returns the stored bytes of a transaction that has been built.
func BuiltOf(tx db.OutgoingTransaction) chain.Built {
	return chain.Built{TxHash: *tx.TxHash, Raw: tx.Raw, Inputs: tx.Inputs}
}

// Answer records that a recovered transaction answers a deposit. It replaces
// what this copy of the database had planned for the deposit. A payout means
// that the deposit came in time, whenever this copy first saw it. Running it
// twice changes nothing.
func Answer(ctx context.Context, q *db.Queries, a db.UnseenDeposit, depositID int64) error {
	if err := q.TakeOverPayment(ctx, db.TakeOverPaymentParams{
		TradeID: a.TradeID, DepositID: depositID, Kind: a.Kind, WalletID: a.WalletID,
		Amount: a.Amount, TransactionID: a.TransactionID, Paid: a.Paid, Fee: a.Fee, CreatedAt: a.CreatedAt,
	}); err != nil || a.Kind != "payout" {
		return err
	}
	return q.CountDepositAsInTime(ctx, depositID)
}

// AnswerSeen runs for every deposit, in the transaction that stores it. If a
// recovered transaction already answered the deposit before it was seen,
// AnswerSeen records that.
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
