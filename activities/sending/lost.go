package sending

import (
	"context"
	"errors"
	"fmt"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/outgoing"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// spentElsewhereDepth is for how many blocks the coins of a transaction must have been
// spent otherwise before it is abandoned.
const spentElsewhereDepth = 10

// SpentElsewhere says that a block holds another transaction that spends the coins.
func SpentElsewhere(found chain.Found) bool {
	return found.State == chain.Unknown && found.Inputs == chain.InputsSpent
}

// RecordSpentElsewhere records since when another transaction in a block has
// spent the coins, and forgets that when none does any more. left is for how
// many more blocks the transaction may not be abandoned.
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

// StillSpendable says why bytes may not be abandoned: they may still be mined,
// now or after a reorganization. It is empty when they never can be. It also
// records when their coins were first seen spent, so whoever asks too early
// can ask again.
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
		return "it can still be mined: " + outgoing.WhyMinable(found.Inputs), nil
	case left > 0:
		return fmt.Sprintf("a reorganization could still bring it back: ask again in %d blocks", left), nil
	default:
		return "", nil
	}
}

// Checked is what a look at a sent transaction found.
type Checked struct {
	chain.Found

	// Stuck says that the network has lost the transaction and refuses it now,
	// SpentElsewhere that another one has spent its coins.
	Stuck, SpentElsewhere bool
}

// Check looks where a sent transaction is, and relays the same bytes again when
// the network has lost them. Run twice, it looks twice.
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
		c.Stuck = true // the daemon may have the bytes still, and never mines them
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
