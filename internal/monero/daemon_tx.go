package monero

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
)

// TxState is where a transaction is.
type TxState uint8

// The states of a transaction, as one daemon sees them.
const (
	// Missed means that the daemon does not know the transaction.
	Missed TxState = iota
	// InPool means that the transaction waits for a block.
	InPool
	// Mined means that the transaction is in a block of the main chain.
	Mined
)

// TxStatus is the daemon's knowledge of a transaction.
type TxStatus struct {
	Hash  string
	State TxState
	// Height is the height of the block, for Mined.
	Height uint64
	// DoubleSpendSeen reports whether the daemon saw a conflicting transaction, for
	// InPool.
	DoubleSpendSeen bool
	// Inputs are the key images of the outputs that it spends, for InPool. Empty if
	// the transaction's format is unknown.
	Inputs []string
}

// txsPerCall is the number of transactions that a restricted daemon answers at
// most at once.
const txsPerCall = 100

// Transactions asks for the states of transactions by their hashes (64 hex
// digits) and returns them in the same order. A daemon in restricted mode does
// not show a pool transaction in its first seconds, before it is relayed
// further.
func (d *Daemon) Transactions(ctx context.Context, hashes []string) ([]TxStatus, error) {
	statuses, err := twice(ctx, hashes, txsPerCall, d.transactions, func(s TxStatus) bool { return s.State == Missed })
	for i, hash := range hashes[:len(statuses)] {
		statuses[i].Hash = hash
	}
	return statuses, err
}

// twice asks for the states of transactions or outputs, and a second time for those that
// the daemon has missed. The daemon searches the chain first and the pool second, so it
// finds a transaction in neither if a block takes it from the pool in between.
func twice[T any](
	ctx context.Context, keys []string, perCall int, ask func(context.Context, []string) (map[string]T, error), missed func(T) bool,
) ([]T, error) {
	states := make([]T, 0, len(keys))
	for chunk := range slices.Chunk(keys, perCall) {
		known, err := ask(ctx, chunk)
		if err != nil {
			return nil, err
		}
		if rest := slices.DeleteFunc(slices.Clone(chunk), func(key string) bool { return !missed(known[key]) }); len(rest) > 0 {
			again, err := ask(ctx, rest)
			if err != nil {
				return nil, err
			}
			maps.Copy(known, again)
		}
		for _, key := range chunk {
			states = append(states, known[key])
		}
	}
	return states, nil
}

func (d *Daemon) transactions(ctx context.Context, hashes []string) (map[string]TxStatus, error) {
	txs, err := d.getTransactions(ctx, hashes, true)
	if err != nil {
		return nil, err
	}
	known := make(map[string]TxStatus, len(txs))
	for _, tx := range txs {
		s := TxStatus{State: Mined, Height: tx.Height, DoubleSpendSeen: tx.DoubleSpendSeen}
		if tx.InPool {
			s.State = InPool
			s.Inputs, _ = KeyImages(tx.Pruned) // a transaction in an unknown format must not hide the rest
		}
		known[tx.Hash] = s
	}
	return known, nil
}

// SpentStatus is the state of an output, which its key image identifies.
type SpentStatus uint8

// The spent states, numbered as the daemon numbers them.
const (
	// Unspent means that no transaction known to the daemon spends the output.
	Unspent SpentStatus = iota
	// SpentInChain means that a transaction in a block spends it.
	SpentInChain
	// SpentInPool means that a transaction in the pool spends it.
	SpentInPool
)

// keyImagesPerCall is the number of key images in one call. A restricted daemon
// refuses more than 5,000.
const keyImagesPerCall = 1000

// KeyImages asks whether the outputs with these key images (64 hex digits) are
// spent, and returns the answers in the same order. As with Transactions, it
// asks a second time for those that the daemon found neither in the chain nor
// in the pool.
func (d *Daemon) KeyImages(ctx context.Context, images []string) ([]SpentStatus, error) {
	return twice(ctx, images, keyImagesPerCall, d.keyImages, func(s SpentStatus) bool { return s == Unspent })
}

func (d *Daemon) keyImages(ctx context.Context, images []string) (map[string]SpentStatus, error) {
	var out struct {
		daemonStatus
		Spent []int `json:"spent_status"`
	}
	params := map[string]any{"key_images": images}
	if err := d.path(ctx, call{Method: "is_key_image_spent", Params: params, Safe: true}, &out); err != nil {
		return nil, err
	}
	if len(out.Spent) != len(images) {
		return nil, fmt.Errorf("%w: is_key_image_spent: %d of %d", ErrResponse, len(out.Spent), len(images))
	}
	statuses := make(map[string]SpentStatus, len(images))
	for i, s := range out.Spent {
		if s < int(Unspent) || s > int(SpentInPool) {
			return nil, fmt.Errorf("%w: is_key_image_spent: status %d", ErrResponse, s)
		}
		statuses[images[i]] = SpentStatus(s)
	}
	return statuses, nil
}

// TransactionBytes returns a transaction that the daemon knows, serialized
// (hex). The proofs are missing if the daemon has pruned them. It returns
// ErrNotFound for an unknown transaction.
func (d *Daemon) TransactionBytes(ctx context.Context, hash string) (string, error) {
	txs, err := d.getTransactions(ctx, []string{hash}, false)
	if err != nil {
		return "", err
	}
	for _, tx := range txs {
		if blob := cmp.Or(tx.Whole, tx.Pruned); blob != "" {
			return blob, nil
		}
	}
	return "", fmt.Errorf("%w: transaction %s", ErrNotFound, hash)
}

// PoolSpends returns the hashes of the transactions in the pool that spend the
// outputs with these key images (64 hex digits), each hash once. It reads the
// whole pool, so callers pass only key images that KeyImages reports as
// SpentInPool.
func (d *Daemon) PoolSpends(ctx context.Context, images []string) ([]string, error) {
	var out struct {
		daemonStatus
		Spent []struct {
			Image  string   `json:"id_hash"`
			Hashes []string `json:"txs_hashes"`
		} `json:"spent_key_images"`
	}
	if err := d.path(ctx, call{Method: "get_transaction_pool", Params: struct{}{}, Safe: true, Long: true}, &out); err != nil {
		return nil, err
	}
	requested, listed := map[string]bool{}, map[string]bool{}
	for _, image := range images {
		requested[image] = true
	}
	var hashes []string
	for _, s := range out.Spent {
		for _, hash := range s.Hashes {
			if requested[s.Image] && !listed[hash] {
				hashes, listed[hash] = append(hashes, hash), true
			}
		}
	}
	return hashes, nil
}
