package scan

import (
	"cmp"
	"context"
	"slices"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

// Output is an output of a transaction that belongs to a wallet.
type Output struct {
	WalletID string
	TxHash   Hash
	Index    int
	// OneTimeKey identifies the output. Another transaction can have an output with the same
	// key, of which only one can ever be spent: wallet2 counts the greatest of them. A
	// transaction's outputs to one wallet have different keys here.
	OneTimeKey Key
	To         monero.Subaddress
	Amount     money.Piconero
	// UnlockTime is that of the transaction.
	UnlockTime uint64
}

// Claim is a public spend key that was computed with a wallet's view key. Only an address of
// this wallet counts: another wallet's owner can choose his keys so that one of his addresses
// has the spend key of an address that is not his.
type Claim struct {
	WalletID string
	SpendKey Key
}

// Lookup returns the addresses of those claims that belong to addresses of their wallets.
// Each claim is asked for once in a call. The primary address has the index 0.
type Lookup func(ctx context.Context, claims []Claim) (map[Claim]monero.Subaddress, error)

// find returns the outputs of transactions that belong to wallets, in the order of the
// transactions, wallets and outputs. It calls lookup at most once.
func find(ctx context.Context, lookup Lookup, list []examined) ([]Output, error) {
	asked, claims := map[Claim]bool{}, []Claim{}
	for _, e := range list {
		for _, c := range e.candidates {
			if claim := c.claim(); !asked[claim] {
				asked[claim], claims = true, append(claims, claim)
			}
		}
	}
	if len(claims) == 0 {
		return nil, nil
	}
	owned, err := lookup(ctx, claims)
	if err != nil {
		return nil, err
	}
	var found []Output
	for _, e := range list {
		found = append(found, e.outputs(owned)...)
	}
	return found, nil
}

func (c candidate) claim() Claim { return Claim{c.wallet.ID, c.spendKey} }

// outputs returns the outputs of a transaction that belong to wallets and whose amounts are
// proven.
func (e examined) outputs(owned map[Claim]monero.Subaddress) (found []Output) {
	for rest := e.candidates; len(rest) > 0; {
		end := slices.IndexFunc(rest, func(c candidate) bool { return c.wallet != rest[0].wallet })
		if end < 0 {
			end = len(rest)
		}
		found, rest = append(found, e.tx.outputsOf(rest[:end], owned)...), rest[end:]
	}
	return found
}

// outputsOf returns the outputs that belong to one wallet, from its candidates. As in wallet2,
// the first candidate of an output that belongs to the wallet decides
// (check_acc_out_precomp_once), and an output of nothing does not count (scan_output).
func (tx *Tx) outputsOf(candidates []candidate, owned map[Claim]monero.Subaddress) (found []Output) {
	decided := map[uint32]bool{}
	for _, c := range candidates {
		to, ours := owned[c.claim()]
		if !ours || decided[c.output] {
			continue
		}
		decided[c.output] = true
		if units, proven := tx.amount(int(c.output), tx.secretOf(c)); proven && units > 0 {
			found = append(found, Output{
				WalletID: c.wallet.ID, TxHash: tx.Hash, Index: int(c.output), OneTimeKey: tx.Outputs[c.output].Key, To: to,
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
