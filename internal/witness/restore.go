package witness

import (
	"context"
	"errors"
	"fmt"

	"github.com/durapay/durapay/internal/postgres/db"
)

// restore makes a wallet that was created again make its addresses, up to the highest
// one that this database knows or that another copy of it may have given out. That
// happens before the wallet is asked what it sent or holds.
func (k *Keeper) restore(ctx context.Context, q *db.Queries, walletID string, of Chain) error {
	switch of := of.(type) {
	case Restorable:
		highest, err := q.HighestMadeAddress(ctx, walletID)
		if err != nil {
			return err
		}
		again, err := of.Restore(ctx, highest)
		if again {
			k.Log.WarnContext(ctx, "a spending wallet did not know all of its addresses and has read the chain again", "wallet", walletID, "addresses", highest)
		}
		return err
	case Watching:
		return watched(ctx, q, walletID, of)
	default:
		return nil
	}
}

// errUnread is returned when a wallet does not see all of its money.
var errUnread = errors.New("the wallet does not watch all of its addresses, or has not read the chain since: its watcher makes their keys and lets it read")

// watched returns an error until the wallet has made the keys of its addresses and
// has read the chain since then. The chain's watcher does both, and stores which of
// them is due. No other process does it, because it could die in between without a
// record of that.
func watched(ctx context.Context, q *db.Queries, walletID string, of Watching) error {
	highest, err := q.HighestAddressIndex(ctx, walletID)
	if err != nil || highest == 0 {
		return err
	}
	address, err := q.AddressAt(ctx, db.AddressAtParams{WalletID: walletID, SubaddressIndex: highest})
	if err != nil {
		return err
	}
	watches, err := of.Watches(ctx, address)
	if err != nil {
		return fmt.Errorf("address %d: %w", highest, err)
	}
	// This is read last, because the watcher stores that the chain must be read before it
	// makes the keys.
	scanned, err := q.ChainOfWallet(ctx, walletID)
	if err == nil && (!watches || scanned.Rescan) {
		err = errUnread
	}
	return err
}
