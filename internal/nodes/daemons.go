package nodes

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/utxo"
)

// Quiet is the time without a new block after which a node counts as stalled. Blocks come every
// two to two and a half minutes, so on average one in some million pauses is as long.
const Quiet = 45 * time.Minute

// MoneroTip returns the question to a Monero daemon.
func MoneroTip(d *monero.Daemon) func(context.Context) (Tip, error) {
	return func(ctx context.Context) (Tip, error) {
		info, err := d.Info(ctx)
		return Tip{Height: info.Height, Target: info.TargetHeight}, err
	}
}

// UTXOTip returns the question to a Bitcoin-like daemon.
func UTXOTip(c *utxo.Client) func(context.Context) (Tip, error) {
	return func(ctx context.Context) (Tip, error) {
		info, err := c.Info(ctx)
		tip := Tip{Height: info.Blocks + 1}
		if info.Headers > info.Blocks {
			tip.Target = info.Headers + 1
		}
		return tip, err
	}
}

// MoneroBalance returns the question to a spending wallet. The height is read first, so that the
// balance has at least its blocks.
func MoneroBalance(w *monero.Wallet) func(context.Context) (Balance, error) {
	return func(ctx context.Context) (Balance, error) {
		height, err := w.Height(ctx)
		if err != nil {
			return Balance{}, err
		}
		amount, err := w.Total(ctx)
		return Balance{Amount: amount, Height: height}, err
	}
}
