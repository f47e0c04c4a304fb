package sending

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/witness"
)

// Outgoing carries every transaction that this service makes, for merchants' payouts and
// for the exchange. The wallet is claimed. The transaction is built once and its bytes
// are stored. These bytes are relayed until they are mined. They are confirmed once they
// are deep, or abandoned. docs/architecture.md has the consequences of a process that
// dies in between. Payouts and trades know what a transaction pays and how it is built.
type Outgoing struct {
	Store  *postgres.Store
	Secret *secret.Box
	// Network returns the network of a wallet's transactions.
	Network func(walletID string) (Network, error)
	// Witness knows outside of the database which transactions may have been relayed.
	Witness *witness.Keeper
	Clock   func() time.Time
}

// Network takes transactions and returns their state. Each chain.Wallet is one, and
// documents the methods.
type Network interface {
	Tip(ctx context.Context) (chain.Tip, error)
	Relay(ctx context.Context, b chain.Built) error
	Find(ctx context.Context, b chain.Built) (chain.Found, error)
}

// The purposes of transactions, as the database knows them.
const (
	ForPayout      = "payout"
	ForTradePayout = "trade_payout"
	ForRefund      = "refund"
	// ForConsolidation is a payment of the exchange to itself.
	ForConsolidation = "consolidation"
)

// MayBuild must be called before a wallet signs anything. It returns witness.ErrSafeMode
// if the database is older than the transactions that were sent.
func (o *Outgoing) MayBuild(ctx context.Context, walletID string) error {
	if _, err := o.Network(walletID); err != nil {
		return err
	}
	return o.Witness.Compare(ctx, walletID)
}

// relay is the one place that hands bytes to a daemon, the first time and every later
// time. It reads the row again and locks it until the daemon has answered, so that bytes
// are never relayed after they were abandoned. It returns errMoved if another run has
// advanced the transaction, and chain.ErrRefused if the daemon refuses the bytes and does
// not know them.
func (o *Outgoing) relay(ctx context.Context, tx db.OutgoingTransaction) error {
	network, err := o.Network(tx.WalletID)
	if err != nil {
		return err
	}
	if err := o.bearWitness(ctx, tx); err != nil {
		return err
	}
	return o.Store.Tx(ctx, func(q *db.Queries) error {
		now, err := q.LockOutgoing(ctx, tx.ID)
		if err != nil {
			return err
		}
		if !witness.MayBeRelayed(now) || *now.Seq != *tx.Seq { // the witness has no entry for another number
			return errMoved
		}
		if err := o.holdLease(ctx, q, tx.ID); err != nil {
			return err
		}
		return network.Relay(ctx, witness.BuiltOf(now))
	})
}

// errMoved means that another run has advanced a transaction since it was read: the
// caller must read it again.
var errMoved = errors.New("the transaction was changed by another run")

// Find asks the daemon for the state of a transaction.
func (o *Outgoing) Find(ctx context.Context, tx db.OutgoingTransaction) (chain.Found, error) {
	network, err := o.Network(tx.WalletID)
	if err != nil {
		return chain.Found{}, err
	}
	return network.Find(ctx, witness.BuiltOf(tx))
}

// StoreBytes stores the bytes of a claimed transaction: from here on these bytes are
// relayed, and no other ones. It is the one place that stores bytes. It returns
// postgres.ErrNotFound if the claim was given back meanwhile. The row has the sums in the
// unit of the coin. Payments are the received payments that a merchant's payout spends, and
// UnspentPayments those that it pays out and leaves unspent as a part of the fee; nil for
// all other transactions. The proof is a secret; empty if the chain shows payments.
func (o *Outgoing) StoreBytes(ctx context.Context, q *db.Queries, id int64, row db.StoreBuiltParams, proof string) (err error) {
	if err := o.holdLease(ctx, q, id); err != nil {
		return err
	}
	row.ID, row.BuiltAt = id, *o.Now()
	if proof != "" {
		if row.ProofSealed, err = o.Secret.Seal([]byte(proof), secret.ProofPlace(id)); err != nil {
			return err
		}
	}
	_, err = q.StoreBuilt(ctx, row)
	return err
}

// EnsureRelayed returns once the daemon knows the transaction, in its pool or in a block.
// It asks the daemon first, and relays nothing that an earlier run has relayed. It calls
// first before it relays bytes that the daemon does not know.
func (o *Outgoing) EnsureRelayed(ctx context.Context, tx db.OutgoingTransaction, first func(chain.Found) error) (chain.Found, error) {
	found, err := o.Find(ctx, tx)
	if err != nil || found.State != chain.Unknown {
		return found, err
	}
	if first != nil {
		if err := first(found); err != nil {
			return found, err
		}
	}
	err = o.relay(ctx, tx)
	if errors.Is(err, chain.ErrRefused) { // known meanwhile, or another transaction spends its inputs
		now, findErr := o.Find(ctx, tx)
		if findErr != nil || now.State != chain.Unknown {
			return now, findErr
		}
		found = now
	}
	if err != nil {
		return found, err
	}
	return chain.Found{State: chain.InPool}, nil
}

// Confirm records that a transaction lies deep enough.
func (o *Outgoing) Confirm(ctx context.Context, q *db.Queries, tx db.OutgoingTransaction, height uint64) error {
	at := int64(height)
	if _, err := q.MarkOutgoingConfirmed(ctx, db.MarkOutgoingConfirmedParams{ID: tx.ID, Height: &at, ConfirmedAt: o.Now()}); err != nil {
		return err
	}
	return q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.SendDropped, Subject: *tx.TxHash})
}

// Abandon gives bytes up for good, and makes the wallet forget them if it knows them: a
// wallet of Bitcoin's kind keeps their coins as spent and relays them again by itself.
// See witness.Abandon.
func (o *Outgoing) Abandon(ctx context.Context, q *db.Queries, tx db.OutgoingTransaction, actor string) (int64, error) {
	network, err := o.Network(tx.WalletID)
	if err != nil {
		return 0, err
	}
	var wallet witness.Releaser
	if sender, ok := network.(chain.Sender); ok {
		wallet = sender
	}
	by := witness.By{Actor: actor, At: *o.Now()}
	if tx.SpentElsewhereHeight != nil {
		tip, err := network.Tip(ctx)
		if err != nil {
			return 0, err
		}
		by.Spent = int64(tip.Height) >= *tx.SpentElsewhereHeight+spentElsewhereDepth
	}
	return witness.Abandon(ctx, q, tx.ID, by, network, wallet)
}

// Now returns the time for rows: in UTC, in whole milliseconds.
func (o *Outgoing) Now() *time.Time {
	now := o.Clock().UTC().Truncate(time.Millisecond)
	return &now
}

// Self is the actor who abandons transactions without an operator's request.
const Self = "durapay"

// spentElsewhereDepth is for how many blocks another transaction must have spent a
// transaction's coins before that is abandoned.
const spentElsewhereDepth = 10

// SpentElsewhere reports whether a block holds another transaction that spends the coins.
func SpentElsewhere(found chain.Found) bool {
	return found.State == chain.Unknown && found.Inputs == chain.InputsSpent
}

// RecordSpentElsewhere records since when another transaction in a block has spent the
// coins, and deletes that record if none does any more. remaining is for how many more
// blocks the transaction may not be abandoned.
func (o *Outgoing) RecordSpentElsewhere(ctx context.Context, tx db.OutgoingTransaction, found chain.Found) (remaining int64, err error) {
	network, err := o.Network(tx.WalletID)
	if err != nil {
		return 0, err
	}
	tip, err := network.Tip(ctx)
	if err != nil {
		return 0, err
	}
	since, err := o.Store.RecordSpentElsewhere(ctx, db.RecordSpentElsewhereParams{ID: tx.ID, SpentElsewhere: SpentElsewhere(found), Height: int64(tip.Height)})
	if postgres.IsNotFound(err) { // abandoned meanwhile
		return 0, nil
	}
	return max(since+spentElsewhereDepth-int64(tip.Height), 0), err
}

// StillSpendable returns why bytes may not be abandoned: they may still be mined, now or
// after a reorganization. It is empty if they never can be. It also records when their
// coins were first seen spent, so a caller who asks too early can ask later.
func (o *Outgoing) StillSpendable(ctx context.Context, tx db.OutgoingTransaction) (why string, err error) {
	found, err := o.Find(ctx, tx)
	if err != nil {
		return "", err
	}
	remaining, err := o.RecordSpentElsewhere(ctx, tx, found)
	switch {
	case err != nil:
		return "", err
	case !SpentElsewhere(found):
		return "it can still be mined: " + witness.WhyMinable(found.Inputs), nil
	case remaining > 0:
		return fmt.Sprintf("a reorganization could still bring it back: ask again in %d blocks", remaining), nil
	default:
		return "", nil
	}
}

// Checked is the result of a check of a sent transaction.
type Checked struct {
	chain.Found

	// Stuck is set if the network has lost the transaction and refuses it now, or if
	// SpentElsewhere is set: another transaction has spent its coins.
	Stuck, SpentElsewhere bool
}

// Check looks for a sent transaction, and relays the same bytes again if the network has
// lost them. A second run checks a second time.
func (o *Outgoing) Check(ctx context.Context, tx db.OutgoingTransaction) (Checked, error) {
	found, err := o.Find(ctx, tx)
	if err != nil {
		return Checked{}, err
	}
	c := Checked{Found: found, SpentElsewhere: SpentElsewhere(found)}
	if c.SpentElsewhere != (tx.SpentElsewhereHeight != nil) {
		if _, err := o.RecordSpentElsewhere(ctx, tx, found); err != nil {
			return c, err
		}
	}
	if c.SpentElsewhere {
		c.Stuck = true // the daemon may still have the bytes, but never mines them
		return c, nil
	}
	if found.State != chain.Unknown {
		return c, nil
	}
	err = o.relay(ctx, tx)
	if c.Stuck = errors.Is(err, chain.ErrRefused); c.Stuck {
		return c, nil
	}
	return c, err
}
