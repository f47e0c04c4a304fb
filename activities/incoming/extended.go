package incoming

import (
	"context"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// extended is a chain.Restorable of a wallet that takes addresses instead of their
// numbers.
type extended struct {
	chain.Receiver
	chain.Extendable

	store    *postgres.Store
	walletID string
}

var _ chain.Restorable = (*extended)(nil)

// receiverOf returns the receiver of a chain. One that is a wallet, whose file may be older
// than the database, becomes one that the watcher can restore.
func receiverOf(c Chain, store *postgres.Store) chain.Receiver {
	if w, ok := c.Receiver.(chain.Extendable); ok {
		return &extended{Receiver: c.Receiver, Extendable: w, store: store, walletID: c.WalletIDs[0]}
	}
	return c.Receiver
}

// Scan lists what the wallet received. The wallet does not know its ID.
func (e *extended) Scan(ctx context.Context, from, to uint64) ([]chain.Received, uint64, error) {
	list, upTo, err := e.Receiver.Scan(ctx, from, to)
	for i := range list {
		list[i].WalletID = e.walletID
	}
	return list, upTo, err
}

// Knows reports whether the wallet watches the highest address that the database knows.
// Addresses that only other copies of the database knew have no row, so the wallet cannot
// be asked about them.
func (e *extended) Knows(ctx context.Context, _ uint64) (bool, error) {
	address, _, err := e.highest(ctx)
	if err != nil || address == "" {
		return err == nil, err
	}
	return e.Watches(ctx, address)
}

// Adopt makes the wallet watch its addresses up to a number.
func (e *extended) Adopt(ctx context.Context, number uint64) error {
	address, known, err := e.highest(ctx)
	if err != nil || number == 0 {
		return err
	}
	return e.Extend(ctx, address, known, number-min(known, number))
}

// highest returns the highest address that the database knows, and its number; an empty
// one and 0 for none.
func (e *extended) highest(ctx context.Context) (address string, number uint64, err error) {
	highest, err := e.store.HighestAddressIndex(ctx, e.walletID)
	if err != nil || highest == 0 {
		return "", 0, err
	}
	address, err = e.store.AddressAt(ctx, db.AddressAtParams{WalletID: e.walletID, SubaddressIndex: highest})
	return address, uint64(highest), err
}
