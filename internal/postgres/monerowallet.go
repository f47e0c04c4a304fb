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

// MoneroWallets is what the scans of Monero wallets share.
type MoneroWallets struct{ store *Store }

// MoneroWallets returns all wallets.
func (s *Store) MoneroWallets() MoneroWallets { return MoneroWallets{s} }

// HighestAddress returns the highest index of an address of a wallet that may have been given
// out.
func (w MoneroWallets) HighestAddress(ctx context.Context, walletID string) (uint64, error) {
	highest, err := w.store.HighestMadeAddress(ctx, walletID)
	return uint64(highest), err
}

// AddressesOf returns for each wallet its address with the public spend key at the same
// position, with the address's number. It returns an empty address where the wallet has none.
func (w MoneroWallets) AddressesOf(ctx context.Context, walletIDs []string, spendKeys [][]byte) (numbers []uint32, addresses []string, err error) {
	rows, err := w.store.AddressesOfSpendKeys(ctx, db.AddressesOfSpendKeysParams{WalletIds: walletIDs, SpendKeys: spendKeys})
	if err != nil {
		return nil, nil, err
	}
	type claim struct{ walletID, key string }
	known := make(map[claim]db.AddressesOfSpendKeysRow, len(rows))
	for _, r := range rows {
		known[claim{r.WalletID, string(r.SpendKey)}] = r
	}
	numbers, addresses = make([]uint32, len(spendKeys)), make([]string, len(spendKeys))
	for i, key := range spendKeys {
		r := known[claim{walletIDs[i], string(key)}]
		numbers[i], addresses[i] = uint32(r.SubaddressIndex), r.Address
	}
	return numbers, addresses, nil
}

// RecordOneTimeKeys stores that transactions in blocks have outputs of a wallet with these
// one-time keys, and returns the other transactions that were stored with one of the keys. It
// alerts operators to a key that several transactions have. A second call stores nothing.
func (w MoneroWallets) RecordOneTimeKeys(ctx context.Context, walletID string, keys [][]byte, txHashes []string) (others []string, err error) {
	rows, err := w.store.RecordOneTimeKeys(ctx, db.RecordOneTimeKeysParams{WalletID: walletID, Keys: keys, TxHashes: txHashes})
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
			strings.Join(hashes, ", "), walletID)
		if err := w.store.OpenAlert(ctx, db.OpenAlertParams{Kind: alert.KeyRepeated, Subject: hex.EncodeToString([]byte(key)), Detail: detail}); err != nil {
			return nil, err
		}
	}
	slices.Sort(others)
	others = slices.Compact(others)
	return slices.DeleteFunc(others, func(hash string) bool { return slices.Contains(txHashes, hash) }), nil
}
