package watch

import (
	"context"
	"errors"

	"github.com/durapay/durapay/internal/chain"
)

// span is what a scan reads.
type span struct {
	// from and to are the blocks, both included; none where from lies above to.
	from, to uint64
	// top is the hash of block to, or of the tip where no block is read.
	top string
	// rewound says that what was settled is not: it begins anew at from.
	rewound bool
	// again says that the next block's scan has to read the same again.
	again bool
}

// spanOf decides what to read next: the new blocks, or what the chain has put in
// the place of others, a page at most.
func (w *Watcher) spanOf(ctx context.Context, before State, tip chain.Tip) (span, error) {
	if tip.Height+1 < before.Height {
		return span{}, &chain.LagError{Blocks: before.Height - tip.Height - 1, What: "the daemon's chain"}
	}
	if before.Height == tip.Height+1 && before.Hash == tip.Hash && w.begun {
		return span{from: tip.Height + 1, to: tip.Height, top: tip.Hash}, nil
	}
	s, err := w.baseOf(ctx, before, tip)
	if err != nil {
		return span{}, err
	}
	s.to, s.top = min(tip.Height, s.from+w.page-1), tip.Hash
	if s.from > tip.Height { // there is nothing above what is settled
		s.from, s.to = tip.Height+1, tip.Height
	}
	if s.to < tip.Height {
		s.top, err = w.Wallet.BlockHash(ctx, s.to)
	}
	return s, err
}

// baseOf is a span without its end. A wallet shows old heights until the block
// after a reorganization: then the same blocks are read once more.
func (w *Watcher) baseOf(ctx context.Context, before State, tip chain.Tip) (span, error) {
	reorganized, err := w.left(ctx, before.Height, before.Hash, tip)
	switch {
	case err != nil:
		return span{}, err
	case !reorganized && w.begun && !w.again:
		return span{from: before.Height}, nil
	case !reorganized:
		return span{from: min(before.Settled, before.Height)}, nil
	}
	height, hash := before.Settled, before.SettledHash
	for height > 0 {
		gone, err := w.left(ctx, height, hash, tip)
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
	return span{from: height, again: true, rewound: height < before.Settled}, nil
}

// left says whether the highest of so many blocks is in the chain no longer.
// None, and one whose hash is not known, did not leave it.
func (w *Watcher) left(ctx context.Context, height uint64, hash string, tip chain.Tip) (bool, error) {
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

// checkpointEvery is the distance of checkpoints, in blocks.
const checkpointEvery = 1000

// after is the state that a scan of this span leaves, and the checkpoint that it
// passed. What lies chain.Depth below the scan's tip is settled.
func (w *Watcher) after(ctx context.Context, before State, s span) (State, Checkpoint, error) {
	next := before
	next.Height, next.Hash = s.to+1, s.top
	if s.rewound {
		next.Settled, next.SettledHash = s.from, ""
	}
	settled := next.Height - min(next.Height, chain.Depth)
	if settled <= next.Settled {
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
	if passed > next.Settled {
		c.Height = passed
		if c.Hash, err = w.Wallet.BlockHash(ctx, passed-1); err != nil {
			return next, Checkpoint{}, err
		}
	}
	next.Settled, next.SettledHash = settled, hash
	return next, c, nil
}
