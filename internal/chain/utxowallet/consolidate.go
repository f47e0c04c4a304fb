package utxowallet

import (
	"context"
	"fmt"
	"slices"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/utxo"
)

const (
	// consolidated is how many coins one consolidation spends: some 14 kB.
	consolidated = 200
	// bytesPerInput is what spending a segwit coin adds to a transaction.
	bytesPerInput = 68
)

// Consolidate pays the smallest coins that are worth it to an address of the
// wallet's own change.
func (w *Wallet) Consolidate(ctx context.Context, avoid []string, keep int) (chain.Built, error) {
	rate, err := w.feeRate(ctx)
	if err != nil {
		return chain.Built{}, err
	}
	return w.reserving(ctx, avoid, func() (chain.Built, error) {
		all, err := w.client.Unspent(ctx, w.options.MinConfirmations)
		if err != nil {
			return chain.Built{}, translated(err)
		}
		worth := slices.DeleteFunc(w.free(all, avoid), func(c utxo.Unspent) bool { return c.Amount <= 2*rate*bytesPerInput/1000 })
		if len(worth) <= max(keep, 1) {
			return chain.Built{}, fmt.Errorf("%w: %d coins", chain.ErrNothing, len(worth))
		}
		slices.Reverse(worth) // the smallest first
		worth = worth[:min(len(worth), consolidated)]
		own, err := w.client.ChangeAddress(ctx)
		if err != nil {
			return chain.Built{}, translated(err)
		}
		return w.create(ctx, utxo.Spend{
			Payees: []utxo.Payee{{Address: own, Amount: sum(worth)}}, FeeRate: rate, SubtractFee: true,
		}, worth)
	})
}
