package scan

import (
	"context"
	"fmt"
	"slices"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

// Payment is what one transaction pays to one address of the wallet, as
// monero.Wallet.Transfers returns it. Locked is not set.
type Payment struct {
	monero.Transfer

	Address string
	// OneTimeKeys has one entry for each of the Amounts. Amount has no part of those of which
	// another output with the same key counts.
	OneTimeKeys []Key
}

// Payments lists the payments in a range of blocks, and in the pool if the range says so.
// They include change that the wallet pays to itself, and payments in other blocks whose
// Amount may have changed because one in the range has the same one-time key. A payment in the
// pool has no Timestamp if the daemon is restricted.
func (s *Scanner) Payments(ctx context.Context, r monero.Range) ([]Payment, error) {
	blocks, err := s.Blocks(ctx, r.From, r.To)
	if err != nil {
		return nil, err
	}
	var list []Payment
	for _, block := range blocks {
		payments, err := addUp(block.Outputs, func(Hash) monero.Transfer {
			return monero.Transfer{Height: block.Height, Timestamp: block.Time}
		})
		if err != nil {
			return nil, err
		}
		list = append(list, payments...)
	}
	if list, err = s.countedOnce(ctx, list); err != nil || !r.Pool {
		return list, err
	}
	pool, err := s.pool(ctx)
	return append(list, pool...), err
}

// pool lists the payments in the pool, each as it was when its transaction was first read: so a
// call costs nothing for those that wait. A block may have taken one meanwhile.
func (s *Scanner) pool(ctx context.Context) ([]Payment, error) {
	texts, err := s.daemon.PoolHashes(ctx)
	if err != nil {
		return nil, err
	}
	known, outputs, err := s.outputsIn(ctx, texts)
	if err != nil {
		return nil, err
	}
	return addUp(outputs, func(hash Hash) monero.Transfer {
		read := known[hash].read
		return monero.Transfer{Timestamp: read.SeenAt, DoubleSpendSeen: read.InPool && read.DoubleSpendSeen}
	})
}

// PaymentOf lists the payments of a transaction (64 hex digits), in its block or in the pool,
// and others as Payments does. A transaction that the daemon does not know pays nothing.
func (s *Scanner) PaymentOf(ctx context.Context, txHash string) ([]Payment, error) {
	list, err := s.paymentsOf(ctx, []string{txHash}, func(located) bool { return true })
	if err != nil {
		return nil, err
	}
	return s.countedOnce(ctx, list)
}

// outputsIn returns the outputs of transactions that belong to the wallet, with what is known
// of each transaction.
func (s *Scanner) outputsIn(ctx context.Context, texts []string) (known map[Hash]examined, outputs []Output, err error) {
	texts = slices.Sorted(slices.Values(texts))
	hashes, err := parseHashes(slices.Compact(texts))
	if err != nil {
		return nil, nil, err
	}
	if known, err = s.examine(ctx, hashes); err != nil {
		return nil, nil, err
	}
	var list []examined
	for _, hash := range hashes {
		list = append(list, known[hash])
	}
	outputs, err = find(ctx, s.lookup, list)
	return known, outputs, err
}

// paymentsOf asks again where those transactions are that pay the wallet.
func (s *Scanner) paymentsOf(ctx context.Context, texts []string, wanted func(located) bool) ([]Payment, error) {
	_, outputs, err := s.outputsIn(ctx, texts)
	if err != nil {
		return nil, err
	}
	var paying []Hash
	for _, o := range outputs {
		paying = append(paying, o.TxHash)
	}
	at, err := s.transactions(ctx, slices.Compact(paying))
	if err != nil {
		return nil, err
	}
	outputs = slices.DeleteFunc(outputs, func(o Output) bool {
		t, found := at[o.TxHash]
		return !found || !wanted(t)
	})
	return addUp(outputs, func(hash Hash) monero.Transfer {
		t := at[hash].TxPlace
		return monero.Transfer{Height: t.Height, Timestamp: t.SeenAt, DoubleSpendSeen: t.InPool && t.DoubleSpendSeen}
	})
}

func parseHashes(texts []string) ([]Hash, error) {
	hashes := make([]Hash, len(texts))
	for i, text := range texts {
		var err error
		if hashes[i], err = ParseHash(text); err != nil {
			return nil, err
		}
	}
	return hashes, nil
}

// addUp adds up the outputs of each transaction to each address. at returns where a
// transaction is.
func addUp(outputs []Output, at func(Hash) monero.Transfer) ([]Payment, error) {
	type place struct {
		tx      Hash
		address string
	}
	index, list := map[place]int{}, []Payment{}
	for _, o := range outputs {
		key := place{o.TxHash, o.To.Address}
		i, known := index[key]
		if !known {
			p := Payment{Transfer: at(o.TxHash), Address: o.To.Address}
			p.TxHash, p.SubaddressIndex, p.UnlockTime = o.TxHash.String(), o.To.Index, o.UnlockTime
			i, list = len(list), append(list, p)
			index[key] = i
		}
		list[i].Amounts = append(list[i].Amounts, o.Amount)
		list[i].OneTimeKeys = append(list[i].OneTimeKeys, o.OneTimeKey)
	}
	for i := range list {
		var err error
		if list[i].Amount, err = money.Sum(list[i].Amounts...); err != nil {
			return nil, fmt.Errorf("transaction %s: %w", list[i].TxHash, err)
		}
	}
	return list, nil
}
