package xmrwallet

import (
	"cmp"
	"context"
	"slices"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/monero"
)

// A wallet chooses at random among all outputs of the subaddresses that it may spend
// from. Freezing the other outputs limits its choice. A wallet that was sent dust
// holds thousands of outputs. So this package prepares only the few subaddresses that
// a payment spends from. It thaws large outputs for the payment. Small ones stay
// frozen until a payment needs them, so each is frozen once and not for every payment.

// room is how many inputs a payment stays below the network's limit, because the
// wallet may add some for the fee.
const room = 6

// maxInputs returns the maximum number of outputs that a payment spends.
func (w *Wallet) maxInputs() int { return w.rules().Inputs - room }

// rules returns the rules of the network version that the daemon last reported.
func (w *Wallet) rules() coin.MoneroRules { return coin.MoneroRulesOf(int(w.fork.Load())) }

// fewer returns the next number of inputs to try when this many do not fit.
func fewer(inputs int) int { return inputs - max(inputs/8, 1) }

// spendableOutputs holds the outputs that a payment can spend.
type spendableOutputs struct {
	// all are the outputs that the wallet counts as unspent, by subaddress.
	all map[uint32][]monero.Output
	// free are the outputs that can be spent now, whether frozen or not.
	free []monero.Output
	// total is the whole content of the wallet, in piconero.
	total uint64
	// frozen records by key image whether the wallet has the output frozen now.
	frozen map[string]bool
	// partial reports whether only some subaddresses were listed.
	partial bool
}

// holdings is the result of a list of all outputs.
type holdings struct {
	// rich are the few subaddresses that hold nearly all of the money.
	rich []uint32
	// total is in piconero.
	total uint64
}

const (
	// maxRich is the maximum number of rich subaddresses.
	maxRich = 8
	// restShare is a divisor: the subaddresses that are not rich hold less than a 16th of
	// the money, unless maxRich limits the rich ones.
	restShare = 16
)

func holdingsOf(held []monero.Output) *holdings {
	h := holdings{total: sumOf(held)}
	indices, of := byWorth(held)
	rest := h.total
	for _, index := range indices[:min(maxRich, len(indices))] {
		if rest < h.total/restShare {
			break
		}
		h.rich = append(h.rich, index)
		rest -= sumOf(of[index])
	}
	return &h
}

// spendableFor lists the outputs for a payment as spendable does, but usually only at
// the rich subaddresses of the last complete list. Listing all outputs takes the
// wallet longer the more dust it was sent. The result is the wallet's current state.
func (w *Wallet) spendableFor(ctx context.Context, pay chain.Payment) (spendableOutputs, error) {
	last := w.lastSeen.Load()
	if last == nil || len(last.rich) == 0 || len(pay.Prefer) > 0 { // preferred outputs may be at any subaddress
		return w.spendable(ctx, pay.Avoid)
	}
	has, err := w.spendable(ctx, pay.Avoid, last.rich...)
	has.total, has.partial = max(has.total, last.total), true
	return has, err
}

// spendable freezes those outputs of these subaddresses, or of all, that must not be
// spent. It returns the remaining ones.
func (w *Wallet) spendable(ctx context.Context, avoid []string, indices ...uint32) (spendableOutputs, error) {
	held, spent, err := w.outputs(ctx, indices...)
	if err != nil {
		return spendableOutputs{}, err
	}
	reserved := map[string]bool{}
	for _, image := range avoid {
		reserved[image] = true
	}
	has := spendableOutputs{all: map[uint32][]monero.Output{}, frozen: map[string]bool{}}
	for _, o := range slices.Concat(held, spent) {
		has.frozen[o.KeyImage] = o.Frozen
	}
	for _, o := range spent {
		if err := w.setFrozen(ctx, has, o, true); err != nil {
			return spendableOutputs{}, err
		}
	}
	for _, o := range held {
		has.total += uint64(o.Amount)
		if reserved[o.KeyImage] {
			if err := w.setFrozen(ctx, has, o, true); err != nil {
				return spendableOutputs{}, err
			}
			continue
		}
		has.all[o.SubaddressIndex] = append(has.all[o.SubaddressIndex], o)
		if o.Unlocked {
			has.free = append(has.free, o)
		}
	}
	return has, nil
}

// expose lets the wallet spend these outputs and no other outputs of their
// subaddresses. It returns the subaddresses.
func (w *Wallet) expose(ctx context.Context, has spendableOutputs, chosen []monero.Output) (indices []uint32, err error) {
	selected := map[string]bool{}
	for _, o := range chosen {
		selected[o.KeyImage] = true
		indices = append(indices, o.SubaddressIndex)
	}
	slices.Sort(indices)
	indices = slices.Compact(indices)
	for _, index := range indices {
		for _, o := range has.all[index] {
			if err := w.setFrozen(ctx, has, o, o.Unlocked && !selected[o.KeyImage]); err != nil {
				return nil, err
			}
		}
	}
	return indices, nil
}

// cover thaws the wallet's largest outputs, except those just spent, so that the
// wallet counts them again.
func (w *Wallet) cover(ctx context.Context, has spendableOutputs, spent []string) error {
	largest := slices.Clone(has.free)
	slices.SortStableFunc(largest, byAmount)
	for _, o := range largest[:min(len(largest), w.maxInputs())] {
		if err := w.setFrozen(ctx, has, o, slices.Contains(spent, o.KeyImage)); err != nil {
			return err
		}
	}
	return nil
}

func (w *Wallet) setFrozen(ctx context.Context, has spendableOutputs, o monero.Output, frozen bool) error {
	if has.frozen[o.KeyImage] == frozen {
		return nil
	}
	has.frozen[o.KeyImage] = frozen
	if frozen {
		return translated(w.spend.Freeze(ctx, o.KeyImage))
	}
	return translated(w.spend.Thaw(ctx, o.KeyImage))
}

// reach is how many of a subaddress's largest outputs decide its worth, so that dust
// at it does not count.
const reach = 16

// byWorth sorts subaddresses: those with the most money in few outputs come first. It
// also returns the outputs of each, the largest first.
func byWorth(outputs []monero.Output) (indices []uint32, of map[uint32][]monero.Output) {
	of = map[uint32][]monero.Output{}
	for _, o := range outputs {
		of[o.SubaddressIndex] = append(of[o.SubaddressIndex], o)
		indices = append(indices, o.SubaddressIndex)
	}
	slices.Sort(indices)
	indices = slices.Compact(indices)
	worth := map[uint32]uint64{}
	for _, index := range indices {
		slices.SortFunc(of[index], byAmount)
		worth[index] = sumOf(of[index][:min(reach, len(of[index]))])
	}
	slices.SortStableFunc(indices, func(a, b uint32) int { return cmp.Compare(worth[b], worth[a]) })
	return indices, of
}

// richest returns outputs of the subaddresses with the most money in few outputs that
// together hold enough: the largest first, and no more of them than most.
func richest(free []monero.Output, need uint64, most int) (chosen []monero.Output) {
	indices, of := byWorth(free)
	var total uint64
	for _, index := range indices {
		chosen = append(chosen, of[index]...)
		if total += sumOf(of[index]); total >= need {
			break
		}
	}
	slices.SortStableFunc(chosen, byAmount)
	if len(chosen) > most && sumOf(chosen[:most]) < need && total >= need {
		chosen = slices.Clone(free) // a subaddress with much dust leaves no room for larger outputs elsewhere
		slices.SortStableFunc(chosen, byAmount)
	}
	return chosen[:min(len(chosen), most)]
}

// byAmount sorts the largest first.
func byAmount(a, b monero.Output) int { return cmp.Compare(b.Amount, a.Amount) }

func sumOf(outputs []monero.Output) (sum uint64) {
	for _, o := range outputs {
		sum += uint64(o.Amount)
	}
	return sum
}

// from returns the outputs that these transactions made.
func from(free []monero.Output, transactions []string) (own []monero.Output) {
	for _, o := range free {
		if slices.Contains(transactions, o.TxHash) {
			own = append(own, o)
		}
	}
	return own
}
