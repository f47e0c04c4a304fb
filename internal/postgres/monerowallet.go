package postgres

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/durapay/durapay/internal/alert"
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

// PaidBelow reports whether the first blocks of the chain, so many, may pay an address with
// this index or a higher one, as the watcher has seen them. read is how many blocks it has
// read.
func (w MoneroWallet) PaidBelow(ctx context.Context, index uint32, blocks uint64) (paid bool, read uint64, err error) {
	scanned, err := w.store.ScannedHeight(ctx, w.walletID) // first, because the watcher only adds payments
	if err != nil {
		return false, 0, err
	}
	paid, err = w.store.MayBePaidBelow(ctx, db.MayBePaidBelowParams{WalletID: w.walletID, FromIndex: int64(index), Blocks: int64(blocks)})
	return paid, uint64(scanned), err
}

// ReportMismatch alerts operators to a wallet whose address differs from our derivation.
func (w MoneroWallet) ReportMismatch(ctx context.Context, detail string) error {
	return w.store.OpenAlert(ctx, db.OpenAlertParams{Kind: alert.AddressMismatch, Subject: w.walletID, Detail: detail})
}

// RecordOneTimeKeys stores that transactions in blocks have outputs of the wallet with these
// one-time keys, and returns the other transactions that were stored with one of the keys. It
// alerts operators to a key that several transactions have. A second call stores nothing.
func (w MoneroWallet) RecordOneTimeKeys(ctx context.Context, keys [][]byte, txHashes []string) (others []string, err error) {
	rows, err := w.store.RecordOneTimeKeys(ctx, db.RecordOneTimeKeysParams{WalletID: w.walletID, Keys: keys, TxHashes: txHashes})
	if err != nil {
		return nil, err
	}
	with := map[string][]string{}
	for i, key := range keys {
		with[string(key)] = append(with[string(key)], txHashes[i])
	}
	for _, r := range rows {
		with[string(r.Key)] = append(with[string(r.Key)], r.TxHash)
		others = append(others, r.TxHash)
	}
	for key, hashes := range with {
		slices.Sort(hashes)
		if hashes = slices.Compact(hashes); len(hashes) == 1 {
			continue
		}
		detail := fmt.Sprintf("transactions %s pay wallet %s with one key: only one of them can be spent, and one is counted",
			strings.Join(hashes, ", "), w.walletID)
		if err := w.store.OpenAlert(ctx, db.OpenAlertParams{Kind: alert.KeyRepeated, Subject: hex.EncodeToString([]byte(key)), Detail: detail}); err != nil {
			return nil, err
		}
	}
	slices.Sort(others)
	others = slices.Compact(others)
	return slices.DeleteFunc(others, func(hash string) bool { return slices.Contains(txHashes, hash) }), nil
}
