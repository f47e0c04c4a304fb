package postgres

import (
	"context"

	"github.com/durapay/durapay/internal/postgres/db"
)

// MoneroWallet is what the scans of one Monero wallet share.
type MoneroWallet struct {
	store    *Store
	walletID string
}

// MoneroWallet returns the wallet with an ID.
func (s *Store) MoneroWallet(walletID string) MoneroWallet { return MoneroWallet{s, walletID} }

// HighestAddress returns the highest index of an address that may have been given out.
func (w MoneroWallet) HighestAddress(ctx context.Context) (uint64, error) {
	highest, err := w.store.HighestMadeAddress(ctx, w.walletID)
	return uint64(highest), err
}

// RecordOneTimeKeys stores that transactions in blocks have outputs of the wallet with these
// one-time keys, and returns the other transactions that were stored with one of the keys. A
// second call stores nothing.
func (w MoneroWallet) RecordOneTimeKeys(ctx context.Context, keys [][]byte, txHashes []string) (others []string, err error) {
	in := db.RecordOneTimeKeysParams{WalletID: w.walletID, Keys: keys, TxHashes: txHashes}
	return w.store.Queries.RecordOneTimeKeys(ctx, in)
}
