package xmrwallet

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

// Consolidate sends the smallest outputs that are worth their fee to the wallet's own
// first address.
func (w *Wallet) Consolidate(ctx context.Context, avoid []string, keep int) (chain.Built, error) {
	estimate, err := w.estimate(ctx)
	if err != nil {
		return chain.Built{}, err
	}
	perInput := estimate.PerByte * money.Piconero(w.rules().InputWeight)
	if err := w.catchUp(ctx); err != nil {
		return chain.Built{}, err
	}
	has, err := w.spendable(ctx, avoid)
	if err != nil {
		return chain.Built{}, err
	}
	worth := slices.DeleteFunc(slices.Clone(has.free), func(o monero.Output) bool { return o.Amount <= 2*perInput })
	if len(worth) <= max(keep, 1) {
		return chain.Built{}, fmt.Errorf("%w: %d outputs", chain.ErrNothing, len(worth))
	}
	slices.SortStableFunc(worth, byAmount)
	chosen := worth[max(len(worth)-w.maxInputs(), 0):]
	tx, err := w.sweepHome(ctx, has, chosen)
	for errors.Is(err, chain.ErrTooLarge) && len(chosen) > 1 {
		chosen = chosen[len(chosen)-fewer(len(chosen)):]
		tx, err = w.sweepHome(ctx, has, chosen)
	}
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

// sweepHome makes one transaction of these outputs to the wallet's own first address.
func (w *Wallet) sweepHome(ctx context.Context, has spendableOutputs, chosen []monero.Output) (monero.BuiltTx, error) {
	indices, err := w.expose(ctx, has, chosen)
	if err != nil {
		return monero.BuiltTx{}, err
	}
	made, err := w.spend.SweepAll(ctx, w.view.Subaddress(0, 0), indices)
	if err != nil {
		return monero.BuiltTx{}, translated(err)
	}
	tx, err := made.One()
	return tx, translated(err)
}
