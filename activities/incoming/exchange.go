package incoming

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
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
	rows := walletRows{store: a.Store, wallet: wallet, walletID: walletID}
	store := &tradeDeposits{walletRows: rows, box: a.Secret, coin: exchange.Coin{WalletID: walletID}}
	for _, c := range a.Settings.Coins() {
		if c.WalletID == walletID {
			store.coin = c
		}
	}
	w := &watch.Watcher{Wallet: restorable(wallet, a.Store, walletID), Store: store, Clock: a.Clock, FromTip: true, PageBlocks: pageBlocks, OlderFile: rows.olderFile}
	form := unknownForm{walletRows: rows, open: true}
	screening := &screening{tradeDeposits: store, clock: a.Clock}
	scales := &scales{watcher: a, wallet: wallet, coin: store.coin, due: true}
	return func(ctx context.Context) (Outcome, error) {
		found, err := w.Scan(ctx)
		if err = form.report(ctx, err); err == nil {
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

const (
	// newAddresses bounds how many addresses are made between two scans.
	newAddresses = 10
	// oldAddresses bounds how many addresses are skipped in one scan, if the wallet file is
	// older than the lease.
	oldAddresses = 200
	// exchangeLeaseAhead is how far a lease goes beyond the addresses that were made.
	exchangeLeaseAhead = 20
)

// fillAddresses makes deposit addresses until enough can be handed out. An address that
// was made and not written is never handed out. Neither is an address at or below the end
// of an older lease, because a customer may have it. While the witness does not answer,
// it makes none, and the scans continue. It reports whether it made some: then more may
// be missing.
func (a *Exchange) fillAddresses(ctx context.Context, walletID string) (made bool, err error) {
	stands, err := a.Witness.Tend(ctx, walletID)
	if errors.Is(err, witness.ErrUnknown) {
		a.Witness.Log.WarnContext(ctx, "no deposit address can be made", "wallet", walletID, "error", err)
		return false, nil
	}
	if err != nil || stands.Safe != "" {
		return false, err
	}
	free, err := a.Store.CountFreeExchangeAddresses(ctx, walletID)
	if err != nil || free >= a.Ready {
		return false, err
	}
	highest, err := a.Store.HighestExchangeAddress(ctx, walletID)
	if err != nil {
		return false, err
	}
	if highest > stands.To { // a worker died between writing them and the lease
		return true, a.Witness.Extend(ctx, walletID, highest+exchangeLeaseAhead)
	}
	highest, err = a.makeAddresses(ctx, walletID, max(highest, stands.From), min(a.Ready-free, newAddresses))
	if err != nil || highest <= stands.To {
		return true, err
	}
	return true, a.Witness.Extend(ctx, walletID, highest+exchangeLeaseAhead)
}

// tend compares the wallet with its witness although its scan has failed, for example
// because the wallet is on another network. Then no address is handed out, and operators
// get an alert.
func (a *Exchange) tend(ctx context.Context, walletID string) error {
	_, err := a.Witness.Tend(ctx, walletID)
	if errors.Is(err, witness.ErrUnknown) && !errors.Is(err, witness.ErrWrongChain) {
		return nil // the scan's own error says more
	}
	return err
}

// makeAddresses makes n addresses with numbers above from, and returns the highest
// number.
func (a *Exchange) makeAddresses(ctx context.Context, walletID string, from, n int64) (highest int64, err error) {
	highest = from
	for tries := n + oldAddresses; n > 0 && tries > 0; tries-- {
		made, err := a.Wallets[walletID].NewAddress(ctx)
		if err != nil {
			return highest, err
		}
		number, err := addressNumber(made)
		if err != nil {
			return highest, err
		}
		if number <= from {
			continue
		}
		if err := a.Store.AddExchangeAddress(ctx, db.AddExchangeAddressParams{
			WalletID: walletID, Address: made.Text, Ref: made.Ref, Number: number,
		}); err != nil {
			return highest, err
		}
		highest = max(highest, number)
		n--
	}
	return highest, nil
}

// addressNumber returns the position of an address in the wallet's chain of keys: its
// subaddress index, or the last part of its key's path.
func addressNumber(a chain.Address) (int64, error) {
	last := strings.TrimRight(a.Ref[strings.LastIndex(a.Ref, "/")+1:], "'h")
	n, err := strconv.ParseInt(last, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("the wallet does not tell where its address lies: %q", a.Ref)
	}
	return n, nil
}

// extended is a chain.Restorable of a wallet that takes addresses instead of their
// numbers.
type extended struct {
	chain.Receiver
	chain.Extendable

	store    *postgres.Store
	walletID string
}

var _ chain.Restorable = (*extended)(nil)

// restorable returns the wallet as one that its watcher can restore, if the wallet's file
// may be older than the database.
func restorable(wallet chain.Receiver, store *postgres.Store, walletID string) chain.Receiver {
	if w, ok := wallet.(chain.Extendable); ok {
		return &extended{Receiver: wallet, Extendable: w, store: store, walletID: walletID}
	}
	return wallet
}

// Knows reports whether the wallet watches the highest address that the database knows.
// Addresses that only other copies of the database knew have no row, so nobody can ask
// the wallet about them.
func (e *extended) Knows(ctx context.Context, _ uint64) (bool, error) {
	address, _, err := e.highest(ctx)
	if err != nil || address == "" {
		return err == nil, err
	}
	return e.Watches(ctx, address)
}

// Adopt makes the wallet watch its addresses up to a number.
func (e *extended) Adopt(ctx context.Context, number uint64) error {
	address, known, err := e.highest(ctx)
	if err != nil || number == 0 {
		return err
	}
	return e.Extend(ctx, address, known, number-min(known, number))
}

// highest returns the highest address that the database knows, and its number; an empty
// one and 0 for none.
func (e *extended) highest(ctx context.Context) (address string, number uint64, err error) {
	highest, err := e.store.HighestExchangeAddress(ctx, e.walletID)
	if err != nil || highest == 0 {
		return "", 0, err
	}
	address, err = e.store.ExchangeAddressNumbered(ctx, db.ExchangeAddressNumberedParams{WalletID: e.walletID, Number: highest})
	return address, uint64(highest), err
}
