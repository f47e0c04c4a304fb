package activities

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/witness"
)

// ExchangeWatcher looks at the exchange's wallets: what they hold, what came
// in, and which trades that concerns. It also keeps deposit addresses ready.
type ExchangeWatcher struct {
	Store    *postgres.Store
	Settings exchange.Settings
	Wallets  map[string]chain.Wallet
	// SignalTrade tells a trade's workflow that its facts changed; it starts
	// one when the trade's own has ended.
	SignalTrade func(ctx context.Context, tradeID string) error
	Interval    time.Duration
	// Ready is how many unused deposit addresses are kept.
	Ready int64
	// Witness says which addresses may be handed out.
	Witness *witness.Keeper
	Clock   func() time.Time
	// Looked is told of each look that showed the wallet in step with its daemon.
	Looked func(walletID string, lag int64, at time.Time)
}

// overdueAfter is how long after its window a trade that still waits is taken
// for one that nobody carries: it would keep its inventory for ever.
const overdueAfter = 10 * time.Minute

// WatchExchange looks at the wallet once per interval until its shift ends.
// Deposits, the cursor and the notes of whom they concern are written in one
// transaction, so a look that is cut off is made again, and a second watcher
// finds nothing left to do, or that it was overtaken.
func (a *ExchangeWatcher) WatchExchange(ctx context.Context, in WalletTask) error {
	end := time.After(shift)
	tick := time.NewTicker(a.Interval)
	defer tick.Stop()
	stop := beat(ctx)
	defer stop()
	for {
		if err := a.Look(ctx, in.WalletID); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-end:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-activity.GetWorkerStopChannel(ctx):
			return errors.New("the worker is stopping")
		}
	}
}

// Look looks at a wallet once.
func (a *ExchangeWatcher) Look(ctx context.Context, walletID string) error {
	l, err := a.observe(ctx, walletID)
	if err != nil {
		return err
	}
	if err := a.Store.Tx(ctx, func(q *db.Queries) error { return l.apply(ctx, q) }); err != nil {
		return err
	}
	a.Looked(walletID, 0, l.at) // one that is behind answers with an error
	if err := a.tell(ctx, walletID); err != nil {
		return err
	}
	return a.fillAddresses(ctx, walletID)
}

// exchangeLook is what one look saw.
type exchangeLook struct {
	before   db.ExchangeWallet
	coin     exchange.Coin
	tip      chain.Tip
	cursor   chain.Cursor
	deposits []chain.Deposit
	balance  chain.Balance
	fee      uint64
	at       time.Time
}

func (a *ExchangeWatcher) observe(ctx context.Context, walletID string) (*exchangeLook, error) {
	wallet, ok := a.Wallets[walletID]
	if !ok {
		return nil, fmt.Errorf("wallet %s is not configured here", walletID)
	}
	l := &exchangeLook{at: a.Clock().UTC().Truncate(time.Millisecond)}
	for _, c := range a.Settings.Coins() {
		if c.WalletID == walletID {
			l.coin = c
		}
	}
	var err error
	if l.before, err = a.Store.GetExchangeWallet(ctx, walletID); err != nil {
		return nil, err
	}
	if l.tip, err = wallet.Tip(ctx); err != nil {
		return nil, err
	}
	if l.deposits, l.cursor, err = wallet.Deposits(ctx, chain.Cursor(l.before.Cursor)); err != nil {
		return nil, err
	}
	if l.balance, err = wallet.Balance(ctx); err != nil {
		return nil, err
	}
	l.fee, err = wallet.Fee(ctx)
	return l, err
}

// apply writes what the look saw.
func (l *exchangeLook) apply(ctx context.Context, q *db.Queries) error {
	decimals := l.coin.Decimals
	unlocked, total := money.FromAtomic(l.balance.Unlocked, decimals), money.FromAtomic(l.balance.Total, decimals)
	fee := money.FromAtomic(l.fee, decimals)
	if string(l.cursor) == l.before.Cursor && l.tip.Hash == l.before.TopHash {
		return q.TouchExchangeLook(ctx, db.TouchExchangeLookParams{
			ID: l.before.ID, Unlocked: unlocked, Total: total, NetworkFee: fee, LookedAt: &l.at,
		})
	}
	concerned, err := l.applyDeposits(ctx, q)
	if err != nil {
		return err
	}
	if l.tip.Hash != l.before.TopHash {
		sending, err := q.TradesSending(ctx, l.before.ID)
		if err != nil {
			return err
		}
		overdue, err := q.TradesOverdue(ctx, db.TradesOverdueParams{WalletFrom: l.before.ID, Before: l.at.Add(-overdueAfter)})
		if err != nil {
			return err
		}
		concerned = append(append(concerned, sending...), overdue...)
	}
	if err := noteTrades(ctx, q, l.before.ID, concerned); err != nil {
		return err
	}
	saved, err := q.SaveExchangeLook(ctx, db.SaveExchangeLookParams{
		ID: l.before.ID, Unlocked: unlocked, Total: total, NetworkFee: fee, ChainHeight: int64(l.tip.Height),
		TopHash: l.tip.Hash, Cursor: string(l.cursor), LookedAt: &l.at, CursorBefore: l.before.Cursor,
	})
	if err == nil && saved == 0 {
		err = errOvertaken
	}
	return err
}

// applyDeposits stores what came to addresses of trades and returns the
// trades that something is new for: a confirmation beyond those that are
// wanted is not. What came elsewhere, such as an operator's funding, is not
// kept.
func (l *exchangeLook) applyDeposits(ctx context.Context, q *db.Queries) ([]string, error) {
	if len(l.deposits) == 0 {
		return nil, nil
	}
	var addresses []string
	for _, d := range l.deposits {
		addresses = append(addresses, d.Address)
	}
	rows, err := q.TradesAtAddresses(ctx, db.TradesAtAddressesParams{WalletFrom: l.before.ID, Addresses: addresses})
	if err != nil {
		return nil, err
	}
	trades := map[string]db.TradesAtAddressesRow{}
	for _, r := range rows {
		trades[r.DepositAddress] = r
	}
	var concerned []string
	for _, d := range l.deposits {
		t, ok := trades[d.Address]
		if !ok {
			continue
		}
		news, err := l.applyDeposit(ctx, q, t, d)
		if err != nil {
			return nil, err
		}
		if news {
			concerned = append(concerned, t.ID)
		}
	}
	return concerned, l.alertOrphans(ctx, q, addresses, trades)
}

// alertOrphans tells operators of money for trades that were pruned.
func (l *exchangeLook) alertOrphans(ctx context.Context, q *db.Queries, addresses []string, trades map[string]db.TradesAtAddressesRow) error {
	if len(trades) == len(unique(addresses)) {
		return nil
	}
	removed, err := q.AddressesOfRemovedTrades(ctx, db.AddressesOfRemovedTradesParams{WalletID: l.before.ID, Addresses: addresses})
	if err != nil {
		return err
	}
	for _, d := range l.deposits {
		if d.Gone || !slices.Contains(removed, d.Address) {
			continue
		}
		if err := q.OpenAlert(ctx, db.OpenAlertParams{
			Kind: AlertDepositOrphaned, Subject: d.TxHash + ":" + d.Address,
			Detail: fmt.Sprintf("%s %s came to the address of a trade that was pruned", money.FromAtomic(d.Amount, l.coin.Decimals), l.coin.Ticker),
		}); err != nil {
			return err
		}
	}
	return nil
}

func (l *exchangeLook) applyDeposit(ctx context.Context, q *db.Queries, t db.TradesAtAddressesRow, d chain.Deposit) (news bool, err error) {
	row := db.UpsertTradeDepositParams{
		TradeID: t.ID, WalletID: l.before.ID, TxHash: d.TxHash, Address: d.Address, Amount: money.FromAtomic(d.Amount, l.coin.Decimals),
		Confirmations: int64(d.Confirmations), Locked: d.Locked, Contested: d.Contested, Origins: d.Origins, SeenAt: l.at,
	}
	switch {
	case d.Gone:
		row.Confirmations, row.GoneAt = 0, &l.at
	case d.Confirmations > 0:
		height := int64(d.Height)
		row.Height = &height
	}
	if row.Origins == nil {
		row.Origins = []string{}
	}
	known, err := q.FindTradeDeposit(ctx, db.FindTradeDepositParams{WalletID: row.WalletID, TxHash: row.TxHash, Address: row.Address})
	if err != nil && !postgres.IsNotFound(err) {
		return false, err
	}
	wanted := int64(t.Confirmations)
	news = err != nil || (known.GoneAt != nil) != d.Gone || known.Locked != d.Locked || known.Contested != d.Contested ||
		min(known.Confirmations, wanted) != min(row.Confirmations, wanted) || len(known.Origins) < len(row.Origins)
	return news, q.UpsertTradeDeposit(ctx, row)
}

func noteTrades(ctx context.Context, q *db.Queries, walletID string, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	return q.NoteTradeSignals(ctx, db.NoteTradeSignalsParams{TradeIds: unique(ids), WalletID: walletID})
}

// tell sends the signals that are noted and forgets each once the engine has
// it.
func (a *ExchangeWatcher) tell(ctx context.Context, walletID string) error {
	pending, err := a.Store.PendingTradeSignals(ctx, db.PendingTradeSignalsParams{WalletID: walletID, Limit: signalBatch})
	if err != nil {
		return err
	}
	for _, p := range pending {
		if err := a.SignalTrade(ctx, p.TradeID); err != nil {
			return err
		}
		if err := a.Store.DropTradeSignal(ctx, db.DropTradeSignalParams{TradeID: p.TradeID, Version: p.Version}); err != nil {
			return err
		}
	}
	return nil
}
