package scan

import (
	"cmp"
	"context"
	"slices"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

// Output is an output of a transaction that belongs to the wallet.
type Output struct {
	TxHash Hash
	Index  int
	// OneTimeKey identifies the output. Another transaction can have an output with the same
	// key, of which only one can ever be spent: wallet2 counts the greatest of them. A
	// transaction's outputs have different keys here.
	OneTimeKey Key
	To         monero.Subaddress
	Amount     money.Piconero
	// UnlockTime is that of the transaction.
	UnlockTime uint64
}

// Lookup returns the addresses of those public spend keys that belong to addresses of the
// wallet. Each key is asked for once in a call. The primary address has the index 0.
type Lookup func(ctx context.Context, spendKeys []Key) (map[Key]monero.Subaddress, error)

// Find returns the outputs of transactions that belong to the wallet, in the order of the
// transactions and their outputs. It calls lookup at most once.
func Find(ctx context.Context, view *monero.Deriver, lookup Lookup, txs ...*Tx) ([]Output, error) {
	list := make([]examined, len(txs))
	for i, tx := range txs {
		list[i] = examine(view, tx)
	}
	return find(ctx, lookup, list)
}

func find(ctx context.Context, lookup Lookup, list []examined) ([]Output, error) {
	asked, keys := map[Key]bool{}, []Key{}
	for _, e := range list {
		for _, c := range e.candidates {
			if !asked[c.SpendKey] {
				asked[c.SpendKey], keys = true, append(keys, c.SpendKey)
			}
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	owned, err := lookup(ctx, keys)
	if err != nil {
		return nil, err
	}
	var found []Output
	for _, e := range list {
		if e.tx != nil {
			found = append(found, e.tx.outputsOf(e.candidates, owned)...)
		}
	}
	return found, nil
}

// outputsOf returns the outputs that belong to the wallet and whose amounts are proven. As
// in wallet2, the first candidate of an output that belongs to the wallet decides
// (check_acc_out_precomp_once), and an output of nothing does not count (scan_output).
func (tx *Tx) outputsOf(candidates []Candidate, owned map[Key]monero.Subaddress) (found []Output) {
	decided := map[int]bool{}
	for _, c := range candidates {
		to, ours := owned[c.SpendKey]
		if !ours || decided[c.Output] {
			continue
		}
		decided[c.Output] = true
		if units, proven := tx.amount(c.Output, c.secret); proven && units > 0 {
			found = append(found, Output{
				TxHash: tx.Hash, Index: c.Output, OneTimeKey: tx.Outputs[c.Output].Key, To: to,
				Amount: money.Piconero(units), UnlockTime: tx.UnlockTime,
			})
		}
	}
	return greatestOfEachKey(found)
}

// greatestOfEachKey leaves the greatest of the outputs that have the same one-time key, and
// sorts by index.
func greatestOfEachKey(found []Output) []Output {
	slices.SortStableFunc(found, func(a, b Output) int { return cmp.Compare(b.Amount, a.Amount) })
	kept := map[Key]bool{}
	found = slices.DeleteFunc(found, func(o Output) bool {
		again := kept[o.OneTimeKey]
		kept[o.OneTimeKey] = true
		return again
	})
	slices.SortFunc(found, func(a, b Output) int { return cmp.Compare(a.Index, b.Index) })
	return found
}
