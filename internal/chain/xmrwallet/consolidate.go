package xmrwallet

import (
	"context"
	"fmt"
	"slices"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/monero"
)

// bytesPerInput is about what an input adds to a transaction (ring size 16).
const bytesPerInput = 700

// Consolidate sweeps the smallest outputs that are worth it to the wallet's own
// first address.
func (w *Wallet) Consolidate(ctx context.Context, avoid []string, keep int) (chain.Built, error) {
	estimate, err := w.daemon.FeeEstimate(ctx)
	if err != nil {
		return chain.Built{}, translated(err)
	}
	if err := w.catchUp(ctx, w.spend); err != nil {
		return chain.Built{}, err
	}
	has, err := w.spendable(ctx, avoid)
	if err != nil {
		return chain.Built{}, err
	}
	worth := slices.DeleteFunc(slices.Clone(has.free), func(o monero.Output) bool { return o.Amount <= 2*estimate.PerByte*bytesPerInput })
	if len(worth) <= max(keep, 1) {
		return chain.Built{}, fmt.Errorf("%w: %d outputs", chain.ErrNothing, len(worth))
	}
	slices.SortStableFunc(worth, byAmount)
	chosen := worth[max(len(worth)-maxInputs, 0):]
	indices, err := w.expose(ctx, has, chosen)
	if err != nil {
		return chain.Built{}, err
	}
	own, err := w.deriver.Subaddress(0, 0)
	if err != nil {
		return chain.Built{}, err
	}
	made, err := w.spend.SweepAll(ctx, own, indices)
	if err != nil {
		return chain.Built{}, translated(err)
	}
	tx, err := made.One()
	if err != nil {
		return chain.Built{}, err
	}
	for _, image := range tx.KeyImages {
		if !slices.ContainsFunc(chosen, func(o monero.Output) bool { return o.KeyImage == image }) {
			return chain.Built{}, fmt.Errorf("chain: the wallet spent an output that was not chosen: %s", image)
		}
	}
	return w.signed(ctx, has, tx, []uint64{uint64(tx.Amount)})
}
