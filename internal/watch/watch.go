// Package watch finds the payments that a wallet received, for every wallet and
// every coin. One Watcher follows one wallet. Each
// Scan is one pass:
//
//	scan    asks the wallet for payments in the blocks since the last scan, and
//	        in the pool
//	locate  asks the daemon for the places of payments that are new, in the pool,
//	        in the blocks that are read, about to mature, or were dropped recently
//	diff    computes the changes of the stored payments (a pure function)
//	save    stores the changes, the place in the chain and wakeups, in one
//	        transaction
//
// The wallet determines the amount of a payment, the daemon alone determines its
// place. A stored height comes from the daemon, as seen from the tip that is
// stored with it. A payment in a block above that tip counts as in the pool until
// the next scan.
//
// # What a scan costs
//
// The rows are the memory, and State is the height up to which the chain was
// read. Blocks below State.Settled lie deep and are not read again. Blocks up to
// State.Height were read by the last scan. So a scan reads new blocks and the
// pool, and a start reads the last chain.Depth blocks. Neither depends on the
// number of earlier payments.
//
// Payments that wait for a block are asked for in rounds, one page in each scan,
// when something has changed and every half a minute. So a large number of such
// payments does not make a scan slower.
//
// The first scan of a wallet reads no block, because nobody has an address of it yet. A
// wallet that was never scanned gives out none. The first checkpoint marks where that was,
// and no scan goes below it.
//
// If there are many new blocks, a scan reads one page of them and stops there, as
// if the chain ended there. The next scan continues.
//
// If the block of the last scan left the chain, the scan goes back to Settled, or
// below it to the highest checkpoint that is still in the chain. Payments stored
// above that are located again.
//
// # What happens after a crash
//
// A scan stores nothing before save, and save is one transaction. If two watchers
// scan the same wallet, the second one to save gets ErrSuperseded. The next scan
// finds the remaining work.
//
// A Publisher gives hints that something has happened. A watcher need not wait for its
// next poll then.
package watch

import (
	"context"
	"errors"
	"time"

	"github.com/durapay/durapay/internal/chain"
)

// ErrSuperseded means that another watcher has stored a scan of the wallet in the
// meantime, or that the chain changed during the scan. Scan again.
var ErrSuperseded = errors.New("watch: the scan was superseded")

// State is the height up to which a wallet's chain was read.
type State struct {
	// Height is the number of blocks that the stored rows cover, and Hash is the hash
	// of the highest one. They are 0 and empty before the first scan.
	Height uint64
	Hash   string
	// Settled is the number of blocks that were read when they already lay deep.
	// SettledHash is the hash of the highest one, or empty if it is not known.
	Settled     uint64
	SettledHash string
	// ScannedAt is the time of the last scan that reached the tip; nil before the first
	// scan. With Hash it distinguishes one scan from another.
	ScannedAt *time.Time
	// Rescan reports whether the wallet must read the chain again. Until then its
	// answers are not used.
	Rescan bool
}

// Row is a stored payment with the fields that can change.
type Row struct {
	ID              int64
	TxHash, Address string
	// WalletID is the wallet that the address belongs to.
	WalletID string
	// Amount is the amount that the wallet last showed, in atomic units.
	Amount uint64
	// Place is the place of the payment at the last scan.
	Place Place
	// Lock prevents the payment from being spent.
	Lock Lock
}

// Key returns the key of the payment.
func (r Row) Key() Key { return Key{r.TxHash, r.Address} }

// Key identifies a payment: a transaction, and the wallet's address that it pays
// to.
type Key struct{ TxHash, Address string }

// KeyOf returns the key of a payment that the wallet shows.
func KeyOf(r chain.Received) Key { return Key{r.TxHash, r.Address} }

// Place is the place of a payment in the chain or the pool.
type Place struct {
	// Height is the height of the block; nil if the payment is in the pool or was
	// dropped.
	Height *uint64
	// Dropped reports whether the payment is neither in the pool nor in the chain.
	Dropped bool
	// Contested reports whether another unconfirmed transaction spends the same
	// coins.
	Contested bool
}

// Lock prevents a payment from being spent until it ends; see chain.Received.
type Lock struct {
	UnlockHeight   uint64
	UnlockAt       time.Time
	SpendableAfter uint64
}

// RowQuery selects the rows that a scan needs.
type RowQuery struct {
	// From and To are the first and the last block that are scanned. If From is above
	// To, no block is scanned.
	From, To uint64
	// Height is the number of blocks at the scan's tip. Rows that mature there or
	// earlier and are not mature yet are selected.
	Height uint64
	// Now is compared with locks that end at a point in time.
	Now time.Time
	// DroppedAfter, DroppedSince and DroppedLimit select a page of dropped rows:
	// those with an ID above DroppedAfter that were dropped after DroppedSince, at
	// most DroppedLimit, in the order of their IDs.
	DroppedAfter int64
	DroppedSince time.Time
	DroppedLimit int
}

// Store keeps the payments that a wallet received.
type Store interface {
	// State returns the height up to which the chain was read.
	State(ctx context.Context) (State, error)
	// Watched returns the selected rows and all rows that are in the pool, in any
	// order, each once.
	Watched(ctx context.Context, query RowQuery) ([]Row, error)
	// Find returns the rows of these transactions.
	Find(ctx context.Context, txHashes []string) ([]Row, error)
	// Checkpoint returns the highest checkpoint below a height; 0 if there is none.
	Checkpoint(ctx context.Context, below uint64) (height uint64, hash string, err error)
	// FirstCheckpoint returns the height of the lowest one; 0 if there is none.
	FirstCheckpoint(ctx context.Context) (height uint64, err error)
	// Save writes a scan in one transaction and the wakeups for its
	// changes. It returns ErrSuperseded if State has changed since the scan began.
	Save(ctx context.Context, s Scanned) error
	// AwaitRescan records that the chain must be read again, by the wallet if that has a file
	// and by the watcher. Rescanned records that the wallet has done
	// so with its addresses up to a number. It returns ErrSuperseded if the wallet has
	// to know higher ones, which nobody can ask it about: then it is still due.
	AwaitRescan(ctx context.Context) error
	Rescanned(ctx context.Context, upTo uint64) error
	// HighestRef returns the highest number of an address that was made.
	HighestRef(ctx context.Context) (uint64, error)
}

// Scanned is the result of a scan.
type Scanned struct {
	// Before is the state at the start of the scan, After the state at its end.
	Before, After State
	// Now is the time of the scan.
	Now time.Time

	Changes

	// Located are the transactions that the daemon showed in a block at or below the
	// scan's tip. Only their payments can mature.
	Located []string
	// Checkpoint is a settled block to store; its Height is 0 if there is none.
	Checkpoint Checkpoint
	// More reports whether work remains for the next scan: blocks, or the rest of a
	// round.
	More bool
	// Behind is the number of blocks that remain.
	Behind uint64
}

// NewBlock reports whether the chain has changed since the last scan.
func (s Scanned) NewBlock() bool { return s.Before.Hash != s.After.Hash }

// Checkpoint is the hash of the highest of the first Height blocks.
type Checkpoint struct {
	Height uint64
	Hash   string
}
