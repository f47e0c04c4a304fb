package witness

import (
	"context"
	"errors"
	"time"
)

// tendEvery is the time between two comparisons of a wallet that nobody builds
// or relays from.
const tendEvery = 5 * time.Second

// Tend is Ensure with a comparison every few seconds, for whoever keeps a
// wallet's addresses ready all the time. Safe mode is not an error here.
func (k *Keeper) Tend(ctx context.Context, walletID string) (Standing, error) {
	if k.due(walletID) {
		if err := k.Compare(ctx, walletID); err != nil && !errors.Is(err, ErrSafeMode) {
			return Standing{}, err
		}
	}
	return k.Ensure(ctx, walletID)
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
