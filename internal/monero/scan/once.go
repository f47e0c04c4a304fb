package scan

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/durapay/durapay/internal/money"
)

// firstSpend is the number of blocks after which an output can be spent
// (CRYPTONOTE_DEFAULT_TX_SPENDABLE_AGE).
const firstSpend = 10

// keyed is an output of a payment in a block.
type keyed struct {
	payment *Payment
	amount  money.Piconero
}

// Record stores that transactions in blocks have outputs of a wallet with these one-time
// keys, of which each belongs to the transaction at its position. It returns the other
// transactions that were stored with one of the keys, in any call before. A second call stores
// nothing.
type Record func(ctx context.Context, walletID string, keys []Key, txHashes []string) (others []string, err error)

// countedOnce returns the payments in the list, with amounts of nothing where another output
// with the same one-time key counts. It adds the other payments in blocks that share a key with
// one in the list, because their amounts may change, and those that share a key with these.
func (s *Scanner) countedOnce(ctx context.Context, list []Payment) ([]Payment, error) {
	asked := map[string]bool{}
	for {
		others, err := s.recorded(ctx, list)
		if err != nil {
			return nil, err
		}
		others = slices.DeleteFunc(others, func(hash string) bool { return asked[hash] })
		if len(others) == 0 {
			break
		}
		for _, hash := range others {
			asked[hash] = true
		}
		more, err := s.paymentsOf(ctx, others, func(t located) bool { return !t.InPool })
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	countOnce(list)
	return list, nil
}

// recorded records the one-time keys of the payments in blocks, and returns the transactions
// that are not in the list and have one of them.
func (s *Scanner) recorded(ctx context.Context, list []Payment) (others []string, err error) {
	keys, txHashes, listed := map[string][]Key{}, map[string][]string{}, map[string]bool{}
	for _, p := range list {
		if p.Height == 0 {
			continue
		}
		listed[p.TxHash] = true
		for _, key := range p.OneTimeKeys {
			keys[p.WalletID], txHashes[p.WalletID] = append(keys[p.WalletID], key), append(txHashes[p.WalletID], p.TxHash)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(keys)) {
		more, err := s.record(ctx, id, keys[id], txHashes[id])
		if err != nil {
			return nil, err
		}
		others = append(others, more...)
	}
	return slices.DeleteFunc(others, func(hash string) bool { return listed[hash] }), nil
}

// countOnce lowers the Amount of payments whose outputs can never be spent, because another
// output to the same wallet has the same one-time key. Of the outputs in blocks that have one key, the greatest
// counts. That is the one that the spending wallet keeps, and so nobody can make a payment
// worthless by copying its key into a smaller one. An output that lies firstSpend blocks or
// more above the first one never counts, because the first may be spent by then. Payments in
// the pool stay as they are. A second call changes nothing.
func countOnce(payments []Payment) {
	type owned struct {
		wallet string
		key    Key
	}
	same := map[owned][]keyed{}
	for i := range payments {
		p := &payments[i]
		if p.Height == 0 {
			continue
		}
		p.Amount = 0
		for j, key := range p.OneTimeKeys {
			at := owned{p.WalletID, key}
			same[at] = append(same[at], keyed{p, p.Amounts[j]})
		}
	}
	for _, outputs := range same {
		best := spendable(outputs)
		best.payment.Amount += best.amount
	}
}

// spendable returns the output that counts among those with one key.
func spendable(outputs []keyed) keyed {
	slices.SortFunc(outputs, func(a, b keyed) int {
		return cmp.Or(cmp.Compare(a.payment.Height, b.payment.Height), cmp.Compare(a.payment.TxHash, b.payment.TxHash))
	})
	best := outputs[0]
	for _, o := range outputs[1:] {
		if o.payment.Height < outputs[0].payment.Height+firstSpend && o.amount > best.amount {
			best = o
		}
	}
	return best
}
