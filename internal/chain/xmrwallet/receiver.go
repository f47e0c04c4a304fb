package xmrwallet

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/monero"
)

// Receiver is a chain.Receiver and chain.Restorable: a daemon and a view-only
// wallet process. Merchants' wallets are watched through it; the exchange's
// Wallet contains one.
type Receiver struct {
	*Network

	watch   *monero.Wallet
	deriver *monero.Deriver

	tipMu sync.Mutex
	// seen is the hash of the tip that the wallet was last known to have read.
	seen string
}

var (
	_ chain.Receiver   = (*Receiver)(nil)
	_ chain.Restorable = (*Receiver)(nil)
)

// NewReceiver makes a receiver; the deriver is that of the wallet's keys.
func NewReceiver(daemon *monero.Daemon, watch *monero.Wallet, deriver *monero.Deriver) *Receiver {
	return &Receiver{Network: NewNetwork(daemon), watch: watch, deriver: deriver}
}

// Tip is the highest block that the daemon and the watching wallet have seen.
// The wallet notices a reorganization only while it reads, so each new top
// block is read. What a restarted wallet has lost is read as well.
func (r *Receiver) Tip(ctx context.Context) (chain.Tip, error) {
	info, err := r.info(ctx)
	if err != nil {
		return chain.Tip{}, err
	}
	height, err := r.watch.Height(ctx)
	if err != nil {
		return chain.Tip{}, translated(err)
	}
	if height < info.Height || !r.wasSeen(info.TopHash) {
		if err := scan(ctx, r.watch, info); err != nil {
			return chain.Tip{}, err
		}
		r.see(info.TopHash)
	}
	return chain.Tip{Height: info.Height - 1, Hash: info.TopHash}, nil
}

func (r *Receiver) wasSeen(hash string) bool {
	r.tipMu.Lock()
	defer r.tipMu.Unlock()
	return r.seen == hash
}

func (r *Receiver) see(hash string) {
	r.tipMu.Lock()
	defer r.tipMu.Unlock()
	r.seen = hash
}

// scan lets a wallet see the blocks that the daemon had. A wallet that cannot
// follow a reorganization says that it could, and stays where it was.
func scan(ctx context.Context, wallet *monero.Wallet, info monero.Info) error {
	if _, err := wallet.Refresh(ctx); err != nil {
		return translated(err)
	}
	height, err := wallet.Height(ctx)
	if err != nil {
		return translated(err)
	}
	if height < info.Height {
		return &chain.LagError{Blocks: info.Height - height, What: "the wallet"}
	}
	return nil
}

// BlockHash is the hash of the daemon's block at a height.
func (r *Receiver) BlockHash(ctx context.Context, height uint64) (string, error) {
	hash, err := r.daemon.BlockHash(ctx, height)
	if errors.Is(err, monero.ErrNotFound) {
		return "", fmt.Errorf("%w: block %d", chain.ErrNotFound, height)
	}
	return hash, translated(err)
}

// Scan lists what the wallet shows. The primary address is among it, with the
// change of own payments: a view-only wallet takes it for income.
func (r *Receiver) Scan(ctx context.Context, from, to uint64) ([]chain.Received, uint64, error) {
	shown, err := r.watch.Transfers(ctx, monero.Range{From: from, To: to, Pool: true})
	if err != nil {
		return nil, 0, translated(err)
	}
	list := make([]chain.Received, 0, len(shown))
	for _, t := range shown {
		received, err := r.received(t)
		if err != nil {
			return nil, 0, err
		}
		list = append(list, received)
	}
	return list, to, nil
}

// spendableAfter is how many confirmations every output needs
// (CRYPTONOTE_DEFAULT_TX_SPENDABLE_AGE).
const spendableAfter = 10

// Unlock times: a number below this is a block height, any other a Unix time
// in seconds (CRYPTONOTE_MAX_BLOCK_NUMBER in Monero's cryptonote_config.h).
const firstUnixUnlock = 500_000_000

// lastUnlock stands for every later moment, the last that fits everywhere.
const lastUnlock = 253_402_300_799

func (r *Receiver) received(t monero.Transfer) (chain.Received, error) {
	address, err := r.deriver.Subaddress(0, t.SubaddressIndex)
	received := chain.Received{
		TxHash: t.TxHash, Address: address, Ref: strconv.FormatUint(uint64(t.SubaddressIndex), 10),
		Amount: uint64(t.Amount), Outputs: max(1, len(t.Amounts)), Height: t.Height,
		SpendableAfter: spendableAfter, Contested: t.DoubleSpendSeen, Seen: t.Timestamp,
	}
	if t.UnlockTime < firstUnixUnlock {
		received.UnlockHeight = t.UnlockTime
	} else {
		received.UnlockAt = time.Unix(int64(min(t.UnlockTime, lastUnlock)), 0).UTC()
	}
	return received, err
}

// Locate asks the daemon, which answers twice for what it misses.
func (r *Receiver) Locate(ctx context.Context, txHashes []string) ([]chain.Location, error) {
	states, err := r.states(ctx, txHashes)
	if err != nil {
		return nil, err
	}
	list := make([]chain.Location, len(states))
	for i, s := range states {
		switch s.State {
		case monero.InPool:
			list[i] = chain.Location{State: chain.InPool, Contested: s.DoubleSpendSeen}
		case monero.Mined:
			list[i] = chain.Location{State: chain.Mined, Height: s.Height}
		case monero.Missed:
		}
	}
	return list, nil
}

// Origins are hidden.
func (r *Receiver) Origins(context.Context, chain.Received) ([]string, error) { return nil, nil }

// Knows says whether the watching wallet has made the subaddress with this index.
func (r *Receiver) Knows(ctx context.Context, ref uint64) (bool, error) {
	_, made, err := r.watch.AddressAt(ctx, uint32(ref))
	return made, translated(err)
}

// Adopt makes subaddresses up to an index, and stores the wallet.
func (r *Receiver) Adopt(ctx context.Context, ref uint64) error {
	return translated(r.watch.EnsureAddressCount(ctx, uint32(ref)+1))
}

// Rescan reads the chain anew and stores the wallet.
func (r *Receiver) Rescan(ctx context.Context) error {
	if err := r.watch.Rescan(ctx); err != nil {
		return translated(err)
	}
	return translated(r.watch.Store(ctx))
}
