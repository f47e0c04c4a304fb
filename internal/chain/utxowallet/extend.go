package utxowallet

import (
	"context"
	"fmt"

	"github.com/durapay/durapay/internal/chain"
)

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
func (w *Wallet) Extend(ctx context.Context, address string, number uint64) error {
	for keys := uint64(keysAtOnce); ; keys += keysAtOnce {
		if err := w.client.MakeKeys(ctx, keys); err != nil {
			return translated(err)
		}
		watches, err := w.Watches(ctx, address)
		if err != nil || watches {
			return err
		}
		if keys > number {
			return fmt.Errorf("%w: the wallet's key of its address %d, which is of another seed", chain.ErrNotFound, number)
		}
	}
}

// Rescan reads the chain again.
func (w *Wallet) Rescan(ctx context.Context) error { return translated(w.client.Rescan(ctx)) }
