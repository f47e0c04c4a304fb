package xmrwallet

import (
	"cmp"
	"context"
	"slices"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/monero"
)

// A wallet chooses by itself, at random, among all outputs of the subaddresses
// that it may spend from. It can be told which ones by freezing the others. A
// wallet that was sent dust holds thousands of outputs. So only the few
// subaddresses that a payment is made of are brought into shape. Large outputs
// are thawed for the payment. Small ones stay frozen until they are wanted, so
// that each is frozen once and not for every payment.

// room is how many inputs a payment stays below what the network takes: the wallet may
// want some for the fee.
const room = 6

// maxInputs is how many outputs a payment is made of at most.
func (w *Wallet) maxInputs() int { return w.rules().Inputs - room }

// rules are those of the network, as the daemon told last.
func (w *Wallet) rules() coin.MoneroRules { return coin.MoneroRulesOf(int(w.fork.Load())) }

// fewer is the next number of inputs to try where so many do not fit.
func fewer(inputs int) int { return inputs - max(inputs/8, 1) }

// spendableOutputs is what a payment can be made of.
type spendableOutputs struct {
	// all are the outputs that the wallet takes for unspent, by subaddress.
	all map[uint32][]monero.Output
	// free can be spent now, whether frozen or not.
	free []monero.Output
	// total is everything that the wallet holds, in piconero.
	total uint64
	// frozen are key images, as the wallet has them now.
	frozen map[string]bool
	// partial says that only some subaddresses were listed.
	partial bool
}

// holdings is what a list of all outputs showed.
type holdings struct {
	// rich are the few subaddresses that hold nearly all of the money.
	rich []uint32
	// total is in piconero.
	total uint64
}

const (
	// maxRich is how many subaddresses are rich at most.
	maxRich = 8
	// restShare is the divisor: what lies elsewhere is less than a 16th, or more
	// subaddresses than maxRich hold it.
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

// spendableFor is spendable for what a payment is made of, as a rule: the
// subaddresses that held the most money when all outputs were listed last. To list
// all takes the wallet longer, the more dust it was sent. What is listed is as the
// wallet has it now.
func (w *Wallet) spendableFor(ctx context.Context, pay chain.Payment) (spendableOutputs, error) {
	last := w.lastSeen.Load()
	if last == nil || len(last.rich) == 0 || len(pay.Prefer) > 0 { // what it prefers may lie anywhere
		return w.spendable(ctx, pay.Avoid)
	}
	has, err := w.spendable(ctx, pay.Avoid, last.rich...)
	has.total, has.partial = max(has.total, last.total), true
	return has, err
}

// spendable freezes the outputs of these subaddresses, or of all, that must not be
// spent, and returns what is left.
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

// expose lets the wallet spend these outputs and no others of their
// subaddresses, which it returns.
func (w *Wallet) expose(ctx context.Context, has spendableOutputs, chosen []monero.Output) (indices []uint32, err error) {
	wanted := map[string]bool{}
	for _, o := range chosen {
		wanted[o.KeyImage] = true
		indices = append(indices, o.SubaddressIndex)
	}
	slices.Sort(indices)
	indices = slices.Compact(indices)
	for _, index := range indices {
		for _, o := range has.all[index] {
			if err := w.setFrozen(ctx, has, o, o.Unlocked && !wanted[o.KeyImage]); err != nil {
				return nil, err
			}
		}
	}
	return indices, nil
}

// cover lets the wallet count its largest outputs again, apart from what was
// just spent.
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

// reach is how many of a subaddress's largest outputs tell what it is good for:
// dust that lies there counts for nothing.
const reach = 16

// byWorth sorts subaddresses, first those with the most money in few outputs. It
// returns the outputs of each, too, the largest first.
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

// richest are the outputs of the subaddresses with the most money in few
// outputs that together hold enough, the largest first, at most so many.
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
		chosen = slices.Clone(free) // a subaddress of much dust is in the way of others
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

// from are the outputs that these transactions made.
func from(free []monero.Output, transactions []string) (own []monero.Output) {
	for _, o := range free {
		if slices.Contains(transactions, o.TxHash) {
			own = append(own, o)
		}
	}
	return own
}
