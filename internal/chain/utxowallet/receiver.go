package utxowallet

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/utxo"
)

// BlockHash returns the hash of the daemon's block at a height.
func (w *Wallet) BlockHash(ctx context.Context, height uint64) (string, error) {
	hash, err := w.client.BlockHash(ctx, height)
	return hash, translated(err)
}

// coinbaseMaturity is how many confirmations a block's reward needs before it can
// be spent (COINBASE_MATURITY, and one more).
const coinbaseMaturity = 101

// Scan continues up to the tip, because the daemon lists all transactions since a
// block and all that are in no block, including those dropped from the pool. Scan
// leaves out transactions that conflict with a block, because they are in neither
// pool nor chain.
func (w *Wallet) Scan(ctx context.Context, from, _ uint64) ([]chain.Received, uint64, error) {
	info, err := w.client.Info(ctx)
	if err != nil {
		return nil, 0, translated(err)
	}
	var since string
	if from > 0 {
		if since, err = w.client.BlockHash(ctx, min(from-1, info.Blocks)); err != nil {
			return nil, 0, translated(err)
		}
	}
	outputs, err := w.client.ReceivedSince(ctx, since)
	if err != nil {
		return nil, 0, translated(err)
	}
	outputs = slices.DeleteFunc(outputs, func(o utxo.Received) bool { return o.Confirmations < 0 })
	return together(outputs), info.Blocks, nil
}

// together adds up the outputs of one transaction to one address.
func together(outputs []utxo.Received) []chain.Received {
	var list []chain.Received
	place := map[[2]string]int{}
	for _, o := range outputs {
		id := [2]string{o.TxHash, o.Address}
		if i, ok := place[id]; ok {
			list[i].Amount += uint64(o.Amount)
			list[i].Outputs++
			list[i].Hidden = list[i].Hidden || o.Hidden
			continue
		}
		place[id] = len(list)
		r := chain.Received{
			TxHash: o.TxHash, Address: o.Address, Amount: uint64(o.Amount), Outputs: 1, Height: o.Height,
			Contested: o.Conflicts && o.Height == 0, Hidden: o.Hidden, Seen: o.Seen,
		}
		if o.Reward {
			r.SpendableAfter = coinbaseMaturity
		}
		list = append(list, r)
	}
	return list
}

// Locate asks the daemon for one transaction after the other.
func (w *Wallet) Locate(ctx context.Context, txHashes []string) ([]chain.Location, error) {
	list := make([]chain.Location, len(txHashes))
	for i, txHash := range txHashes {
		var err error
		if list[i], err = w.locate(ctx, txHash); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// locate asks in the order in which a transaction moves. A block removes it from
// the pool at once, and the daemon indexes it a moment later. If it is in
// neither, locate asks the wallet, which learns of a block before the daemon
// announces it.
func (w *Wallet) locate(ctx context.Context, txHash string) (chain.Location, error) {
	found, err := w.placeOf(ctx, txHash)
	if err != nil || found.State != chain.Unknown {
		return chain.Location{State: found.State, Height: found.Height}, err
	}
	outputs, err := w.client.ReceivedBy(ctx, txHash)
	if err != nil && !errors.Is(err, utxo.ErrNotFound) {
		return chain.Location{}, translated(err)
	}
	for _, o := range outputs {
		if o.Confirmations > 0 {
			return chain.Location{State: chain.Mined, Height: o.Height}, nil
		}
	}
	here, err := w.client.InPool(ctx, txHash)
	if here {
		return chain.Location{State: chain.InPool}, nil
	}
	return chain.Location{}, translated(err)
}

// Deposit returns what a transaction pays to one of the wallet's addresses.
func (w *Wallet) Deposit(ctx context.Context, txHash, address string) (chain.Deposit, error) {
	tip, err := w.Tip(ctx)
	if err != nil {
		return chain.Deposit{}, err
	}
	outputs, err := w.client.ReceivedBy(ctx, txHash)
	if err != nil {
		return chain.Deposit{}, translated(err)
	}
	for _, r := range together(outputs) {
		if r.Address != address {
			continue
		}
		at, err := w.locate(ctx, r.TxHash)
		if err != nil {
			return chain.Deposit{}, err
		}
		d, err := r.At(at, tip.Height)
		d.Locked = d.Confirmations > 0 && d.Confirmations < r.SpendableAfter
		return d, err
	}
	return chain.Deposit{}, fmt.Errorf("%w: deposit %s", chain.ErrNotFound, txHash)
}

var _ chain.Extendable = (*Wallet)(nil)

// keysAtOnce is how many more keys are made at a time. An encrypted wallet
// makes keys while it is unlocked, which lasts only seconds.
const keysAtOnce = 500

// Watches reports whether the wallet has the address's key.
func (w *Wallet) Watches(ctx context.Context, address string) (bool, error) {
	watches, err := w.client.Watches(ctx, address)
	return watches, translated(err)
}

// Extend makes keys in growing batches. They count from the next key that the
// wallet gives out, which is the first one or a later one. So once there are
// more than number keys, the address must be among them.
func (w *Wallet) Extend(ctx context.Context, address string, number, ahead uint64) error {
	watches, keys := address == "", uint64(0)
	for !watches {
		if keys > number {
			return fmt.Errorf("%w: the wallet's key of its address %d, which is of another seed", chain.ErrNotFound, number)
		}
		keys += keysAtOnce
		if err := w.client.MakeKeys(ctx, keys); err != nil {
			return translated(err)
		}
		var err error
		if watches, err = w.Watches(ctx, address); err != nil {
			return err
		}
	}
	for to := keys + ahead; keys < to; {
		keys = min(keys+keysAtOnce, to)
		if err := w.client.MakeKeys(ctx, keys); err != nil {
			return translated(err)
		}
	}
	return nil
}

// Rescan reads the chain again.
func (w *Wallet) Rescan(ctx context.Context) error { return translated(w.client.Rescan(ctx)) }

// mostSources limits the transactions that are fetched for one payment, because
// the payer chooses how many it spends from, and how large they are.
const mostSources = 100

// Origins follows each input to the output that it spends. It fetches each
// transaction once, however many of its outputs are spent. If it cannot find one,
// it returns an error and not an empty list, because the origins are screened for
// sanctions.
func (w *Wallet) Origins(ctx context.Context, r chain.Received) ([]string, error) {
	if r.Hidden {
		return nil, nil
	}
	tx, err := w.client.Transaction(ctx, r.TxHash)
	if err != nil {
		return nil, unreadable(err)
	}
	hashes, spent := sources(tx.Inputs)
	if len(hashes) > mostSources {
		return nil, fmt.Errorf("%w: %s spends outputs of %d", chain.ErrTooManySources, r.TxHash, len(hashes))
	}
	origins, known := []string{}, map[string]bool{}
	for _, txHash := range hashes {
		source, err := w.client.Transaction(ctx, txHash)
		if err != nil {
			return nil, unreadable(err)
		}
		for _, output := range spent[txHash] {
			if int64(output) >= int64(len(source.Outputs)) {
				return nil, fmt.Errorf("chain: %s has no output %d", txHash, output)
			}
			for _, address := range source.Outputs[output].Addresses {
				if !known[address] {
					known[address] = true
					origins = append(origins, address)
				}
			}
		}
	}
	return origins, nil
}

// sources returns the transactions whose outputs are spent, each once, and the
// numbers of these outputs.
func sources(inputs []utxo.Coin) (hashes []string, spent map[string][]uint32) {
	spent = map[string][]uint32{}
	for _, in := range inputs {
		if spent[in.TxHash] == nil {
			hashes = append(hashes, in.TxHash)
		}
		spent[in.TxHash] = append(spent[in.TxHash], in.Output)
	}
	return hashes, spent
}

// unreadable converts ErrNotFound to ErrUnavailable, because a transaction that
// moved during the read can be read later.
func unreadable(err error) error {
	if errors.Is(err, utxo.ErrNotFound) {
		return fmt.Errorf("%w: origins: %w", chain.ErrUnavailable, err)
	}
	return translated(err)
}
