// Package nodes asks the daemon of each wallet at intervals how far its chain goes, and what a
// merchants' wallet holds against the books. A node that stands still answers as if all were well,
// so only a chain that stays as it is shows it. What counts is the time since its newest block was
// first seen here: the time that a block carries is its miner's, an hour early or two late.
package nodes

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

const (
	// every is the pause between two questions to a daemon, and askTime the time that it has
	// to answer.
	every   = time.Minute
	askTime = 10 * time.Second
	// balanceEvery is the number of questions after which balances are compared.
	balanceEvery = 10
)

// Tip is the end of a daemon's chain.
type Tip struct {
	// Height is the number of blocks. Target is that of its peers while it catches up, else 0.
	Height, Target uint64
}

// Balance is what a wallet holds in its first Height blocks.
type Balance struct {
	Amount money.Piconero
	Height uint64
}

// Node is the daemon of a wallet.
type Node struct {
	WalletID string
	Tip      func(ctx context.Context) (Tip, error)
	// Balance reads a merchants' wallet; nil for a wallet of the exchange, which keeps its
	// balance itself.
	Balance func(ctx context.Context) (Balance, error)
	// Quiet is the time without a new block after which the node counts as stalled; 0 for a
	// private chain, whose blocks come on demand.
	Quiet time.Duration
}

// Observer asks nodes and stores their answers for operators.
type Observer struct {
	Store *postgres.Store
	Nodes []Node
	// Newest is called with the time when a node's newest block was first seen.
	Newest func(walletID string, at time.Time)
	Clock  func() time.Time
	Log    *slog.Logger
}

// Run asks all nodes until ctx ends.
func (o *Observer) Run(ctx context.Context) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for round := 0; ; round++ {
		if err := o.Observe(ctx, round%balanceEvery == 0); err != nil && ctx.Err() == nil {
			o.Log.WarnContext(ctx, "the state of the nodes was not stored", slog.Any("error", err))
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Observe asks all nodes once, and with balances also the wallets. A second run stores the newer
// answers.
func (o *Observer) Observe(ctx context.Context, balances bool) error {
	var failed error
	for _, n := range o.Nodes {
		if err := o.observe(ctx, n); err != nil {
			failed = err
			continue
		}
		if balances && n.Balance != nil {
			o.compare(ctx, n)
		}
	}
	return failed
}

// observe asks one node. A node that does not answer is no error: its row shows it.
func (o *Observer) observe(ctx context.Context, n Node) error {
	asked, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	now := o.Clock()
	tip, err := n.Tip(asked)
	if err != nil {
		return o.Store.SaveNodeError(ctx, db.SaveNodeErrorParams{WalletID: n.WalletID, AskedAt: now, Error: err.Error()})
	}
	newest, err := o.Store.SaveNode(ctx, db.SaveNodeParams{
		WalletID: n.WalletID, AskedAt: now, Height: int64(tip.Height), TargetHeight: int64(tip.Target),
	})
	if err != nil {
		return err
	}
	o.Newest(n.WalletID, newest)
	return o.notify(ctx, n, tip, now, newest)
}

// notify keeps an alert open while no block comes to a node that has caught up.
func (o *Observer) notify(ctx context.Context, n Node, tip Tip, now, newest time.Time) error {
	if n.Quiet == 0 || tip.Target > tip.Height || now.Sub(newest) < n.Quiet {
		return o.Store.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.NodeStalled, Subject: n.WalletID})
	}
	return o.Store.OpenAlert(ctx, db.OpenAlertParams{
		Kind: alert.NodeStalled, Subject: n.WalletID,
		Detail: fmt.Sprintf("the newest block of its daemon is block %d, seen at %s", tip.Height-min(tip.Height, 1), newest.UTC().Format(time.RFC3339)),
	})
}

// compare stores what the wallet holds and owes. A wallet that does not answer keeps the last
// comparison, whose time shows its age.
func (o *Observer) compare(ctx context.Context, n Node) {
	asked, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	held, err := n.Balance(asked)
	if err == nil {
		now := o.Clock()
		err = o.Store.SaveBalance(ctx, db.SaveBalanceParams{
			WalletID: n.WalletID, Balance: held.Amount, BalanceHeight: int64(held.Height), BalanceAt: now,
		})
	}
	if err != nil && ctx.Err() == nil {
		o.Log.WarnContext(ctx, "the balance of a wallet was not compared with the books", slog.String("wallet", n.WalletID), slog.Any("error", err))
	}
}
