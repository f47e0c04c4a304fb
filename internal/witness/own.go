package witness

import (
	"context"
	"fmt"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// A shop's own wallet has no file here and sends nothing, so its mark is in Temporal alone, and
// nothing has to be guessed after a restore: the wallet goes on in its next account.

// OpenOwn opens a lease of a shop's own wallet, unless one of this instance of the database is
// open. Addresses above everything that may have been given out follow: in the next account if
// the database is older than the mark. It returns ErrUnknown while the place does not answer.
func (k *Keeper) OpenOwn(ctx context.Context, walletID string, place Place) error {
	if err := k.Store.EnsureWitness(ctx, walletID); err != nil {
		return err
	}
	return k.alone(ctx, walletID, func(s *postgres.Session, row db.GetWitnessRow) error {
		if row.Current {
			return nil
		}
		mark, err := place.Read(ctx)
		if err != nil {
			return fmt.Errorf("%w: %s: %w", ErrUnknown, place.Name(), err)
		}
		stray, err := s.HighestUnmatchedIndex(ctx, walletID)
		if err != nil {
			return err
		}
		from := max(row.Witness.Addresses, mark.Addresses, stray)
		if row.Restored || mark.Addresses > row.Witness.Addresses {
			from = charge.EndOfAccount(from)
		}
		return s.Tx(ctx, func(q *db.Queries) error {
			return q.OpenLease(ctx, db.OpenLeaseParams{WalletID: walletID, LeaseFrom: from})
		})
	})
}

// ExtendOwn lets addresses of a shop's own wallet be given out up to a number. The mark is raised
// first.
func (k *Keeper) ExtendOwn(ctx context.Context, walletID string, place Place, to int64) error {
	return k.alone(ctx, walletID, func(s *postgres.Session, row db.GetWitnessRow) error {
		switch {
		case !row.Current:
			return fmt.Errorf("%w: the database was restarted", ErrUnknown)
		case to <= row.Witness.LeaseTo:
			return nil
		}
		if err := s.IntendAddresses(ctx, db.IntendAddressesParams{WalletID: walletID, Addresses: to}); err != nil {
			return err
		}
		if err := s.Still(ctx); err != nil {
			return err
		}
		if err := place.Raise(ctx, Mark{Addresses: to}, nil); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrUnknown, place.Name(), err)
		}
		extended, err := s.ExtendLease(ctx, db.ExtendLeaseParams{WalletID: walletID, LeaseTo: to})
		if err == nil && extended == 0 {
			err = fmt.Errorf("%w: the lease ended meanwhile", ErrUnknown)
		}
		return err
	})
}
