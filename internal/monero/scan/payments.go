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
	// OneTimeKeys has one entry for each of the Amounts. The store that counts payments
	// decides about keys that it has seen already, see Output.OneTimeKey.
	OneTimeKeys []Key
}

// Payments lists the payments in a range of blocks, and in the pool if the range says so.
// They include change that the wallet pays to itself. A payment in the pool has no
// Timestamp if the daemon is restricted.
func (s *Scanner) Payments(ctx context.Context, r monero.Range) ([]Payment, error) {
	blocks, err := s.Blocks(ctx, r.From, r.To)
	if err != nil {
		return nil, err
	}
	var list []Payment
	for _, block := range blocks {
		payments, err := paymentsOf(block.Outputs, func(Hash) monero.Transfer {
			return monero.Transfer{Height: block.Height, Timestamp: block.Time}
		})
		if err != nil {
			return nil, err
		}
		list = append(list, payments...)
	}
	if !r.Pool {
		return list, nil
	}
	pool, err := s.pool(ctx)
	return append(list, pool...), err
}

// pool lists the payments in the pool. A transaction that a block has taken meanwhile is
// left out, because its block is scanned next.
func (s *Scanner) pool(ctx context.Context) ([]Payment, error) {
	texts, err := s.daemon.PoolHashes(ctx)
	if err != nil {
		return nil, err
	}
	slices.Sort(texts)
	texts = slices.Compact(texts)
	hashes := make([]Hash, len(texts))
	for i, text := range texts {
		if hashes[i], err = ParseHash(text); err != nil {
			return nil, err
		}
	}
	known, err := s.transactions(ctx, hashes)
	if err != nil {
		return nil, err
	}
	var txs []*Tx
	for _, hash := range hashes {
		if tx := known[hash]; tx != nil && tx.inPool {
			txs = append(txs, tx.Tx)
		}
	}
	outputs, err := Find(ctx, s.view, s.lookup, txs...)
	if err != nil {
		return nil, err
	}
	return paymentsOf(outputs, func(hash Hash) monero.Transfer {
		return monero.Transfer{DoubleSpendSeen: known[hash].contested, Timestamp: known[hash].seen}
	})
}

// paymentsOf adds up the outputs of each transaction to each address. at returns where a
// transaction is.
func paymentsOf(outputs []Output, at func(Hash) monero.Transfer) ([]Payment, error) {
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
