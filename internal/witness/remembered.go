package witness

import (
	"context"

	"github.com/durapay/durapay/internal/monero"
)

// Remembering is a Chain that asks its wallet only after the chain has changed.
type Remembering interface {
	// SentByBlock returns the result of SentSince. If the chain still has the same newest
	// block and the height is not lower, it returns the earlier result, in which
	// transactions without a block may be outdated. It returns ErrWrongChain.
	SentByBlock(ctx context.Context, height int64) (sent []Sent, tip int64, err error)
}

// sentByBlock calls SentByBlock of a Chain that has it, else SentSince.
func sentByBlock(ctx context.Context, of Chain, height int64) ([]Sent, int64, error) {
	if r, ok := of.(Remembering); ok {
		return r.SentByBlock(ctx, height)
	}
	return of.SentSince(ctx, height)
}

// told is a wallet's answer about transactions sent since a height, with the newest
// block at that time.
type told struct {
	newest string
	since  int64
	sent   []Sent
	tip    int64
}

// above returns the transactions in blocks above a height, and those in no block.
func (t *told) above(height int64) []Sent {
	var list []Sent
	for _, s := range t.sent {
		if s.Height == 0 || int64(s.Height) > height {
			list = append(list, s)
		}
	}
	return list
}

var _ Remembering = (*MoneroChain)(nil)

// SentByBlock asks the daemon for its newest block, and asks the wallet only if that
// block is another one.
func (c *MoneroChain) SentByBlock(ctx context.Context, height int64) ([]Sent, int64, error) {
	info, err := c.info(ctx)
	if err != nil {
		return nil, 0, err
	}
	if t := c.told.Load(); t != nil && t.newest == info.TopHash && info.TopHash != "" && t.since <= height {
		return t.above(height), t.tip, nil
	}
	return c.sentSince(ctx, info, height)
}

// sentSince makes the wallet read the chain in info, and asks it.
func (c *MoneroChain) sentSince(ctx context.Context, info monero.Info, height int64) ([]Sent, int64, error) {
	blocks, err := c.Wallet.CatchUpTo(ctx, info)
	if err != nil {
		return nil, 0, err
	}
	rows, err := c.Wallet.Sent(ctx, uint64(height))
	if err != nil {
		return nil, 0, err
	}
	t := &told{newest: info.TopHash, since: height, sent: make([]Sent, 0, len(rows)), tip: int64(blocks) - 1}
	for _, r := range rows {
		t.sent = append(t.sent, Sent{TxHash: r.TxHash, Amount: uint64(r.Amount), Fee: uint64(r.Fee), Height: r.Height})
	}
	c.told.Store(t)
	return t.sent, t.tip, nil
}
