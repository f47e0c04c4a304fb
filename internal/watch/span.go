package watch

import (
	"context"
	"errors"

	"github.com/durapay/durapay/internal/chain"
)

// span is the part of the chain that a scan reads.
type span struct {
	// from and to are the first and the last block. If from is above to, no block
	// is read.
	from, to uint64
	// top is the hash of block to, or of the tip if no block is read.
	top string
	// overlap is the number of blocks below from that are read a second time.
	overlap uint64
	// rewound reports whether blocks that counted as settled no longer do. The scan
	// then starts again at from.
	rewound bool
	// first reports whether it is the first scan of a wallet that starts at the tip.
	first bool
	// stale is the tip at which the wallet may still show the state before a
	// reorganization. It is empty if the wallet is up to date.
	stale string
}

// overlap is the number of blocks that are read a second time with new ones,
// because a reorganization between two scans may leave no other trace. The
// wallet shows the payments of such a reorganization only with the next block.
const overlap = 10

// spanOf decides what to read next: the new blocks, or the blocks that have
// replaced known ones. A span has at most one page of blocks.
func (w *Watcher) spanOf(ctx context.Context, before State, tip chain.Tip) (span, error) {
	if tip.Height+1 < before.Height {
		return span{}, &chain.LagError{Blocks: before.Height - tip.Height - 1, What: "the daemon's chain"}
	}
	if before.ScannedAt == nil && w.FromTip {
		return span{from: tip.Height + 1, to: tip.Height, top: tip.Hash, first: true}, nil
	}
	if before.Height == tip.Height+1 && before.Hash == tip.Hash && w.begun {
		return span{from: tip.Height + 1, to: tip.Height, top: tip.Hash, stale: w.stale}, nil
	}
	s, err := w.baseOf(ctx, before, tip)
	if err != nil {
		return span{}, err
	}
	if s.from > tip.Height { // there are no blocks above the settled ones
		s.from, s.overlap = tip.Height+1, 0
	}
	s.to, s.top = min(tip.Height, s.from+w.page-1), tip.Hash
	s.from -= min(s.overlap, w.page-1)
	if s.to < tip.Height {
		s.top, err = w.Wallet.BlockHash(ctx, s.to)
	}
	return s, err
}

// baseOf returns a span without its end. After a reorganization, a wallet shows
// old heights until the next block. Until then each scan reads the same blocks again.
func (w *Watcher) baseOf(ctx context.Context, before State, tip chain.Tip) (span, error) {
	reorganized, err := w.leftChain(ctx, before.Height, before.Hash, tip)
	if err != nil {
		return span{}, err
	}
	floor, err := w.floor(ctx)
	switch {
	case err != nil:
		return span{}, err
	case !reorganized && w.begun && (w.stale == "" || w.stale == tip.Hash):
		return span{from: max(floor, before.Height), stale: w.stale, overlap: min(overlap, before.Height-min(before.Settled, before.Height))}, nil
	case !reorganized:
		s := span{from: max(floor, min(before.Settled, before.Height))}
		if !w.begun && tip.Height < s.from+w.page {
			s.stale = tip.Hash // the previous watcher may have met a reorganization at this tip
		}
		return s, nil
	}
	height, hash := before.Settled, before.SettledHash
	for height > floor {
		gone, err := w.leftChain(ctx, height, hash, tip)
		if err != nil {
			return span{}, err
		}
		if !gone {
			break
		}
		if height, hash, err = w.Store.Checkpoint(ctx, height); err != nil {
			return span{}, err
		}
	}
	height = max(height, floor)
	return span{from: height, stale: tip.Hash, rewound: height < before.Settled}, nil
}

// floor returns the number of blocks that no scan reads.
func (w *Watcher) floor(ctx context.Context) (uint64, error) {
	if !w.FromTip {
		return 0, nil
	}
	return w.Store.FirstCheckpoint(ctx)
}

// leftChain reports whether a block has left the chain: the highest of the first
// height blocks. It returns false for no block, and for a block whose hash is
// unknown.
func (w *Watcher) leftChain(ctx context.Context, height uint64, hash string, tip chain.Tip) (bool, error) {
	switch {
	case height == 0 || hash == "":
		return false, nil
	case height == tip.Height+1:
		return hash != tip.Hash, nil
	}
	now, err := w.Wallet.BlockHash(ctx, height-1)
	if errors.Is(err, chain.ErrNotFound) {
		return true, nil
	}
	return now != hash, err
}

// checkpointEvery is the number of blocks between two checkpoints.
const checkpointEvery = 1000

// after returns the state after a scan of this span, and a checkpoint if the
// scan passed one. Blocks that lie chain.Depth below the scan's tip become
// settled, unless the wallet may be stale: then the same blocks are read a
// second time.
func (w *Watcher) after(ctx context.Context, before State, s span) (State, Checkpoint, error) {
	next := before
	next.Height, next.Hash = s.to+1, s.top
	if s.rewound {
		next.Settled, next.SettledHash = s.from, ""
	}
	settled := next.Height - min(next.Height, chain.Depth)
	if settled <= next.Settled || s.stale != "" {
		if next.Settled > 0 && next.SettledHash == "" && next.Settled <= next.Height {
			hash, err := w.Wallet.BlockHash(ctx, next.Settled-1)
			next.SettledHash = hash
			return next, Checkpoint{}, err
		}
		return next, Checkpoint{}, nil
	}
	hash, err := w.Wallet.BlockHash(ctx, settled-1)
	if err != nil {
		return next, Checkpoint{}, err
	}
	passed := settled / checkpointEvery * checkpointEvery
	var c Checkpoint
	switch {
	case s.first:
		c = Checkpoint{settled, hash}
	case passed > next.Settled:
		c.Height = passed
		if c.Hash, err = w.Wallet.BlockHash(ctx, passed-1); err != nil {
			return next, Checkpoint{}, err
		}
	}
	next.Settled, next.SettledHash = settled, hash
	return next, c, nil
}
