package scan

import (
	"context"
	"fmt"
	"slices"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

// Payment is what one transaction pays to one address of a wallet, as
// monero.Wallet.Transfers returns it. Locked is not set.
type Payment struct {
	monero.Transfer

	WalletID, Address string
	// OneTimeKeys has one entry for each of the Amounts. Amount has no part of those of which
	// another output with the same key counts.
	OneTimeKeys []Key
}

// Payments lists the payments in a range of blocks, and in the pool if the range says so.
// They include change that a wallet pays to itself, and payments in other blocks whose
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
// call costs nothing for those that wait, and looks nothing up. Their addresses were known when
// they were read, because a payment comes after its address was given out; in their blocks they
// are looked up again. A block may have taken one meanwhile.
func (s *Scanner) pool(ctx context.Context) ([]Payment, error) {
	texts, err := s.daemon.PoolHashes(ctx)
	if err != nil {
		return nil, err
	}
	hashes, err := parseHashes(texts)
	if err != nil {
		return nil, err
	}
	s.kept.makeRoom(len(hashes))
	known, err := s.examine(ctx, nil, hashes)
	if err != nil {
		return nil, err
	}
	if err := s.lookUp(ctx, known); err != nil {
		return nil, err
	}
	var outputs []Output
	for _, hash := range hashes {
		outputs = append(outputs, known[hash].paid...)
	}
	return addUp(outputs, func(hash Hash) monero.Transfer {
		read := known[hash].read
		return monero.Transfer{Timestamp: read.SeenAt, DoubleSpendSeen: read.InPool && read.DoubleSpendSeen}
	})
}

// lookUp sets what transactions of the pool pay, where that is not known yet.
func (s *Scanner) lookUp(ctx context.Context, known map[Hash]examined) error {
	var fresh []examined
	for _, e := range known {
		if !e.asked {
			fresh = append(fresh, e)
		}
	}
	outputs, err := find(ctx, s.lookup, fresh)
	if err != nil {
		return err
	}
	paid := map[Hash][]Output{}
	for _, o := range outputs {
		paid[o.TxHash] = append(paid[o.TxHash], o)
	}
	for _, e := range fresh {
		e.asked, e.paid = true, paid[e.tx.Hash]
		known[e.tx.Hash] = e
		s.kept.put(e)
	}
	return nil
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

// paymentsOf asks again where those transactions are that pay a wallet.
func (s *Scanner) paymentsOf(ctx context.Context, texts []string, wanted func(located) bool) ([]Payment, error) {
	hashes, err := parseHashes(texts)
	if err != nil {
		return nil, err
	}
	known, err := s.examine(ctx, nil, hashes)
	if err != nil {
		return nil, err
	}
	var list []examined
	for _, hash := range hashes {
		if e, found := known[hash]; found {
			list = append(list, e)
		}
	}
	outputs, err := find(ctx, s.lookup, list)
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

// parseHashes returns each hash once, in order.
func parseHashes(texts []string) ([]Hash, error) {
	texts = slices.Compact(slices.Sorted(slices.Values(texts)))
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
		tx              Hash
		wallet, address string
	}
	index, list := map[place]int{}, []Payment{}
	for _, o := range outputs {
		key := place{o.TxHash, o.WalletID, o.To.Address}
		i, known := index[key]
		if !known {
			p := Payment{Transfer: at(o.TxHash), WalletID: o.WalletID, Address: o.To.Address}
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
