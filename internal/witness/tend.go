package witness

import (
	"context"
	"errors"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/postgres/db"
)

// tendEvery is the time between two comparisons of a wallet that nobody builds
// or relays from.
const tendEvery = 10 * time.Second

// Tend is Ensure with a comparison every few seconds, for whoever keeps a
// wallet's addresses ready all the time. Safe mode is not an error here. While the
// wallet's daemon is on another network, none of the addresses that are ready is handed
// out, and it returns ErrWrongChain.
func (k *Keeper) Tend(ctx context.Context, walletID string) (Standing, error) {
	if k.due(walletID) {
		// What is spent by hand meanwhile is seen with its block, or before something is built.
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

// withhold takes the lease away, so that no address is handed out, and tells operators
// why. When the wallet's own chain answers again the same lease is taken up: nothing was
// handed out meanwhile. In another instance of the database another is opened.
func (k *Keeper) withhold(ctx context.Context, walletID string, why error) error {
	k.Log.ErrorContext(ctx, "a wallet's daemon is on another network: nothing is done with the wallet", "wallet", walletID, "error", why)
	return k.Store.Tx(ctx, func(q *db.Queries) error {
		if err := q.WithholdLease(ctx, walletID); err != nil {
			return err
		}
		return q.OpenAlert(ctx, db.OpenAlertParams{Kind: alert.WrongChain, Subject: walletID, Detail: why.Error()})
	})
}

// onItsChain closes the notice that a wallet's daemon is on another network: the
// wallet's own chain has answered, whoever asked it.
func onItsChain(ctx context.Context, q *db.Queries, walletID string) error {
	return q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.WrongChain, Subject: walletID})
}

// due says whether the wallet was not compared here for a while, and counts from
// now if so.
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
