package outgoing

import (
	"context"
	"errors"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// ErrKnown says that bytes may not be abandoned: the daemon has them, or may get
// them.
var ErrKnown = errors.New("the network has the transaction, or may have it")

// Finder tells what became of a transaction.
type Finder interface {
	Find(ctx context.Context, b chain.Built) (chain.Found, error)
}

// Releaser is a wallet that can forget bytes, so that their coins are free. It
// fails with chain.ErrInUse while the daemon has them.
type Releaser interface {
	Release(ctx context.Context, b chain.Built) error
}

// By is by whom and when a transaction is given up, for its row.
type By struct {
	Actor string
	At    time.Time
	// Spent says that its coins have been spent by another transaction for so many
	// blocks that it can never be mined, unless they are free again.
	Spent bool
}

// Abandonable says that the daemon has a transaction in no block and no pool, and
// that nothing in its pool decides whether it can be mined. One that spends from a
// transaction that is gone itself is as far from being mined as one can be.
func Abandonable(found chain.Found) bool {
	return found.State == chain.Unknown && found.Inputs != chain.InputsContested
}

// WhyMinable says to operators why a transaction that is in no block and no pool
// might be mined after all. It is empty when another one in a block spends its coins.
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

// Abandon gives bytes up for good. They stay in the database, and what they
// were to pay is owed again. Only what is Abandonable is abandoned. The daemon
// is asked while the row is held, because another run may have relayed the
// bytes since the caller asked.
//
// Some wallets have to forget the bytes. They forget them before the bytes
// count as abandoned. A death in between does no harm: bytes that a wallet has
// forgotten are relayed again as well.
//
// It returns 0 when the transaction is mined deep enough or abandoned already.
// It fails with ErrKnown.
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

// GiveBack undoes a claim of which nothing was stored. It leaves a claim alone
// that another run has taken further meanwhile.
func GiveBack(ctx context.Context, q *db.Queries, id int64) error {
	tx, err := q.LockOutgoing(ctx, id)
	if postgres.IsNotFound(err) || (err == nil && State(tx.State) != Building) {
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
