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

// Fee estimates the current cost of an ordinary payment at the second lowest
// priority, which is above the priority of payments.
func (w *Wallet) Fee(ctx context.Context) (uint64, error) {
	estimate, err := w.estimate(ctx)
	if err != nil {
		return 0, err
	}
	rate := estimate.PerByte
	if len(estimate.Tiers) > 1 {
		rate = estimate.Tiers[1]
	}
	return uint64(rate) * w.rules().ReferenceWeight, nil
}

// estimate asks the daemon for its fees and for the version of the network.
func (w *Wallet) estimate(ctx context.Context) (monero.FeeEstimate, error) {
	fork, err := w.daemon.Fork(ctx)
	if err != nil {
		return monero.FeeEstimate{}, translated(err)
	}
	w.fork.Store(int64(fork.Version))
	estimate, err := w.daemon.FeeEstimate(ctx)
	return estimate, translated(err)
}

// MaxPayees returns how many addresses one payment can have.
func (w *Wallet) MaxPayees() int { return w.rules().Payees() }

// Build makes and signs a payment from outputs that are not reserved.
func (w *Wallet) Build(ctx context.Context, pay chain.Payment) (chain.Built, error) {
	total, ok := pay.Total()
	if !ok || len(pay.More) >= w.MaxPayees() {
		return chain.Built{}, fmt.Errorf("%w: %d for %d payees", chain.ErrTooSmall, pay.Amount, 1+len(pay.More))
	}
	for _, d := range pay.Destinations() {
		if _, err := monero.ParseAddress(d.Address); err != nil {
			return chain.Built{}, translated(err)
		}
	}
	if err := w.catchUp(ctx); err != nil {
		return chain.Built{}, err
	}
	has, err := w.spendableFor(ctx, pay)
	if err != nil {
		return chain.Built{}, err
	}
	tx, err := w.build(ctx, pay, total, has)
	if has.partial && isShort(err) {
		if has, err = w.spendable(ctx, pay.Avoid); err != nil {
			return chain.Built{}, err
		}
		tx, err = w.build(ctx, pay, total, has)
	}
	if err != nil {
		return chain.Built{}, errors.Join(err, w.cover(ctx, has, nil))
	}
	return w.signed(ctx, has, tx.BuiltTx, tx.paid)
}

// isShort reports whether a payment failed because the available outputs were
// too few or too small.
func isShort(err error) bool {
	return errors.Is(err, chain.ErrNotEnough) || errors.Is(err, chain.ErrLocked) || errors.Is(err, chain.ErrTooLarge)
}

// payment is a built transaction and the amount that each payee receives.
type payment struct {
	monero.BuiltTx

	paid []uint64
}

// signed decodes a transaction of the wallet, and freezes the outputs that it
// spends.
func (w *Wallet) signed(ctx context.Context, has spendableOutputs, tx monero.BuiltTx, paid []uint64) (chain.Built, error) {
	raw, err := hex.DecodeString(tx.BlobHex)
	if err != nil {
		return chain.Built{}, fmt.Errorf("chain: built transaction: %w", err)
	}
	built := chain.Built{
		TxHash: tx.Hash, Raw: raw, Amount: uint64(tx.Amount), Paid: paid, Fee: uint64(tx.Fee),
		Inputs: tx.KeyImages, Proof: tx.Key,
	}
	for _, image := range built.Inputs {
		if err := w.spend.Freeze(ctx, image); err != nil {
			return chain.Built{}, translated(err)
		}
		has.frozen[image] = true
	}
	return built, w.cover(ctx, has, built.Inputs)
}

// build lets the wallet choose among the outputs of few subaddresses.
func (w *Wallet) build(ctx context.Context, pay chain.Payment, total uint64, has spendableOutputs) (payment, error) {
	fee, err := w.Fee(ctx)
	if err != nil {
		return payment{}, err
	}
	need := total
	if !pay.SubtractFee {
		need += fee
	}
	if own := from(has.free, pay.Prefer); pay.SubtractFee && len(own) <= w.maxInputs() && sumOf(own) >= total {
		tx, err := w.buildOf(ctx, pay, has, own, fee)
		if !errors.Is(err, chain.ErrNotEnough) && !errors.Is(err, chain.ErrLocked) {
			return tx, err
		}
	}
	for most := w.maxInputs(); ; {
		chosen := richest(has.free, need, most)
		if sumOf(chosen) < total {
			if sumOf(has.free) >= total {
				return payment{}, fmt.Errorf("%w: the coins are too many and too small", chain.ErrTooLarge)
			}
			return payment{}, w.missing(ctx, total, pay.Avoid)
		}
		tx, err := w.buildOf(ctx, pay, has, chosen, fee)
		if !errors.Is(err, chain.ErrTooLarge) {
			return tx, err
		}
		most = fewer(len(chosen))
	}
}

// buildOf makes a payment from these outputs.
func (w *Wallet) buildOf(ctx context.Context, pay chain.Payment, has spendableOutputs, chosen []monero.Output, fee uint64) (payment, error) {
	indices, err := w.expose(ctx, has, chosen)
	if err != nil {
		return payment{}, err
	}
	if pay.SubtractFee {
		return w.buildLess(ctx, pay, indices, fee)
	}
	amounts, _ := pay.Less(0)
	tx, err := w.transfer(ctx, pay, amounts, indices)
	if errors.Is(err, chain.ErrNotEnough) || errors.Is(err, chain.ErrLocked) {
		total, _ := pay.Total()
		err = w.missing(ctx, total, pay.Avoid) // the wallet's error depends on which outputs it considered
	}
	if err != nil {
		return payment{}, err
	}
	return w.inParts(ctx, pay, has, indices, tx)
}

// feeRounds limits the attempts at a payment whose fee is subtracted from the
// amounts. Each attempt doubles the estimate until it is enough for the maximum
// number of inputs of a transaction. From then on the fee settles at once,
// unless the number of inputs changes.
const feeRounds = 8

// buildLess subtracts the fee from the amounts, which wallets before RPC 1.27
// cannot do. So the first build shows the fee, and the next builds pay the
// amounts less that fee.
func (w *Wallet) buildLess(ctx context.Context, pay chain.Payment, indices []uint32, fee uint64) (payment, error) {
	var short error // the reason why the last attempt failed
	for range feeRounds {
		amounts, ok := pay.Less(fee)
		if !ok {
			tooSmall := fmt.Errorf("%w: %d for a fee of %d", chain.ErrTooSmall, pay.Amount, fee)
			return payment{}, cmp.Or(short, tooSmall)
		}
		tx, err := w.transfer(ctx, pay, amounts, indices)
		switch {
		case errors.Is(err, chain.ErrNotEnough) || errors.Is(err, chain.ErrLocked):
			fee, short = 2*fee, err // the chosen inputs cost more
			continue
		case err != nil:
			return payment{}, err
		case uint64(tx.Fee) == fee:
			return tx, nil
		}
		fee, short = uint64(tx.Fee), nil
	}
	return payment{}, cmp.Or(short, fmt.Errorf("%w: the fee does not settle", chain.ErrUnavailable))
}

// transfer pays these amounts to the payees, and to the wallet itself the
// destinations in kept. The result's amount is the sum that the payees receive.
func (w *Wallet) transfer(
	ctx context.Context, pay chain.Payment, amounts []uint64, indices []uint32, kept ...monero.Destination,
) (payment, error) {
	var all []monero.Destination
	var want money.Piconero
	for i, d := range pay.Destinations() {
		all = append(all, monero.Destination{Address: d.Address, Amount: money.Piconero(amounts[i])})
		want += money.Piconero(amounts[i])
	}
	tx, err := w.spend.Transfer(ctx, append(all, kept...), indices)
	if err != nil {
		return payment{}, translated(err)
	}
	for _, k := range kept {
		tx.Amount -= k.Amount
	}
	if tx.Amount != want {
		return payment{}, fmt.Errorf("chain: the wallet built another payment: %d instead of %d", tx.Amount, want)
	}
	return payment{tx, amounts}, nil
}

func (w *Wallet) missing(ctx context.Context, total uint64, promised []string) error {
	b, err := w.Balance(ctx, promised)
	if err != nil {
		return err
	}
	return chain.Missing(total, b.Total, b.Unlocked)
}

// The wallet spends two outputs for almost every payment and makes one output
// of the change, which is locked for ten blocks. After enough payments a few
// outputs hold everything, and each payment locks a large part of the
// exchange's inventory. So change that is a large share of the wallet's money
// is split.
const (
	// largeShare is a divisor: change above a 32nd of the money is large.
	largeShare = 32
	// parts is the number of outputs of large change. With the payment they are
	// four outputs, and the range proof of three outputs is padded to four in any
	// case.
	parts = 3
)

// inParts builds a payment again with its change in parts, if the change is
// large. If the second build fails or would spend more outputs, it returns the
// first one. Neither build has marked an output as spent.
func (w *Wallet) inParts(
	ctx context.Context, pay chain.Payment, has spendableOutputs, indices []uint32, first payment,
) (payment, error) {
	if len(pay.More) > 0 {
		return first, nil
	}
	part := partOf(changeOf(first.BuiltTx, has.free), pay.Amount, has.total)
	if part == 0 {
		return first, nil
	}
	kept := slices.Repeat([]monero.Destination{{Address: w.view.Subaddress(0, 0), Amount: money.Piconero(part)}}, parts-1)
	if tx, err := w.transfer(ctx, pay, first.paid, indices, kept...); err == nil && len(tx.KeyImages) <= len(first.KeyImages) {
		return tx, nil
	}
	return first, nil
}

// changeOf returns the amount that a transaction returns to the wallet, in
// piconero.
func changeOf(tx monero.BuiltTx, free []monero.Output) uint64 {
	var spent uint64
	for _, o := range free {
		if slices.Contains(tx.KeyImages, o.KeyImage) {
			spent += uint64(o.Amount)
		}
	}
	return spent - min(spent, uint64(tx.Amount)+uint64(tx.Fee))
}

// partOf returns the amount of one part of the change, in piconero. It returns
// 0 when the change stays whole: it is a small share of the total, or a part
// could not pay as much as this payment.
func partOf(change, paid, total uint64) uint64 {
	part := change / parts
	if change <= total/largeShare || part < paid {
		return 0
	}
	return part
}
