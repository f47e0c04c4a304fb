package exchangewatch

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

	wallet   chain.Extendable
	store    *postgres.Store
	walletID string
}

var _ chain.Restorable = (*extended)(nil)

// restorable returns the wallet as one that its watcher can restore, if the wallet's file
// may be older than the database.
func restorable(wallet chain.Receiver, store *postgres.Store, walletID string) chain.Receiver {
	if w, ok := wallet.(chain.Extendable); ok {
		return &extended{Receiver: wallet, wallet: w, store: store, walletID: walletID}
	}
	return wallet
}

// Knows reports whether the wallet watches its address with a number. 0 stands for no
// address.
func (e *extended) Knows(ctx context.Context, number uint64) (bool, error) {
	if number == 0 {
		return true, nil
	}
	address, err := e.address(ctx, number)
	if err != nil {
		return false, err
	}
	return e.wallet.Watches(ctx, address)
}

// Adopt makes the wallet watch its addresses up to a number.
func (e *extended) Adopt(ctx context.Context, number uint64) error {
	if number == 0 {
		return nil
	}
	address, err := e.address(ctx, number)
	if err != nil {
		return err
	}
	return e.wallet.Extend(ctx, address, number)
}

// Rescan makes the wallet read the chain again.
func (e *extended) Rescan(ctx context.Context) error { return e.wallet.Rescan(ctx) }

func (e *extended) address(ctx context.Context, number uint64) (string, error) {
	return e.store.ExchangeAddressNumbered(ctx, db.ExchangeAddressNumberedParams{WalletID: e.walletID, Number: int64(number)})
}
