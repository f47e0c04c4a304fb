package utxowallet

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/chain/cursor"
	"github.com/durapay/durapay/internal/utxo"
)

// Deposits tells what changed since the cursor.
func (w *Wallet) Deposits(ctx context.Context, since chain.Cursor) ([]chain.Deposit, chain.Cursor, error) {
	memory, err := cursor.Parse(since)
	if err != nil {
		return nil, "", err
	}
	tip, err := w.Tip(ctx)
	if err != nil {
		return nil, "", err
	}
	if err := memory.CheckTip(tip.Height); err != nil {
		return nil, "", err
	}
	list, from, err := w.client.ReceivedSince(ctx, memory.From, chain.Depth)
	if err != nil {
		return nil, "", translated(err)
	}
	if list, err = w.addLocked(ctx, list, memory.Open); err != nil {
		return nil, "", err
	}
	now, err := w.present(ctx, list)
	if err != nil {
		return nil, "", err
	}
	changed, next := memory.Next(from, tip.Height, now)
	if err := w.addOrigins(ctx, changed, list); err != nil {
		return nil, "", err
	}
	text, err := next.Text()
	return changed, text, err
}

// addLocked adds the block rewards that were told and are locked longer than
// they are listed.
func (w *Wallet) addLocked(ctx context.Context, list []utxo.Received, told []chain.Deposit) ([]utxo.Received, error) {
	listed := map[string]bool{}
	for _, r := range list {
		listed[r.TxHash] = true
	}
	for _, d := range told {
		if !d.Locked || listed[d.TxHash] {
			continue
		}
		listed[d.TxHash] = true
		found, err := w.client.ReceivedBy(ctx, d.TxHash)
		if err != nil && !errors.Is(err, utxo.ErrNotFound) {
			return nil, translated(err)
		}
		list = append(list, found...)
	}
	return list, nil
}

// Deposit is what a transaction pays to one of the wallet's addresses.
func (w *Wallet) Deposit(ctx context.Context, txHash, address string) (chain.Deposit, error) {
	if _, err := w.Tip(ctx); err != nil {
		return chain.Deposit{}, err
	}
	list, err := w.client.ReceivedBy(ctx, txHash)
	if err != nil {
		return chain.Deposit{}, translated(err)
	}
	list = slices.DeleteFunc(list, func(r utxo.Received) bool { return r.Address != address })
	now, err := w.present(ctx, list)
	if err != nil {
		return chain.Deposit{}, err
	}
	if len(now) == 0 {
		return chain.Deposit{}, fmt.Errorf("%w: deposit %s", chain.ErrNotFound, txHash)
	}
	return now[0], w.addOrigins(ctx, now, list)
}

// present makes deposits of what the wallet received: one for each transaction
// and address, and only of what is in the pool or in the chain. The wallet
// itself remembers what fell out of them, too, and names a transaction that was
// replaced as a conflict of the one that took its place for ever: once that one
// is in a block, only a reorganization lets the other come back.
func (w *Wallet) present(ctx context.Context, list []utxo.Received) ([]chain.Deposit, error) {
	var deposits []chain.Deposit
	place := map[[2]string]int{}
	for _, r := range list {
		if i, ok := place[[2]string{r.TxHash, r.Address}]; ok {
			deposits[i].Amount += uint64(r.Amount)
			continue
		}
		here, err := w.isHere(ctx, r)
		if err != nil {
			return nil, err
		}
		if !here {
			continue
		}
		place[[2]string{r.TxHash, r.Address}] = len(deposits)
		deposits = append(deposits, chain.Deposit{
			TxHash: r.TxHash, Address: r.Address, Amount: uint64(r.Amount),
			Height: r.Height, Confirmations: uint64(r.Confirmations),
			Locked: r.Immature, Contested: r.Conflicts && r.Height == 0, Seen: r.Seen,
		})
	}
	return deposits, nil
}

// isHere says whether a transaction is in the pool or in the chain. One that
// a block has taken from the pool since it was listed is here, too, and counts
// as in the pool until next time.
func (w *Wallet) isHere(ctx context.Context, r utxo.Received) (bool, error) {
	if r.Confirmations != 0 {
		return r.Confirmations > 0, nil
	}
	here, err := w.client.InPool(ctx, r.TxHash)
	if here || err != nil {
		return here, translated(err)
	}
	now, err := w.client.ReceivedBy(ctx, r.TxHash)
	if errors.Is(err, utxo.ErrNotFound) {
		return false, nil
	}
	return slices.ContainsFunc(now, func(r utxo.Received) bool { return r.Confirmations > 0 }), translated(err)
}

// maxOrigins bounds the transactions whose origins are remembered.
const maxOrigins = 1000

// addOrigins names the addresses that the deposits come from, apart from
// those that are gone or whose senders are hidden.
func (w *Wallet) addOrigins(ctx context.Context, deposits []chain.Deposit, list []utxo.Received) error {
	hidden := map[string]bool{}
	for _, r := range list {
		hidden[r.TxHash] = hidden[r.TxHash] || r.Hidden
	}
	for i, d := range deposits {
		if d.Gone || hidden[d.TxHash] {
			continue
		}
		origins, err := w.originsOf(ctx, d.TxHash)
		if err != nil {
			return err
		}
		deposits[i].Origins = origins
	}
	return nil
}

func (w *Wallet) originsOf(ctx context.Context, txHash string) ([]string, error) {
	w.mu.Lock()
	known, ok := w.origins[txHash]
	w.mu.Unlock()
	if ok {
		return known, nil
	}
	origins, err := w.readOrigins(ctx, txHash)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.origins) >= maxOrigins {
		clear(w.origins)
	}
	w.origins[txHash] = origins
	return origins, nil
}

// readOrigins follows each input to the output that it spends. What cannot be
// found is an error and not an empty list: somebody screens the origins.
func (w *Wallet) readOrigins(ctx context.Context, txHash string) ([]string, error) {
	tx, err := w.client.Transaction(ctx, txHash)
	if err != nil {
		return nil, unreadable(err)
	}
	origins := []string{}
	for _, in := range tx.Inputs {
		source, err := w.client.Transaction(ctx, in.TxHash)
		if err != nil {
			return nil, unreadable(err)
		}
		if int(in.Output) >= len(source.Outputs) {
			return nil, fmt.Errorf("chain: %s has no output %d", in.TxHash, in.Output)
		}
		for _, address := range source.Outputs[in.Output].Addresses {
			if !slices.Contains(origins, address) {
				origins = append(origins, address)
			}
		}
	}
	return origins, nil
}

// unreadable makes a transaction that moved while it was looked at a matter
// of trying again.
func unreadable(err error) error {
	if errors.Is(err, utxo.ErrNotFound) {
		return fmt.Errorf("%w: origins: %w", chain.ErrUnavailable, err)
	}
	return translated(err)
}
