package operator

import (
	"context"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/wire"
)

const (
	// silentAfter is the age from which the last answer of a node counts as none.
	silentAfter = 5 * time.Minute
	// behindAfter is how many blocks a wallet may be behind its node: one may come between the
	// two looks.
	behindAfter = 2
	// changeWithin is how long the change of a payment may take to come into a block.
	changeWithin = 30 * time.Minute
	// balanceAfter is the age from which a balance is old.
	balanceAfter = time.Hour
	// lateAfter is the age from which a wakeup is late, and backupAfter that of a backup.
	lateAfter   = 5 * time.Minute
	backupAfter = 36 * time.Hour
)

// WalletHealth is a wallet with its node.
type WalletHealth struct {
	WalletID    string         `json:"wallet_id" example:"live"`
	ChainID     string         `json:"chain_id" doc:"The chain on which it receives" example:"xmr-Mainnet"`
	Holds       string         `json:"holds" doc:"live or sandbox for a wallet of merchants, otherwise the coin of a wallet of the exchange" example:"live"`
	Height      int64          `json:"height" doc:"Blocks of the chain at its last scan"`
	ScannedAt   *wire.Time     `json:"scanned_at" doc:"Last scan; null: never"`
	NodeHeight  int64          `json:"node_height" doc:"Blocks of its node; 0: not known"`
	NodeTarget  int64          `json:"node_target" doc:"Blocks of the node's peers while it catches up; otherwise 0"`
	NodeAt      *wire.Time     `json:"node_at" doc:"When the node last answered; null: never"`
	NewestBlock *wire.Time     `json:"newest_block_at" doc:"When the node's newest block was first seen; null: never"`
	SafeMode    bool           `json:"safe_mode" doc:"It neither pays nor hands out addresses"`
	Balance     *money.Decimal `json:"balance" doc:"What it holds, in whole coins; null: not known"`
	Owed        *money.Decimal `json:"owed" doc:"What the books say that it must hold: payments in no payout, or inventory reserved for trades; null: not known"`
	BalanceAt   *wire.Time     `json:"balance_at" doc:"When both were read; null: never"`
	Problems    []string       `json:"problems" doc:"What is wrong; empty for nothing"`
}

// QueueHealth is a kind of changed rows whose workflows are not woken yet.
type QueueHealth struct {
	Kind   string    `json:"kind" example:"charges"`
	Rows   int64     `json:"rows"`
	Oldest wire.Time `json:"oldest_at" doc:"When the oldest was written"`
}

// Health is how the service stands.
type Health struct {
	Version  string         `json:"version" doc:"Version of the API" example:"0.1.0"`
	At       wire.Time      `json:"at"`
	Wallets  []WalletHealth `json:"wallets"`
	Queue    []QueueHealth  `json:"queue" doc:"The outbox; empty when nothing waits"`
	BackupAt *wire.Time     `json:"backup_at" doc:"When the last recorded backup was finished; null: none was recorded"`
	Forks    []Alert        `json:"forks" doc:"Forks of Monero's network that the node does not know"`
	Alerts   int64          `json:"alerts" doc:"Open alerts"`
	Problems []string       `json:"problems" doc:"All that is wrong; empty for nothing"`
}

// Health compares nodes, wallets, books, queue and backups. It reads rows that workers write, and
// asks no node.
func (d *Admin) Health(ctx context.Context) (Health, error) {
	now := d.now()
	h := Health{Version: config.Version, At: wire.TimeOf(now), Problems: []string{}}
	var err error
	if h.Wallets, err = d.walletHealth(ctx, now); err != nil {
		return h, err
	}
	for _, w := range h.Wallets {
		for _, p := range w.Problems {
			h.Problems = append(h.Problems, w.WalletID+": "+p)
		}
	}
	if err := d.addQueue(ctx, &h, now); err != nil {
		return h, err
	}
	if err := d.addBackup(ctx, &h, now); err != nil {
		return h, err
	}
	return h, d.addAlerts(ctx, &h)
}

func (d *Admin) addQueue(ctx context.Context, h *Health, now time.Time) error {
	waiting, err := d.Store.WaitingWakeups(ctx)
	h.Queue = each(waiting, func(r db.WaitingWakeupsRow) QueueHealth {
		if age := now.Sub(r.Oldest); age > lateAfter {
			h.Problems = append(h.Problems, fmt.Sprintf("%s: a workflow has not been woken for %s", r.Kind, rounded(age)))
		}
		return QueueHealth{r.Kind, r.Rows, wire.TimeOf(r.Oldest)}
	})
	return err
}

func (d *Admin) addBackup(ctx context.Context, h *Health, now time.Time) error {
	last, err := d.Store.LastBackup(ctx)
	switch {
	case err != nil:
		return err
	case len(last) == 0:
		h.Problems = append(h.Problems, "no backup was recorded")
		return nil
	case now.Sub(last[0]) > backupAfter:
		h.Problems = append(h.Problems, fmt.Sprintf("the last backup is %s old", rounded(now.Sub(last[0]))))
	}
	h.BackupAt = wire.TimeOrNil(&last[0])
	return nil
}

func (d *Admin) addAlerts(ctx context.Context, h *Health) error {
	kinds, err := d.Store.CountOpenAlerts(ctx)
	if err != nil {
		return err
	}
	for _, k := range kinds {
		h.Alerts += k.Count
	}
	forks, err := d.Store.ListOpenAlerts(ctx, alert.NetworkFork)
	h.Forks = each(forks, func(a db.Alert) Alert {
		h.Problems = append(h.Problems, "the network changes to a version that the node does not know: "+a.Subject)
		return alertOf(a)
	})
	return err
}

// walletHealth returns merchants' wallets and those of the exchange.
func (d *Admin) walletHealth(ctx context.Context, now time.Time) ([]WalletHealth, error) {
	known, err := d.Store.ListNodes(ctx)
	if err != nil {
		return nil, err
	}
	nodes := map[string]db.Node{}
	for _, n := range known {
		nodes[n.WalletID] = n
	}
	safe := map[string]bool{}
	inSafeMode, err := d.Store.ListSafeMode(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range inSafeMode {
		safe[r.WalletID] = true
	}
	stalled := map[string]bool{}
	alerts, err := d.Store.ListOpenAlerts(ctx, alert.NodeStalled)
	if err != nil {
		return nil, err
	}
	for _, a := range alerts {
		stalled[a.Subject] = true
	}
	wallets, err := d.Store.ListWallets(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]WalletHealth, 0, len(wallets))
	for _, r := range wallets {
		w, scanned := r.Wallet, r.Chain.ScannedAt
		n := nodes[w.ID]
		h := WalletHealth{
			WalletID: w.ID, ChainID: w.ChainID, Holds: w.Mode, Height: r.Chain.ChainHeight, ScannedAt: wire.TimeOrNil(scanned), SafeMode: safe[w.ID],
		}
		if n.Balance != nil {
			h.Balance, h.Owed, h.BalanceAt = new(n.Balance.Decimal()), new(n.Owed.Decimal()), wire.TimeOrNil(n.BalanceAt)
		}
		h = h.judged(n, stalled[w.ID], scanned, now)
		if !w.Configured {
			h.Problems = append(h.Problems, "not in the worker's configuration: its payments are not seen")
		}
		list = append(list, h.short(true))
	}
	holdings, err := d.Store.ExchangeHoldings(ctx)
	for _, w := range holdings {
		n := nodes[w.ID]
		h := WalletHealth{
			WalletID: w.ID, ChainID: w.ChainID, Holds: w.Ticker + " " + w.Network, Height: w.ChainHeight, ScannedAt: wire.TimeOrNil(w.BalanceCurrentAt), SafeMode: safe[w.ID],
			Balance: &w.Total, Owed: &w.Reserved, BalanceAt: wire.TimeOrNil(w.BalanceCurrentAt),
		}
		h = h.judged(n, stalled[w.ID], w.BalanceCurrentAt, now)
		// A wallet of Monero learns its change from blocks, so until then it holds less.
		change := w.Ticker == "xmr" && now.Sub(w.SentAt) < changeWithin
		list = append(list, h.short(!change))
	}
	return list, err
}

// judged adds the state of the node, and the problems.
func (h WalletHealth) judged(n db.Node, stalled bool, scanned *time.Time, now time.Time) WalletHealth {
	h.NodeHeight, h.NodeTarget = n.Height, n.TargetHeight
	h.NodeAt, h.NewestBlock = wire.TimeOrNil(n.AnsweredAt), wire.TimeOrNil(n.NewestBlockAt)
	h.Problems = []string{}
	wrong := func(is bool, format string, args ...any) {
		if is {
			h.Problems = append(h.Problems, fmt.Sprintf(format, args...))
		}
	}
	wrong(h.SafeMode, "safe mode: nothing is paid")
	wrong(n.BalanceAt != nil && now.Sub(*n.BalanceAt) > balanceAfter, "its balance was not compared with the books%s", since(n.BalanceAt, now))
	wrong(scanned == nil || now.Sub(*scanned) > postgres.UnwatchedAfter, "not scanned%s", since(scanned, now))
	switch {
	case n.AnsweredAt == nil || now.Sub(*n.AnsweredAt) > silentAfter:
		wrong(true, "its node has not answered%s", since(n.AnsweredAt, now))
	case n.TargetHeight > n.Height+behindAfter:
		wrong(true, "its node is %d blocks behind its peers", n.TargetHeight-n.Height)
	default:
		wrong(n.Height-h.Height > behindAfter, "%d blocks behind its node", n.Height-h.Height)
		wrong(stalled, "its node has had no new block%s", since(n.NewestBlockAt, now))
	}
	return h
}

// short adds that the wallet holds too little, if its balance is whole.
func (h WalletHealth) short(whole bool) WalletHealth {
	if whole && h.Balance != nil && h.Owed != nil && h.Balance.Cmp(*h.Owed) < 0 {
		h.Problems = append(h.Problems, "it holds less than the books say")
	}
	return h
}

// since returns how long ago a moment was, in words that follow a verb.
func since(at *time.Time, now time.Time) string {
	if at == nil {
		return " yet"
	}
	return " for " + rounded(now.Sub(*at))
}

// rounded returns a duration for people, with days where it is long.
func rounded(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d >= 2*day:
		return fmt.Sprintf("%d days", d/day)
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", d/time.Hour)
	case d >= 2*time.Minute:
		return fmt.Sprintf("%d minutes", d/time.Minute)
	}
	return fmt.Sprintf("%d seconds", d/time.Second)
}
