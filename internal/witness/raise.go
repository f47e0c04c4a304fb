package witness

import (
	"context"
	"errors"
	"fmt"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// BeforeRelay records in the places that a stored transaction may have been relayed.
// When it returns nil, the caller may relay the transaction. again means that the
// transaction was relayed before: then no place is asked. In safe mode no
// transaction may be relayed, not even one that was relayed before, because newer
// rows may have abandoned it and paid its debt with another one. It returns
// ErrSafeMode or ErrUnknown.
func (k *Keeper) BeforeRelay(ctx context.Context, walletID string, e Entry, again bool) error {
	s, err := k.Ensure(ctx, walletID)
	if err != nil || s.Safe != "" || again {
		return errors.Join(err, s.Err())
	}
	return k.alone(ctx, walletID, func(s *postgres.Session, row db.GetWitnessRow) error {
		if err := k.again(ctx, s, row, Now); err != nil {
			return err
		}
		if err := k.raise(ctx, s, walletID, Mark{Sends: e.Seq}, &e); err != nil {
			return err
		}
		return s.MarkSends(ctx, db.MarkSendsParams{WalletID: walletID, Sends: e.Seq})
	})
}

// Extend moves the end of the wallet's lease: once it returns, addresses up to this
// index may be given out. It writes the intended end first, so that a place that
// knows the new end does not make the database look older. In safe mode it writes
// nothing, because a recovery compares the places with the earlier intention.
func (k *Keeper) Extend(ctx context.Context, walletID string, to int64) error {
	now, err := k.Store.GetWitness(ctx, walletID)
	if err == nil {
		err = standing(now.Witness).Err()
	}
	if err != nil {
		return err
	}
	if err := k.Store.IntendAddresses(ctx, db.IntendAddressesParams{WalletID: walletID, Addresses: to}); err != nil {
		return err
	}
	return k.alone(ctx, walletID, func(s *postgres.Session, row db.GetWitnessRow) error {
		if row.Witness.LeaseTo >= to && row.Current {
			return nil
		}
		if err := k.again(ctx, s, row, ByBlock); err != nil {
			return err
		}
		if err := k.raise(ctx, s, walletID, Mark{Addresses: to}, nil); err != nil {
			return err
		}
		return s.ExtendLease(ctx, db.ExtendLeaseParams{WalletID: walletID, LeaseTo: to})
	})
}

// raise raises both places. Raising the wallet's own file must succeed.
func (k *Keeper) raise(ctx context.Context, s *postgres.Session, walletID string, to Mark, e *Entry) error {
	for i, p := range k.Wallets[walletID].Places() {
		if err := s.Still(ctx); err != nil {
			return err
		}
		err := p.Raise(ctx, to, e)
		switch {
		case errors.Is(err, ErrConflict):
			return k.enter(ctx, s, walletID, p.Name()+": "+err.Error())
		case err != nil && i == 0:
			return fmt.Errorf("%w: %s: %w", ErrUnknown, p.Name(), err)
		case err != nil:
			k.Log.WarnContext(ctx, "Temporal did not take a mark; it is raised by the next comparison", "wallet", walletID, "error", err)
		}
	}
	return nil
}
