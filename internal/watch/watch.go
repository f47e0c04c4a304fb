// Package watch finds out what a wallet received, for merchants' wallets and for
// the exchange's, whatever the coin. One Watcher follows one wallet; each Scan is
// one pass:
//
//	scan    what the wallet shows of payments in the blocks since the last scan,
//	        and in the pool
//	locate  where the daemon has what is new, in the pool, in the blocks that are
//	        read, about to mature, or was dropped lately
//	diff    what that changes of what is stored (a pure function)
//	save    changes, place in the chain and pending notifications, in one
//	        transaction
//
// The wallet says what was paid, the daemon alone says where it is. A height that
// is stored is one that the daemon told, as seen from the tip that is stored with
// it. What is in a block above that tip counts as in the pool until the next scan.
//
// # What a scan costs
//
// The rows are the memory, and State says up to where the chain was read. Blocks
// below State.Settled lie deep and are not asked for again. Those up to
// State.Height were read by the last scan. So a scan reads new blocks and the
// pool, and a start reads the last chain.Depth blocks. Neither looks at what was
// ever paid.
//
// What waits for a block is asked for in rounds, a page in each scan, when
// something has changed and every half a minute. So the number of such payments
// costs nothing.
//
// When blocks are many, a scan reads a page of them and stops there, as if the
// chain were no longer. What follows is the next scan's.
//
// When the block of the last scan left the chain, the scan goes back to Settled, or
// below it to the highest checkpoint that is still in the chain. What is stored
// above is located again.
//
// # What happens when it dies
//
// Nothing is stored before save, and save is one transaction. Of two watchers of
// one wallet the second to save gets ErrSuperseded. The next scan finds what is
// left to do.
package watch

import (
	"context"
	"errors"
	"time"

	"github.com/durapay/durapay/internal/chain"
)

// ErrSuperseded says that another watcher has stored a scan of the wallet
// meanwhile, or that the chain changed while it was asked. Scan again.
var ErrSuperseded = errors.New("watch: the scan was superseded")

// State is up to where a wallet's chain was read.
type State struct {
	// Height is the number of blocks that the stored rows stand for, Hash the
	// highest one's; 0 and empty before the first scan.
	Height uint64
	Hash   string
	// Settled is the number of blocks that were read when they lay deep, and
	// SettledHash the highest one's, empty where it is not known.
	Settled     uint64
	SettledHash string
	// ScannedAt is when that was; nil before the first scan. It tells one scan
	// from another.
	ScannedAt *time.Time
	// Rescan says that the wallet is not believed until it has read the chain
	// anew.
	Rescan bool
}

// Row is a stored payment, as far as it can change.
type Row struct {
	ID              int64
	TxHash, Address string
	// Amount is what the wallet was last seen to show of it, in atomic units.
	Amount uint64
	// Place is where it was at the last scan.
	Place Place
	// Lock is what keeps it from being spent; nil where the store never needs to
	// learn it later.
	Lock *Lock
}

// Key identifies a payment.
func (r Row) Key() Key { return Key{r.TxHash, r.Address} }

// Key identifies a payment: a transaction, and the wallet's address that it pays
// to, or the number of that address where the store goes by numbers.
type Key struct{ TxHash, Address string }

// Place is where a payment is.
type Place struct {
	// Height is the block's; nil in the pool, or when it was dropped.
	Height *uint64
	// Dropped says that it is neither in the pool nor in the chain.
	Dropped bool
	// Contested says that another transaction, in no block either, spends the
	// same coins.
	Contested bool
}

// Lock is what keeps a payment from being spent; see chain.Received.
type Lock struct {
	UnlockHeight   uint64
	UnlockAt       time.Time
	SpendableAfter uint64
}

// Wanted names the rows that a scan needs.
type Wanted struct {
	// From and To are the blocks that are scanned, both included; none where From
	// lies above To.
	From, To uint64
	// Height is the number of blocks at the scan's tip: what matures there or
	// before, and did not yet, is wanted.
	Height uint64
	// Now is compared with locks that end at a moment.
	Now time.Time
	// DroppedAfter, DroppedSince and DroppedLimit name a page of dropped rows:
	// those with a higher ID that were dropped since then, so many at most, in
	// the order of their IDs.
	DroppedAfter int64
	DroppedSince time.Time
	DroppedLimit int
}

// Store keeps what a wallet received.
type Store interface {
	// State is up to where it was read.
	State(ctx context.Context) (State, error)
	// Watched are the wanted rows and all that are in the pool, in any order, each
	// once.
	Watched(ctx context.Context, w Wanted) ([]Row, error)
	// Find are the rows of these transactions.
	Find(ctx context.Context, txHashes []string) ([]Row, error)
	// Key is how the store tells a payment from others.
	Key(r chain.Received) Key
	// Checkpoint is the highest one below a height; 0 where there is none.
	Checkpoint(ctx context.Context, below uint64) (height uint64, hash string, err error)
	// Save writes a scan in one transaction, with notifications for all whom it
	// concerns. ErrSuperseded when State has changed since the scan began.
	Save(ctx context.Context, s Scanned) error
	// AwaitRescan notes that the wallet must read the chain anew. The watcher
	// then reads it from the beginning too. Rescanned notes that the wallet
	// has done so.
	AwaitRescan(ctx context.Context) error
	Rescanned(ctx context.Context) error
	// HighestRef is the highest number of an address that was made.
	HighestRef(ctx context.Context) (uint64, error)
}

// Scanned is what a scan found.
type Scanned struct {
	// Before is the state that the scan began with, After the one that it leaves.
	Before, After State
	// Now is when the scan was made.
	Now time.Time

	Changes

	// Located are the transactions that the daemon showed in a block at or below
	// the scan's tip: only their payments can mature.
	Located []string
	// Checkpoint is a settled block to remember; 0 for none.
	Checkpoint Checkpoint
	// More says that the next scan has something left to do: blocks, or a round of
	// what waits for one.
	More bool
}

// NewBlock says whether the chain is not what it was at the last scan.
func (s Scanned) NewBlock() bool { return s.Before.Hash != s.After.Hash }

// Checkpoint is the hash of the highest of Height blocks.
type Checkpoint struct {
	Height uint64
	Hash   string
}
