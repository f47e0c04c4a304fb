package witness

import (
	"context"
	"errors"
	"time"

	"github.com/durapay/durapay/internal/alert"
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
func AnswerSeen(ctx context.Context, q *db.Queries, deposit db.TakeAwaitedDepositParams) error {
	a, err := q.TakeAwaitedDeposit(ctx, deposit)
	if postgres.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	seen, err := q.DepositOfTrade(ctx, db.DepositOfTradeParams(deposit))
	if err != nil {
		return err
	}
	return Answer(ctx, q, a, seen.ID)
}

// ErrKnown is returned when a transaction must not be abandoned: the daemon has its
// bytes, or may get them.
var ErrKnown = errors.New("the network has the transaction, or may have it")

// Finder returns where the daemon has a transaction, by its hash and inputs. Bytes that
// a pool or a stale block keeps although they can never be mined are Unknown.
type Finder interface {
	Find(ctx context.Context, b chain.Built) (chain.Found, error)
}

// Releaser is a wallet that can forget the bytes of a transaction, so that their
// coins are free. Release returns chain.ErrInUse while the daemon has them.
type Releaser interface {
	Release(ctx context.Context, b chain.Built) error
}

// By records the actor and the time of an abandonment, for the transaction's row.
type By struct {
	Actor string
	At    time.Time
	// Spent reports whether another transaction spent its coins so many blocks ago that
	// this one can never be mined, unless the coins become free again.
	Spent bool
}

// Abandonable reports whether the daemon finds the transaction in no block and no
// pool, and no transaction in its pool decides whether it can be mined. A transaction
// whose inputs are missing is abandonable too: it is the least likely to be mined.
func Abandonable(found chain.Found) bool {
	return found.State == chain.Unknown && found.Inputs != chain.InputsContested
}

// WhyMinable explains to operators why a transaction that is in no block and no pool
// might still be mined. It is empty when another transaction in a block spends its
// coins.
func WhyMinable(inputs chain.InputState) string {
	switch inputs {
	case chain.InputsSpent:
		return ""
	case chain.InputsMissing:
		return "it spends from a transaction that is in no block and no pool either, and that may come back"
	case chain.InputsContested:
		return "another transaction in the pool spends its coins, and no block has decided between them"
	default:
		return "no other transaction spends its coins"
	}
}

// Abandon gives up the bytes of a transaction for good, if it is Abandonable. The
// bytes stay in the database, and the payments that they were for are due again.
// Abandon asks the daemon while it holds the row lock, because another run may have
// relayed the bytes since the caller asked.
//
// Some wallets must forget the bytes. They do so before the row is marked as
// abandoned. A crash in between does no harm, because bytes that a wallet has
// forgotten can still be relayed.
//
// It returns 0 for a transaction that is being built, confirmed or abandoned already.
// It returns ErrKnown for one that is not Abandonable or that the wallet finds in
// use.
func Abandon(ctx context.Context, q *db.Queries, id int64, by By, network Finder, wallet Releaser) (int64, error) {
	tx, err := q.LockOutgoing(ctx, id)
	if err != nil {
		return 0, err
	}
	if !MayBeRelayed(tx) {
		return 0, nil
	}
	found, err := network.Find(ctx, BuiltOf(tx))
	if err != nil {
		return 0, err
	}
	if !Abandonable(found) {
		return 0, ErrKnown
	}
	if wallet != nil {
		err = wallet.Release(ctx, BuiltOf(tx))
	}
	if errors.Is(err, chain.ErrInUse) {
		err = ErrKnown
	}
	if err != nil {
		return 0, err
	}
	n, err := q.AbandonOutgoing(ctx, db.AbandonOutgoingParams{
		ID: id, AbandonedAt: &by.At, AbandonedBy: by.Actor, NeverMined: by.Spent && found.Inputs == chain.InputsSpent,
	})
	if err != nil || n == 0 {
		return n, err
	}
	if err := q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.SendDropped, Subject: *tx.TxHash}); err != nil {
		return 0, err
	}
	return n, q.FreeTradePayments(ctx, id)
}

// GiveBack deletes a claim for which nothing was stored. It does nothing if another
// run has advanced the claim or deleted it in the meantime.
func GiveBack(ctx context.Context, q *db.Queries, id int64) error {
	tx, err := q.LockOutgoing(ctx, id)
	if postgres.IsNotFound(err) || (err == nil && TxState(tx.State) != TxBuilding) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := q.FreeTradePayments(ctx, id); err != nil {
		return err
	}
	return q.DropClaim(ctx, id)
}
