package xmrwallet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/monero"
)

// Receiver implements chain.Receiver and chain.Restorable with a daemon and a
// view-only wallet process. The service watches merchants' wallets through it;
// the exchange's Wallet contains one.
type Receiver struct {
	*Network

	watch   *monero.Wallet
	deriver *monero.Deriver
}

var (
	_ chain.Receiver   = (*Receiver)(nil)
	_ chain.Restorable = (*Receiver)(nil)
)

// NewReceiver makes a receiver. The deriver has the wallet's keys.
func NewReceiver(daemon *monero.Daemon, watch *monero.Wallet, deriver *monero.Deriver) *Receiver {
	return &Receiver{Network: NewNetwork(daemon), watch: watch, deriver: deriver}
}

// Tip returns the highest block that both the daemon and the watching wallet have
// read. The wallet notices a reorganization only while it reads, so Tip makes it
// read each new top block, and the blocks that a restarted wallet has lost.
func (r *Receiver) Tip(ctx context.Context) (chain.Tip, error) {
	info, err := r.info(ctx)
	if err != nil {
		return chain.Tip{}, err
	}
	if err := readUpTo(ctx, r.watch, info); err != nil {
		return chain.Tip{}, err
	}
	return chain.Tip{Height: info.Height - 1, Hash: info.TopHash}, nil
}

// readUpTo lets a wallet read the blocks that the daemon had. A wallet that
// cannot follow a reorganization reports success but stays at its height.
func readUpTo(ctx context.Context, wallet *monero.Wallet, info monero.Info) error {
	height, err := wallet.ReadUpTo(ctx, info)
	if err != nil {
		return translated(err)
	}
	if height < info.Height {
		return &chain.LagError{Blocks: info.Height - height, What: "the wallet"}
	}
	return nil
}

// BlockHash returns the hash of the daemon's block at a height.
func (r *Receiver) BlockHash(ctx context.Context, height uint64) (string, error) {
	hash, err := r.daemon.BlockHash(ctx, height)
	if errors.Is(err, monero.ErrNotFound) {
		return "", fmt.Errorf("%w: block %d", chain.ErrNotFound, height)
	}
	return hash, translated(err)
}

// Scan lists received payments as the wallet shows them. They include payments to
// the primary address with the change of own payments, because a view-only wallet
// shows change as received money.
func (r *Receiver) Scan(ctx context.Context, from, to uint64) ([]chain.Received, uint64, error) {
	shown, err := r.watch.Transfers(ctx, monero.Range{From: from, To: to, Pool: true})
	if err != nil {
		return nil, 0, translated(err)
	}
	list := make([]chain.Received, 0, len(shown))
	for _, t := range shown {
		list = append(list, r.received(t))
	}
	return list, to, nil
}

// spendableAfter is how many confirmations every output needs
// (CRYPTONOTE_DEFAULT_TX_SPENDABLE_AGE).
const spendableAfter = 10

// Unlock times: a number below this is a block height, any other a Unix time
// in seconds (CRYPTONOTE_MAX_BLOCK_NUMBER in Monero's cryptonote_config.h).
const firstUnixUnlock = 500_000_000

// lastUnlock replaces every later time: the last second of 9999-12-30, which all formats
// can hold in every time zone.
const lastUnlock = 253_402_214_399

func (r *Receiver) received(t monero.Transfer) chain.Received {
	received := chain.Received{
		TxHash: t.TxHash, Address: r.deriver.Subaddress(0, t.SubaddressIndex), Ref: strconv.FormatUint(uint64(t.SubaddressIndex), 10),
		Amount: uint64(t.Amount), Outputs: max(1, len(t.Amounts)), Height: t.Height,
		SpendableAfter: spendableAfter, Contested: t.DoubleSpendSeen, Seen: t.Timestamp,
	}
	if t.UnlockTime < firstUnixUnlock {
		received.UnlockHeight = t.UnlockTime
	} else {
		received.UnlockAt = time.Unix(int64(min(t.UnlockTime, lastUnlock)), 0).UTC()
	}
	return received
}

// Locate asks the daemon. Its client asks twice for a transaction that the daemon
// does not find.
func (r *Receiver) Locate(ctx context.Context, txHashes []string) ([]chain.Location, error) {
	states, err := r.states(ctx, txHashes)
	if err != nil {
		return nil, err
	}
	list := make([]chain.Location, len(states))
	for i, s := range states {
		list[i] = chain.Location{State: placeOf(s.State), Height: s.Height, Contested: s.State == monero.InPool && s.DoubleSpendSeen}
	}
	return list, nil
}

// Origins returns nothing, because the chain hides them.
func (r *Receiver) Origins(context.Context, chain.Received) ([]string, error) { return nil, nil }

// Knows reports whether the watching wallet has made the subaddress with this
// index.
func (r *Receiver) Knows(ctx context.Context, ref uint64) (bool, error) {
	_, made, err := r.watch.AddressAt(ctx, uint32(ref))
	return made, translated(err)
}

// Adopt makes subaddresses up to an index, and stores the wallet.
func (r *Receiver) Adopt(ctx context.Context, ref uint64) error {
	return translated(r.watch.EnsureAddressCount(ctx, uint32(ref)+1))
}

// Rescan reads the chain again and stores the wallet.
func (r *Receiver) Rescan(ctx context.Context) error {
	if err := r.watch.Rescan(ctx); err != nil {
		return translated(err)
	}
	return translated(r.watch.Store(ctx))
}

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
		r := w.received(t)
		if r.Address != address {
			continue
		}
		at, err := w.Locate(ctx, []string{r.TxHash})
		if err != nil {
			return chain.Deposit{}, err
		}
		d, err := r.At(at[0], tip.Height)
		d.Locked = t.Locked || d.Confirmations == 0
		return d, err
	}
	return chain.Deposit{}, notFound(monero.ErrNotFound, txHash)
}
