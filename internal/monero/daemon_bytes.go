package monero

import (
	"context"
	"fmt"
)

// TransactionBytes returns a transaction that the daemon knows, serialized
// (hex). The proofs are missing if the daemon has pruned them. It returns
// ErrNotFound for an unknown transaction.
func (d *Daemon) TransactionBytes(ctx context.Context, hash string) (string, error) {
	var out struct {
		daemonStatus
		Txs []struct {
			Hash   string `json:"tx_hash"`
			Whole  string `json:"as_hex"`
			Pruned string `json:"pruned_as_hex"`
		} `json:"txs"`
	}
	params := map[string]any{"txs_hashes": []string{hash}}
	if err := d.path(ctx, call{method: "get_transactions", params: params, safe: true}, &out); err != nil {
		return "", err
	}
	for _, tx := range out.Txs {
		if tx.Hash == hash && tx.Whole != "" {
			return tx.Whole, nil
		}
		if tx.Hash == hash && tx.Pruned != "" {
			return tx.Pruned, nil
		}
	}
	return "", fmt.Errorf("%w: transaction %s", ErrNotFound, hash)
}
