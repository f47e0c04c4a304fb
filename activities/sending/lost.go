package sending

import (
	"context"
	"errors"
	"fmt"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/witness"
)

// spentElsewhereDepth is for how many blocks another transaction must have spent a
// transaction's coins before that is abandoned.
const spentElsewhereDepth = 10

// SpentElsewhere reports whether a block holds another transaction that spends the coins.
func SpentElsewhere(found chain.Found) bool {
	return found.State == chain.Unknown && found.Inputs == chain.InputsSpent
}

// RecordSpentElsewhere records since when another transaction in a block has spent the
// coins, and deletes that record if none does any more. left is for how many more blocks
// the transaction may not be abandoned.
func (o *Outgoing) RecordSpentElsewhere(ctx context.Context, tx db.OutgoingTransaction, found chain.Found) (left int64, err error) {
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
	left, err := o.RecordSpentElsewhere(ctx, tx, found)
	switch {
	case err != nil:
		return "", err
	case !SpentElsewhere(found):
		return "it can still be mined: " + witness.WhyMinable(found.Inputs), nil
	case left > 0:
		return fmt.Sprintf("a reorganization could still bring it back: ask again in %d blocks", left), nil
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
