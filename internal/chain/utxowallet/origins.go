package utxowallet

import (
	"context"
	"errors"
	"fmt"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/utxo"
)

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
