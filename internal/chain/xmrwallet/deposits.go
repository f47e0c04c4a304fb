package xmrwallet

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/chain/cursor"
	"github.com/durapay/durapay/internal/monero"
)

// Deposits tells what changed since the cursor.
func (w *Wallet) Deposits(ctx context.Context, since chain.Cursor) ([]chain.Deposit, chain.Cursor, error) {
	memory, err := cursor.Parse(since)
	if err != nil {
		return nil, "", err
	}
	tip, err := w.Tip(ctx)
	if err != nil {
		return nil, "", err
	}
	if err := memory.CheckTip(tip.Height); err != nil {
		return nil, "", err
	}
	candidates, err := w.candidates(ctx, memory, tip.Height)
	if err != nil {
		return nil, "", err
	}
	now, err := w.located(ctx, candidates, tip.Height)
	if err != nil {
		return nil, "", err
	}
	from := strconv.FormatUint(tip.Height-min(tip.Height, chain.Depth+1), 10)
	changed, next := memory.Next(from, tip.Height, now)
	text, err := next.Text()
	return changed, text, err
}

// candidates are what the wallet shows, and what was told before: a payment
// that returned to the pool is not shown again before it is in a block, and one
// that is locked for long lies deeper than what the wallet is asked to show.
func (w *Wallet) candidates(ctx context.Context, memory cursor.Memory, tip uint64) ([]chain.Deposit, error) {
	var from uint64
	var err error
	if memory.From != "" {
		if from, err = strconv.ParseUint(memory.From, 10, 64); err != nil {
			return nil, fmt.Errorf("chain: the cursor cannot be read: %w", err)
		}
	}
	shown, err := w.watch.Transfers(ctx, from, true)
	if err != nil {
		return nil, translated(err)
	}
	list := make([]chain.Deposit, 0, len(shown))
	listed := map[[2]string]bool{}
	for _, t := range shown {
		if t.SubaddressIndex == 0 {
			continue
		}
		d, err := w.deposit(t)
		if err != nil {
			return nil, err
		}
		// A transaction on its way from the pool into a block is in both lists.
		if id := [2]string{d.TxHash, d.Address}; !listed[id] {
			listed[id] = true
			list = append(list, d)
		}
	}
	for _, d := range memory.Open {
		if listed[[2]string{d.TxHash, d.Address}] {
			continue
		}
		d.Locked = true
		if deep := d.Height != 0 && d.Height <= from; deep && tip != memory.Height {
			if d.Locked, err = w.locked(ctx, d); err != nil {
				return nil, err
			}
		}
		list = append(list, d)
	}
	return list, nil
}

// locked asks the wallet whether one deposit cannot be spent yet. One that it
// does not have, as after a reorganization, cannot.
func (w *Wallet) locked(ctx context.Context, d chain.Deposit) (bool, error) {
	transfers, err := w.watch.TransfersOf(ctx, d.TxHash)
	if err != nil && !errors.Is(err, monero.ErrNotFound) {
		return true, translated(err)
	}
	for _, t := range transfers {
		if shown, err := w.deposit(t); err != nil || (shown.Address == d.Address && !shown.Locked) {
			return err != nil, err
		}
	}
	return true, nil
}

// deposit is what the wallet shows, without the place in the chain.
func (w *Wallet) deposit(t monero.Transfer) (chain.Deposit, error) {
	address, err := w.deriver.Subaddress(0, t.SubaddressIndex)
	return chain.Deposit{
		TxHash: t.TxHash, Address: address, Amount: uint64(t.Amount),
		Locked: t.Locked, Contested: t.DoubleSpendSeen, Seen: t.Timestamp,
	}, err
}

// located keeps the deposits that the daemon knows and tells where they are,
// as seen from a tip.
func (w *Wallet) located(ctx context.Context, list []chain.Deposit, tip uint64) ([]chain.Deposit, error) {
	if len(list) == 0 {
		return nil, nil
	}
	hashes := make([]string, len(list))
	for i, d := range list {
		hashes[i] = d.TxHash
	}
	states, err := w.daemon.Transactions(ctx, hashes)
	if err != nil {
		return nil, translated(err)
	}
	var present []chain.Deposit
	for i, d := range list {
		d.Height, d.Confirmations = 0, 0
		switch s := states[i]; {
		case s.State == monero.Missed:
			continue
		case s.State == monero.InPool:
			d.Locked, d.Contested = true, d.Contested || s.DoubleSpendSeen
		case s.Height <= tip: // else it came after the tip and counts as in the pool until next time
			d.Height, d.Confirmations, d.Contested = s.Height, tip-s.Height+1, false
		}
		present = append(present, d)
	}
	return present, nil
}

// Deposit is what a transaction pays to one of the wallet's addresses.
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
		d, err := w.deposit(t)
		if err != nil {
			return chain.Deposit{}, err
		}
		if d.Address != address {
			continue
		}
		found, err := w.located(ctx, []chain.Deposit{d}, tip.Height)
		if err != nil {
			return chain.Deposit{}, err
		}
		if len(found) == 1 {
			return found[0], nil
		}
	}
	return chain.Deposit{}, notFound(monero.ErrNotFound, txHash)
}
