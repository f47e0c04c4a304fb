package monero

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// BlockBytes returns the hash (64 hex digits) and the bytes (hex) of the block at a
// height. The daemon may lie about both. It returns ErrNotFound above the top.
func (d *Daemon) BlockBytes(ctx context.Context, height uint64) (hash, blobHex string, err error) {
	var out struct {
		daemonStatus
		Blob   string `json:"blob"`
		Header struct {
			Hash string `json:"hash"`
		} `json:"block_header"`
	}
	k := call{Method: "get_block", Params: map[string]any{"height": height}, Safe: true}
	err = d.rpc(ctx, k, &out)
	return out.Header.Hash, out.Blob, err
}

// PoolHashes returns the hashes of the transactions in the pool. A restricted daemon
// leaves out those that it has not relayed yet.
func (d *Daemon) PoolHashes(ctx context.Context) ([]string, error) {
	var out struct {
		daemonStatus
		Hashes []string `json:"tx_hashes"`
	}
	k := call{Method: "get_transaction_pool_hashes", Params: struct{}{}, Safe: true}
	err := d.path(ctx, k, &out)
	return out.Hashes, err
}

// TxBytes are a transaction's bytes, as far as they are needed to read its outputs and to
// compute its hash.
type TxBytes struct {
	Hash string `json:"tx_hash"`
	// Pruned are the bytes without the proofs (hex), and PrunableHash is the proofs' hash.
	// PrunableHash is empty for transactions of version 1, whose hash covers every byte.
	Pruned       string `json:"pruned_as_hex"`
	PrunableHash string `json:"prunable_hash"`
	// Whole are all bytes (hex). Empty if PrunableHash is not.
	Whole string `json:"as_hex"`

	TxPlace
}

// TxPlace is where a daemon has a transaction.
type TxPlace struct {
	// InPool reports whether the transaction waits for a block; DoubleSpendSeen is meant for
	// such ones alone.
	InPool          bool `json:"in_pool"`
	DoubleSpendSeen bool `json:"double_spend_seen"`
	// Height is that of the block; 0 in the pool.
	Height uint64 `json:"block_height"`
	// SeenAt is when the daemon received it, or the time of its block. It is zero in the pool
	// of a restricted daemon, which does not tell it.
	SeenAt time.Time `json:"-"`
}

// TxBytes asks for transactions by their hashes (64 hex digits). Those that the daemon
// does not know are not in the result. It asks a second time for them, for the reason of
// Transactions.
func (d *Daemon) TxBytes(ctx context.Context, hashes []string) (map[string]TxBytes, error) {
	known := make(map[string]TxBytes, len(hashes))
	ask := func(hashes []string, prune bool) error {
		for chunk := range slices.Chunk(hashes, txsPerCall) {
			txs, err := d.getTransactions(ctx, chunk, prune)
			if err != nil {
				return err
			}
			for _, tx := range txs {
				known[tx.Hash] = tx.TxBytes
			}
		}
		return nil
	}
	if err := ask(hashes, true); err != nil {
		return nil, err
	}
	missing := func(hash string) bool { _, found := known[hash]; return !found }
	if err := ask(only(hashes, missing), true); err != nil {
		return nil, err
	}
	unhashable := func(hash string) bool { tx, found := known[hash]; return found && tx.PrunableHash == "" }
	return known, ask(only(hashes, unhashable), false)
}

func only(hashes []string, keep func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(hashes), func(hash string) bool { return !keep(hash) })
}

// rawTx is a transaction in the answer of get_transactions.
type rawTx struct {
	TxBytes

	Received int64 `json:"received_timestamp"`
	Mined    int64 `json:"block_timestamp"`
}

// getTransactions asks for at most txsPerCall transactions.
func (d *Daemon) getTransactions(ctx context.Context, hashes []string, prune bool) ([]rawTx, error) {
	var out struct {
		daemonStatus
		Txs []rawTx `json:"txs"`
	}
	params := map[string]any{"txs_hashes": hashes, "prune": prune}
	if err := d.path(ctx, call{Method: "get_transactions", Params: params, Safe: true}, &out); err != nil {
		return nil, err
	}
	for i, tx := range out.Txs {
		if !slices.Contains(hashes, tx.Hash) {
			return nil, fmt.Errorf("%w: get_transactions: transaction %.64s was not asked for", ErrResponse, tx.Hash)
		}
		seconds := tx.Mined
		if tx.InPool {
			out.Txs[i].Height, seconds = 0, tx.Received
		}
		if seconds > 0 {
			out.Txs[i].SeenAt = time.Unix(seconds, 0).UTC()
		}
	}
	return out.Txs, nil
}
