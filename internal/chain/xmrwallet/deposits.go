package xmrwallet

import (
	"context"
	"slices"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/monero"
)

// Scan lists received payments as Receiver.Scan does, without the primary
// address. That is not a deposit address: change and rewards go there.
func (w *Wallet) Scan(ctx context.Context, from, to uint64) ([]chain.Received, uint64, error) {
	list, upTo, err := w.Receiver.Scan(ctx, from, to)
	return slices.DeleteFunc(list, func(r chain.Received) bool { return r.Ref == "0" }), upTo, err
}

// Deposit returns what a transaction pays to one of the wallet's addresses.
func (w *Wallet) Deposit(ctx context.Context, txHash, address string) (chain.Deposit, error) {
	tip, err := w.Tip(ctx)
	if err != nil {
		return chain.Deposit{}, err
	}
	transfers, err := w.watch.TransfersOf(ctx, txHash)
	if err != nil {
		return chain.Deposit{}, notFound(err, txHash)
	}
	for _, t := range transfers {
		if t.SubaddressIndex == 0 {
			continue
		}
		r, err := w.received(t)
		if err != nil {
			return chain.Deposit{}, err
		}
		if r.Address == address {
			return w.deposit(ctx, r, t.Locked, tip.Height)
		}
	}
	return chain.Deposit{}, notFound(monero.ErrNotFound, txHash)
}

// deposit returns a received payment at its place according to the daemon, as
// seen from a tip. A payment in a block above the tip counts as in the pool.
func (w *Wallet) deposit(ctx context.Context, r chain.Received, locked bool, tip uint64) (chain.Deposit, error) {
	at, err := w.Locate(ctx, []string{r.TxHash})
	if err != nil {
		return chain.Deposit{}, err
	}
	d := chain.Deposit{TxHash: r.TxHash, Address: r.Address, Amount: r.Amount, Locked: locked, Seen: r.Seen}
	switch l := at[0]; {
	case l.State == chain.Unknown:
		return chain.Deposit{}, notFound(monero.ErrNotFound, r.TxHash)
	case l.State == chain.Mined && l.Height <= tip:
		d.Height, d.Confirmations = l.Height, tip-l.Height+1
	default:
		d.Locked, d.Contested = true, r.Contested || l.Contested
	}
	return d, nil
}
