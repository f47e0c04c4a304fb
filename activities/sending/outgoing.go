package sending

import (
	"context"
	"errors"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/outgoing"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/witness"
)

// Outgoing carries every transaction that this service makes, for merchants'
// payouts and for the exchange. The wallet is claimed. The transaction is
// built once and its bytes are stored. These bytes are relayed until they are
// mined. They are confirmed once they are deep, or abandoned.
// docs/architecture.md says what follows when a process dies in between. What
// a transaction pays, and how it is built, is for payouts and trades to know.
type Outgoing struct {
	Store  *postgres.Store
	Secret *secret.Box
	// Network is where the transactions of a wallet go.
	Network func(walletID string) (Network, error)
	// Witness knows outside of the database what may have been relayed.
	Witness *witness.Keeper
	Clock   func() time.Time
}

// Network takes transactions and tells what became of them. Each chain.Wallet
// is one; what its methods promise stands there.
type Network interface {
	Tip(ctx context.Context) (chain.Tip, error)
	Relay(ctx context.Context, b chain.Built) error
	Find(ctx context.Context, b chain.Built) (chain.Found, error)
}

// Purpose is what a transaction is made for.
type Purpose string

// The purposes, as the database knows them.
const (
	ForPayout      Purpose = "payout"
	ForTradePayout Purpose = "trade_payout"
	ForRefund      Purpose = "refund"
	// ForConsolidation is a payment of the exchange to itself.
	ForConsolidation Purpose = "consolidation"
)

// MayBuild is asked before a wallet signs anything. It returns
// witness.ErrSafeMode when the database is older than what was sent.
func (o *Outgoing) MayBuild(ctx context.Context, walletID string) error {
	if _, err := o.Network(walletID); err != nil {
		return err
	}
	return o.Witness.MayBuild(ctx, walletID)
}

// relay is the one place where bytes are handed to a daemon, for the first
// time and again. It reads the row anew and holds it until the daemon has
// answered, so that bytes are never relayed after they were abandoned. It
// returns errMoved when another run has taken the transaction further, and
// chain.ErrRefused when the daemon refuses the bytes and does not know them.
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
		if !outgoing.MayBeRelayed(now) || *now.Seq != *tx.Seq { // of another number no place was told
			return errMoved
		}
		if err := o.holdLease(ctx, q, tx.ID); err != nil {
			return err
		}
		return network.Relay(ctx, outgoing.BuiltOf(now))
	})
}

// errMoved says that another run has taken a transaction further since it was
// read: what follows must be read anew.
var errMoved = errors.New("the transaction was changed by another run")

// Find asks the daemon what became of a transaction.
func (o *Outgoing) Find(ctx context.Context, tx db.OutgoingTransaction) (chain.Found, error) {
	network, err := o.Network(tx.WalletID)
	if err != nil {
		return chain.Found{}, err
	}
	return network.Find(ctx, outgoing.BuiltOf(tx))
}

// Signed is what a builder made, with its sums in the unit of the coin.
type Signed struct {
	Hash      string
	Raw       []byte
	Inputs    []string
	Paid, Fee money.Decimal
	// Payments are the received payments that a merchant's payout spends, and Unspent
	// those that it pays out and leaves unspent as a part of the fee; nil for all else.
	Payments, Unspent []int64
	// Proof is a secret; empty where the chain shows payments.
	Proof string
}

// StoreBytes makes the bytes of a claimed transaction known: from here on these
// bytes are relayed, and no others. It is the one place where bytes are
// stored. It returns postgres.ErrNotFound when the claim was given back
// meanwhile.
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

// EnsureRelayed returns once the daemon knows the transaction, in its pool or
// in a block. It asks the daemon first, and relays nothing that an earlier run
// has relayed. It calls first before it relays bytes that the daemon does not
// know.
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
	if errors.Is(err, chain.ErrRefused) { // known meanwhile, or another one spends its inputs
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

// Abandon gives bytes up for good, and has the wallet forget them, where it knows
// them: a wallet of Bitcoin's kind keeps their coins as spent and relays them again
// by itself. See outgoing.Abandon.
func (o *Outgoing) Abandon(ctx context.Context, q *db.Queries, tx db.OutgoingTransaction, actor string) (int64, error) {
	network, err := o.Network(tx.WalletID)
	if err != nil {
		return 0, err
	}
	var wallet outgoing.Releaser
	if sender, ok := network.(chain.Sender); ok {
		wallet = sender
	}
	by := outgoing.By{Actor: actor, At: *o.Now()}
	if tx.SpentElsewhereHeight != nil {
		tip, err := network.Tip(ctx)
		if err != nil {
			return 0, err
		}
		by.Spent = int64(tip.Height) >= *tx.SpentElsewhereHeight+spentElsewhereDepth
	}
	return outgoing.Abandon(ctx, q, tx.ID, by, network, wallet)
}

// Now is the moment that rows are written with: in UTC, whole milliseconds.
func (o *Outgoing) Now() *time.Time {
	now := o.Clock().UTC().Truncate(time.Millisecond)
	return &now
}

// Self is who abandons transactions that no operator asked for.
const Self = "durapay"
