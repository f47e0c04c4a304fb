package watch_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/durapay/durapay/internal/chain"
)

// fixture is a chain, its pool, and a wallet that reads them. The test changes
// them by hand. The wallet may be wrong about the place of a payment, and it
// counts the calls that it gets.
type fixture struct {
	blocks []string // hashes
	forks  int
	at     map[string]chain.Location
	paid   map[string]chain.Received
	// hints are the heights at which the wallet wrongly shows payments; -1 hides a
	// payment.
	hints map[string]int
	// longest is the number of blocks that the wallet can list in time; 0 for any
	// number.
	longest uint64
	// listed and located count the payments that were asked for. largest is the
	// largest number of blocks in one call.
	listed, located int
	largest         uint64
	// lowest is the lowest block that was read.
	lowest uint64
	// before is called once, before the daemon answers for transactions.
	before func()
	// known is the highest address that the wallet has made. repaired records the
	// calls of Adopt and Rescan.
	known    uint64
	repaired []string
	failing  error
}

func newFixture(blocks int) *fixture {
	w := &fixture{at: map[string]chain.Location{}, paid: map[string]chain.Received{}, hints: map[string]int{}}
	w.mine(blocks)
	return w
}

func (w *fixture) mine(n int) {
	for range n {
		w.blocks = append(w.blocks, fmt.Sprintf("block %d of fork %d", len(w.blocks), w.forks))
	}
}

// pop removes blocks and puts their transactions back into the pool.
func (w *fixture) pop(n int) {
	w.blocks = w.blocks[:len(w.blocks)-n]
	w.forks++
	for hash, l := range w.at {
		if l.State == chain.Mined && l.Height >= uint64(len(w.blocks)) {
			w.at[hash] = chain.Location{State: chain.InPool}
		}
	}
}

func (w *fixture) tip() uint64 { return uint64(len(w.blocks)) - 1 }

// pay puts a payment into the pool.
func (w *fixture) pay(hash string) chain.Received {
	r := chain.Received{TxHash: hash, Address: "to " + hash, Ref: "1", Amount: 5, Outputs: 1}
	w.paid[hash], w.at[hash] = r, chain.Location{State: chain.InPool}
	return r
}

// include puts a payment into the top block.
func (w *fixture) include(hash string) {
	w.at[hash] = chain.Location{State: chain.Mined, Height: w.tip()}
}

func (w *fixture) drop(hash string) { w.at[hash] = chain.Location{} }

func (w *fixture) Tip(context.Context) (chain.Tip, error) {
	if w.failing != nil {
		return chain.Tip{}, w.failing
	}
	return chain.Tip{Height: w.tip(), Hash: w.blocks[w.tip()]}, nil
}

func (w *fixture) BlockHash(_ context.Context, height uint64) (string, error) {
	if height > w.tip() {
		return "", chain.ErrNotFound
	}
	return w.blocks[height], nil
}

func (w *fixture) Scan(_ context.Context, from, to uint64) ([]chain.Received, uint64, error) {
	if from <= to {
		w.largest, w.lowest = max(w.largest, to-from+1), min(w.lowest, from)
		if w.longest > 0 && to-from+1 > w.longest {
			return nil, 0, chain.ErrUnavailable
		}
	}
	var list []chain.Received
	for hash, r := range w.paid {
		l := w.at[hash]
		hint, wrong := w.hints[hash]
		if l.State == chain.Unknown && !wrong || hint < 0 {
			continue
		}
		r.Height = l.Height
		if wrong {
			r.Height = uint64(hint)
		}
		if r.Height == 0 || r.Height >= from && r.Height <= to {
			list = append(list, r)
		}
	}
	w.listed += len(list)
	return list, to, nil
}

func (w *fixture) Locate(_ context.Context, txHashes []string) ([]chain.Location, error) {
	if before := w.before; before != nil {
		w.before = nil
		before()
	}
	w.located += len(txHashes)
	list := make([]chain.Location, len(txHashes))
	for i, hash := range txHashes {
		list[i] = w.at[hash]
	}
	return list, nil
}

func (w *fixture) Origins(context.Context, chain.Received) ([]string, error) { return nil, nil }

func (w *fixture) Knows(_ context.Context, ref uint64) (bool, error) { return ref <= w.known, nil }

func (w *fixture) Adopt(_ context.Context, ref uint64) error {
	w.repaired = append(w.repaired, fmt.Sprint("adopt ", ref))
	w.known = ref
	return nil
}

func (w *fixture) Rescan(context.Context) error {
	w.repaired = append(w.repaired, "rescan")
	if w.failing != nil && strings.Contains(w.failing.Error(), "rescan") {
		return w.failing
	}
	return nil
}
