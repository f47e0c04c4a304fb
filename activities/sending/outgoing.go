package sending

import (
	"context"
	"errors"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/money"
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

// Purpose is the purpose of a transaction.
type Purpose string

// The purposes, as the database knows them.
const (
	ForPayout      Purpose = "payout"
	ForTradePayout Purpose = "trade_payout"
	ForRefund      Purpose = "refund"
	// ForConsolidation is a payment of the exchange to itself.
	ForConsolidation Purpose = "consolidation"
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

// Signed is a built transaction, with its sums in the unit of the coin.
type Signed struct {
	Hash      string
	Raw       []byte
	Inputs    []string
	Paid, Fee money.Decimal
	// Payments are the received payments that a merchant's payout spends, and Unspent those
	// that it pays out and leaves unspent as a part of the fee; nil for all other
	// transactions.
	Payments, Unspent []int64
	// Proof is a secret; empty if the chain shows payments.
	Proof string
}

// StoreBytes stores the bytes of a claimed transaction: from here on these bytes are
// relayed, and no other ones. It is the one place that stores bytes. It returns
// postgres.ErrNotFound if the claim was given back meanwhile.
func (o *Outgoing) StoreBytes(ctx context.Context, q *db.Queries, id int64, s Signed) error {
	if err := o.holdLease(ctx, q, id); err != nil {
		return err
	}
	row := db.StoreBuiltParams{
		ID: id, TxHash: s.Hash, Raw: s.Raw, Inputs: s.Inputs, Payments: s.Payments, UnspentPayments: s.Unspent,
		Paid: s.Paid, Fee: s.Fee, BuiltAt: *o.Now(),
	}
	if s.Proof != "" {
		sealed, err := o.Secret.Seal([]byte(s.Proof), secret.ProofPlace(id))
		if err != nil {
			return err
		}
		row.ProofSealed = sealed
	}
	_, err := q.StoreBuilt(ctx, row)
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
