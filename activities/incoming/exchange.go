package incoming

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/watch"
	"github.com/durapay/durapay/internal/witness"
)

// Exchange scans the exchange's wallets for deposits, notifies their trades, and records
// what the wallets hold. It also keeps deposit addresses ready.
type Exchange struct {
	Store *postgres.Store
	// Secret seals the origins of deposits.
	Secret   *secret.Box
	Settings exchange.Settings
	Wallets  map[string]chain.Wallet
	// Nudge has the outbox look for new wakeups now.
	Nudge func()
	// Rhythms define when a wallet is scanned, one for each wallet.
	Rhythms map[string]*Rhythm
	// Ready is how many unused deposit addresses are kept.
	Ready int64
	// Witness decides which addresses may be handed out.
	Witness *witness.Keeper
	Clock   func() time.Time
	// Scanned receives the result of each scan: how many blocks the wallet is behind, and
	// when it was last scanned.
	Scanned func(walletID string, lag int64, at time.Time)
}

// overdueAfter is how long after its window a waiting trade counts as one without a
// workflow: it would reserve its inventory for ever.
const overdueAfter = 10 * time.Minute

// WatchExchange scans the wallet in its rhythm until its shift ends. It stores a scan
// together with the resulting wakeups. So the next run repeats an interrupted scan.
// A second watcher finds nothing left to do, or finds that it was superseded.
func (a *Exchange) WatchExchange(ctx context.Context, in WalletTask) error {
	scan, err := a.Scanner(in.WalletID)
	if err != nil {
		return err
	}
	return a.Rhythms[in.WalletID].Keep(ctx, scan)
}

// Scanner returns a watcher of one wallet that remembers its last scan.
func (a *Exchange) Scanner(walletID string) (Scan, error) {
	wallet, ok := a.Wallets[walletID]
	if !ok {
		return nil, fmt.Errorf("wallet %s is not configured here", walletID)
	}
	store := &tradeDeposits{store: a.Store, box: a.Secret, wallet: wallet, coin: exchange.Coin{WalletID: walletID}}
	for _, c := range a.Settings.Coins() {
		if c.WalletID == walletID {
			store.coin = c
		}
	}
	w := &watch.Watcher{Wallet: restorable(wallet, a.Store, walletID), Store: store, Clock: a.Clock, OlderFile: olderFile(a.Store, walletID)}
	screening := &screening{store: a.Store, box: a.Secret, wallet: wallet, walletID: walletID, clock: a.Clock}
	scales := &scales{watcher: a, wallet: wallet, coin: store.coin, due: true}
	return func(ctx context.Context) (Outcome, error) {
		found, err := w.Scan(ctx)
		if err == nil {
			err = scales.weigh(ctx, found)
		}
		unscreened, failed := screening.ask(ctx)
		err = report(ctx, a.Scanned, walletID, store, found, errors.Join(err, failed))
		a.Nudge()
		if err != nil {
			return Outcome{}, errors.Join(err, a.tend(ctx, walletID))
		}
		made, err := a.fillAddresses(ctx, walletID)
		return outcomeOf(found, unscreened || made), err
	}, nil
}

// balanceAge is the age at which a balance is refreshed without another reason.
const balanceAge = time.Minute

// scales reads the balance of one of the exchange's wallets. For that the wallet reads
// every unspent output, and anyone can create many outputs. So it is asked only if the
// answer can have changed: after a block, a change of its received payments, or a payment
// of its own.
type scales struct {
	watcher *Exchange
	wallet  chain.Wallet
	coin    exchange.Coin
	// due is set until the wallet has answered.
	due bool
}

// weigh follows a scan. Until it succeeds, the balance counts as unknown, so that no
// quote uses it.
func (s *scales) weigh(ctx context.Context, found watch.Scanned) error {
	store := s.watcher.Store
	// Before the balance, because the balance may miss a payment that is relayed after this
	// moment.
	at := s.watcher.Clock().UTC().Truncate(time.Millisecond)
	row, err := store.GetExchangeWallet(ctx, s.coin.WalletID)
	if err != nil {
		return err
	}
	relayed, err := store.LastRelay(ctx, s.coin.WalletID)
	if err != nil {
		return err
	}
	aged := row.BalanceAt == nil || !relayed.Before(*row.BalanceAt) || at.Sub(*row.BalanceAt) >= balanceAge
	s.due = s.due || aged || found.NewBlock() || !found.Empty()
	if !s.due {
		return store.KeepExchangeBalance(ctx, db.KeepExchangeBalanceParams{ID: s.coin.WalletID, BalanceCurrentAt: &at})
	}
	promised, err := store.ReservedInputs(ctx, s.coin.WalletID)
	if err != nil {
		return err
	}
	balance, err := s.wallet.Balance(ctx, promised)
	if err != nil {
		return err
	}
	fee, err := s.wallet.Fee(ctx)
	if err != nil {
		return err
	}
	err = store.SaveExchangeBalance(ctx, db.SaveExchangeBalanceParams{
		ID: s.coin.WalletID, Unlocked: money.FromAtomic(balance.Unlocked, s.coin.Decimals),
		Total: money.FromAtomic(balance.Total, s.coin.Decimals), NetworkFee: money.FromAtomic(fee, s.coin.Decimals), BalanceAt: &at,
	})
	s.due = err != nil
	return err
}
