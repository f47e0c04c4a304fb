package utxowallet

import (
	"context"
	"fmt"
	"slices"

	"github.com/durapay/durapay/internal/chain"
)

const (
	// consolidated is how many coins one consolidation spends: about 14 kB.
	consolidated = 200
	// consolidatedOf is how many coins a consolidation chooses from. The daemon
	// needs half a second to list this many, and anyone can send the wallet more.
	consolidatedOf = 1000
	// bytesPerInput is how many bytes a segwit coin adds to a transaction that
	// spends it.
	bytesPerInput = 68
)

// Consolidate sends the smallest coins that are worth their fee to a change
// address of the wallet.
func (w *Wallet) Consolidate(ctx context.Context, avoid []string, keep int) (chain.Built, error) {
	rate, err := w.feeRate(ctx)
	if err != nil {
		return chain.Built{}, err
	}
	return w.reserving(ctx, avoid, func() (chain.Built, error) {
		listed, err := w.client.UnspentFrom(ctx, w.confirmations, 2*rate*bytesPerInput/1000+1, consolidatedOf)
		if err != nil {
			return chain.Built{}, translated(err)
		}
		worth := w.free(listed, avoid)
		if len(worth) <= max(keep, 1) {
			return chain.Built{}, fmt.Errorf("%w: %d coins", chain.ErrNothing, len(worth))
		}
		slices.Reverse(worth) // the smallest first
		worth = worth[:min(len(worth), consolidated)]
		own, err := w.client.ChangeAddress(ctx)
		if err != nil {
			return chain.Built{}, translated(err)
		}
		return w.create(ctx, chain.Payment{To: own, Amount: uint64(sum(worth)), SubtractFee: true}, rate, worth)
	})
}
