package xmrwallet

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

// usualWeight is the weight of a payment with three inputs and change, or with
// two and the change in parts: an ordinary one has fewer.
const usualWeight = 3000

// Fee estimates what an ordinary payment costs now: at the second lowest
// priority, above the one that payments are made with.
func (w *Wallet) Fee(ctx context.Context) (uint64, error) {
	estimate, err := w.daemon.FeeEstimate(ctx)
	if err != nil {
		return 0, translated(err)
	}
	rate := estimate.PerByte
	if len(estimate.Tiers) > 1 {
		rate = estimate.Tiers[1]
	}
	return uint64(rate) * usualWeight, nil
}

// Build makes and signs a payment of outputs that are promised to nobody.
func (w *Wallet) Build(ctx context.Context, pay chain.Payment) (chain.Built, error) {
	if pay.Amount == 0 {
		return chain.Built{}, fmt.Errorf("%w: 0", chain.ErrTooSmall)
	}
	if _, err := monero.ParseAddress(pay.To); err != nil {
		return chain.Built{}, translated(err)
	}
	if err := w.catchUp(ctx, w.spend); err != nil {
		return chain.Built{}, err
	}
	has, err := w.reserve(ctx, pay.Avoid)
	if err != nil {
		return chain.Built{}, err
	}
	tx, err := w.build(ctx, pay, has)
	if err != nil {
		return chain.Built{}, err
	}
	raw, err := hex.DecodeString(tx.BlobHex)
	if err != nil {
		return chain.Built{}, fmt.Errorf("chain: built transaction: %w", err)
	}
	built := chain.Built{
		TxHash: tx.Hash, Raw: raw, Amount: uint64(tx.Amount), Fee: uint64(tx.Fee),
		Inputs: tx.KeyImages, Proof: tx.Key,
	}
	return built, w.freeze(ctx, built.Inputs)
}

// purse is what a payment can be made of.
type purse struct {
	// free can be spent now.
	free []monero.Output
	// total is everything that the wallet holds, in piconero.
	total uint64
}

// reserve freezes the outputs that must not be spent, thaws every other one
// and returns what is left.
func (w *Wallet) reserve(ctx context.Context, avoid []string) (purse, error) {
	held, spent, err := w.outputs(ctx)
	if err != nil {
		return purse{}, err
	}
	for _, o := range spent {
		if err := w.setFrozen(ctx, o, true); err != nil {
			return purse{}, err
		}
	}
	var has purse
	for _, o := range held {
		promised := slices.Contains(avoid, o.KeyImage)
		if err := w.setFrozen(ctx, o, promised); err != nil {
			return purse{}, err
		}
		if !promised && o.Unlocked {
			has.free = append(has.free, o)
		}
		has.total += uint64(o.Amount)
	}
	return has, nil
}

func (w *Wallet) setFrozen(ctx context.Context, o monero.Output, frozen bool) error {
	var err error
	switch {
	case frozen && !o.Frozen:
		err = w.spend.Freeze(ctx, o.KeyImage)
	case !frozen && o.Frozen:
		err = w.spend.Thaw(ctx, o.KeyImage)
	}
	return translated(err)
}

func (w *Wallet) freeze(ctx context.Context, images []string) error {
	for _, image := range images {
		if err := w.spend.Freeze(ctx, image); err != nil {
			return translated(err)
		}
	}
	return nil
}

// build lets the wallet choose among the outputs of few subaddresses.
func (w *Wallet) build(ctx context.Context, pay chain.Payment, has purse) (monero.BuiltTx, error) {
	fee, err := w.Fee(ctx)
	if err != nil {
		return monero.BuiltTx{}, err
	}
	need := pay.Amount
	if !pay.SubtractFee {
		need += fee
	}
	indices, total := richest(has.free, need)
	if total < pay.Amount {
		return monero.BuiltTx{}, w.missing(ctx, pay)
	}
	if pay.SubtractFee {
		return w.buildLess(ctx, pay, indices, fee)
	}
	tx, err := w.transfer(ctx, pay.To, pay.Amount, indices)
	if errors.Is(err, chain.ErrNotEnough) || errors.Is(err, chain.ErrLocked) {
		err = w.missing(ctx, pay) // the wallet's words depend on which outputs it looked at
	}
	if err != nil {
		return monero.BuiltTx{}, err
	}
	return w.inParts(ctx, pay, has, indices, tx)
}

// richest are the subaddresses with the most money that together hold enough,
// or all of them.
func richest(free []monero.Output, need uint64) (indices []uint32, total uint64) {
	sums := map[uint32]uint64{}
	for _, o := range free {
		sums[o.SubaddressIndex] += uint64(o.Amount)
		indices = append(indices, o.SubaddressIndex)
	}
	slices.SortFunc(indices, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b))
	})
	indices = slices.Compact(indices)
	for i, index := range indices {
		if total += sums[index]; total >= need {
			return indices[:i+1], total
		}
	}
	return indices, total
}

// feeRounds bounds the attempts at a payment whose fee is taken off: the
// estimate is doubled until it is enough for as many inputs as a transaction
// has at most, and then settles at once unless their number changes.
const feeRounds = 8

// buildLess takes the fee off the amount. Wallets before RPC 1.27 cannot, so
// a first build shows the fee and the next ones pay what it leaves.
func (w *Wallet) buildLess(
	ctx context.Context, pay chain.Payment, indices []uint32, fee uint64,
) (monero.BuiltTx, error) {
	var short error // why the last attempt came to nothing
	for range feeRounds {
		if fee >= pay.Amount {
			tooSmall := fmt.Errorf("%w: %d for a fee of %d", chain.ErrTooSmall, pay.Amount, fee)
			return monero.BuiltTx{}, cmp.Or(short, tooSmall)
		}
		tx, err := w.transfer(ctx, pay.To, pay.Amount-fee, indices)
		switch {
		case errors.Is(err, chain.ErrNotEnough) || errors.Is(err, chain.ErrLocked):
			fee, short = 2*fee, err // so many inputs cost more
			continue
		case err != nil:
			return monero.BuiltTx{}, err
		case uint64(tx.Amount)+uint64(tx.Fee) == pay.Amount:
			return tx, nil
		}
		fee, short = uint64(tx.Fee), nil
	}
	return monero.BuiltTx{}, cmp.Or(short, fmt.Errorf("%w: the fee does not settle", chain.ErrUnavailable))
}

// transfer pays an amount, and the wallet itself whatever kept names; the
// result's amount is what is paid to others.
func (w *Wallet) transfer(
	ctx context.Context, to string, amount uint64, indices []uint32, kept ...monero.Destination,
) (monero.BuiltTx, error) {
	all := append([]monero.Destination{{Address: to, Amount: money.Piconero(amount)}}, kept...)
	tx, err := w.spend.Transfer(ctx, all, indices)
	if err != nil {
		return monero.BuiltTx{}, translated(err)
	}
	for _, k := range kept {
		tx.Amount -= k.Amount
	}
	if uint64(tx.Amount) != amount {
		return monero.BuiltTx{}, fmt.Errorf("chain: the wallet built another payment: %d instead of %d", tx.Amount, amount)
	}
	return tx, nil
}

// missing tells money that is missing from money that cannot be spent yet.
func (w *Wallet) missing(ctx context.Context, pay chain.Payment) error {
	b, err := w.Balance(ctx)
	if err != nil {
		return err
	}
	if b.Total < pay.Amount || b.Total == b.Unlocked {
		return fmt.Errorf("%w: %d of %d", chain.ErrNotEnough, b.Total, pay.Amount)
	}
	return fmt.Errorf("%w: %d of %d can be spent", chain.ErrLocked, b.Unlocked, b.Total)
}
