package upkeep

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// leftover returns the batch of a step for rows that are never read once they are old
// enough. It removes all rows that it finds, so it needs no position.
func leftover[Params ~struct {
	Before time.Time
	Batch  int32
}](remove func(context.Context, Params) (int64, error)) batch {
	return func(ctx context.Context, before time.Time, _ Position) (int, Position, error) {
		n, err := remove(ctx, Params{Before: before, Batch: pruneBatch})
		return int(n), Position{}, err
	}
}

// only returns the batch of a step that has nothing to do unless a setting is on.
func only(on bool, do batch) batch {
	if on {
		return do
	}
	return func(context.Context, time.Time, Position) (int, Position, error) { return 0, Position{}, nil }
}

// pruneSwaps removes swaps that have ended and need no operator.
func (a *Retention) pruneSwaps(ctx context.Context, before time.Time, _ Position) (int, Position, error) {
	n, err := a.Store.PruneSwaps(ctx, db.PruneSwapsParams{Before: before, AlertKind: alert.SwapUnclear, Batch: pruneBatch})
	return int(n), Position{}, err
}

// releaseUnverified ends accounts whose address was not confirmed in time. Anyone can
// open an account with any address, so the address must become free for its owner. An
// account that has any data of its own stays.
func (a *Retention) releaseUnverified(ctx context.Context, before time.Time, _ Position) (int, Position, error) {
	found, err := a.Store.UnverifiedAccounts(ctx, db.UnverifiedAccountsParams{Before: before, Batch: pruneBatch})
	if err != nil {
		return 0, Position{}, err
	}
	for _, m := range found {
		if err := a.release(ctx, m.MerchantID, before); err != nil {
			return 0, Position{}, err
		}
	}
	return len(found), Position{}, nil
}

// release ends one account. It locks the account's row, so that nothing can be added
// meanwhile. Then it checks the account once more, to see additions that came before the
// lock.
func (a *Retention) release(ctx context.Context, merchantID string, now time.Time) error {
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		_, err := q.LockMerchantForDeletion(ctx, merchantID)
		if postgres.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		still, err := q.UnverifiedAccounts(ctx, db.UnverifiedAccountsParams{Before: now, MerchantID: merchantID, Batch: 1})
		if err != nil || len(still) == 0 {
			return err
		}
		for _, drop := range []func(context.Context, string) error{q.DropAPIKeys, q.DropBackupCodes, q.DropEmailVerification} {
			if err := drop(ctx, merchantID); err != nil {
				return err
			}
		}
		if err := q.EndGrants(ctx, db.EndGrantsParams{MerchantID: merchantID, Now: now, AccountEnds: true}); err != nil {
			return err
		}
		if err := q.ClearLoginFailures(ctx, still[0].EmailIndex); err != nil {
			return err
		}
		return q.EraseMerchant(ctx, db.EraseMerchantParams{MerchantID: merchantID, Now: now})
	})
}
