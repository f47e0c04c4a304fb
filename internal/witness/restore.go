package witness

import (
	"context"
	"errors"
	"fmt"

	"github.com/durapay/durapay/internal/postgres/db"
)

// restore lets a wallet that was made again know its addresses, and those up to least
// that other copies of the database may have made, before it is asked what it sent or
// holds.
func (k *Keeper) restore(ctx context.Context, q *db.Queries, walletID string, of Chain, least int64) error {
	highest, err := q.HighestMadeAddress(ctx, walletID)
	if err != nil {
		return err
	}
	switch of := of.(type) {
	case Restorable:
		highest = max(highest, least)
		again, err := of.Restore(ctx, highest)
		if again {
			k.Log.WarnContext(ctx, "a spending wallet did not know all of its addresses and has read the chain again", "wallet", walletID, "addresses", highest)
		}
		return err
	case Watching:
		return watched(ctx, q, walletID, of, highest)
	default:
		return nil
	}
}

// errUnread says that a wallet does not see all of its money.
var errUnread = errors.New("the wallet does not watch all of its addresses, or has not read the chain since: its watcher makes their keys and lets it read")

// watched fails until the wallet has made the keys of its addresses and has
// read the chain since then. The wallet's watcher does that, and stores what
// of it is due. Nobody else does it, since it could die in between, and nobody
// would know.
func watched(ctx context.Context, q *db.Queries, walletID string, of Watching, highest int64) error {
	if highest == 0 {
		return nil
	}
	address, err := q.ExchangeAddressNumbered(ctx, db.ExchangeAddressNumberedParams{WalletID: walletID, Number: highest})
	if err != nil {
		return err
	}
	watches, err := of.Watches(ctx, address)
	if err != nil {
		return fmt.Errorf("address %d: %w", highest, err)
	}
	// Read last: that the chain is to be read is stored before the keys are made.
	wallet, err := q.GetExchangeWallet(ctx, walletID)
	if err == nil && (!watches || wallet.Rescan) {
		err = errUnread
	}
	return err
}
