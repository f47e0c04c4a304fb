package witness

import (
	"context"
	"errors"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/postgres/db"
)

// tendEvery is the time between two comparisons of a wallet for which no transaction is
// built or relayed.
const tendEvery = 10 * time.Second

// Tend is Ensure with a comparison every few seconds, for the process that keeps a
// wallet's addresses ready. Safe mode is not an error here. While the wallet's daemon is
// on another network, Tend returns ErrWrongChain and none of the ready addresses is
// given out.
func (k *Keeper) Tend(ctx context.Context, walletID string) (Standing, error) {
	if k.due(walletID) {
		// A transaction by hand is seen with its block, or before a transaction is built.
		err := k.compareBy(ctx, walletID, sentByBlock)
		if errors.Is(err, ErrWrongChain) {
			return Standing{}, errors.Join(err, k.withhold(ctx, walletID, err))
		}
		if err != nil && !errors.Is(err, ErrSafeMode) {
			return Standing{}, err
		}
	}
	return k.Ensure(ctx, walletID)
}

// withhold removes the lease, so that no address is given out, and opens an alert with
// the reason. When the wallet's own chain answers again, the same lease continues,
// because no address was given out meanwhile. In another instance of the database a new
// lease is opened.
func (k *Keeper) withhold(ctx context.Context, walletID string, why error) error {
	k.Log.ErrorContext(ctx, "a wallet's daemon is on another network: nothing is done with the wallet", "wallet", walletID, "error", why)
	return k.Store.Tx(ctx, func(q *db.Queries) error {
		if err := q.WithholdLease(ctx, walletID); err != nil {
			return err
		}
		return q.OpenAlert(ctx, db.OpenAlertParams{Kind: alert.WrongChain, Subject: walletID, Detail: why.Error()})
	})
}

// onItsChain resolves the alert that a wallet's daemon is on another network, because
// the wallet's own chain has answered a caller.
func onItsChain(ctx context.Context, q *db.Queries, walletID string) error {
	return q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.WrongChain, Subject: walletID})
}

// due reports whether this process has not compared the wallet for tendEvery. If so, the
// time counts from now.
func (k *Keeper) due(walletID string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.Clock()
	if now.Sub(k.compared[walletID]).Abs() < tendEvery {
		return false
	}
	if k.compared == nil {
		k.compared = map[string]time.Time{}
	}
	k.compared[walletID] = now
	return true
}
