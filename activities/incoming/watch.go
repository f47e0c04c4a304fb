package incoming

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/watch"
)

// Wallet is a wallet whose addresses this process makes.
type Wallet struct {
	// Maker makes its addresses, and Ready is how many unused ones are kept.
	Maker Maker
	Ready int64
	// Inventory pays trades: the wallet itself at the exchange, nil for a wallet of merchants.
	Inventory chain.Wallet
}

// Chain is a chain that this process scans.
type Chain struct {
	// Receiver shows what the wallets of the chain receive, and which wallet received it. A
	// chain.Extendable is the one wallet of its chain, and need not say which.
	Receiver chain.Receiver
	// WalletIDs are the wallets of the configuration whose payments it shows.
	WalletIDs []string
	// Merchants are those of them that hold merchants' money.
	Merchants []string
	// Inventories are those of the exchange, by wallet ID.
	Inventories map[string]chain.Wallet
}

// Watch scans chains, and wakes the charges, payouts, refunds and trades that a scan
// concerns. It records what the exchange's wallets hold.
type Watch struct {
	Store *postgres.Store
	// Secret seals the origins of deposits.
	Secret *secret.Box
	// Chains are by chain ID.
	Chains map[string]Chain
	// Nudge has the outbox look for new wakeups now.
	Nudge func()
	// Scanned receives the result of each scan: how many blocks the scan is behind the chain,
	// and when the chain was last scanned.
	Scanned func(chainID string, behind int64, at time.Time)
	// Rhythms define when a chain is scanned, one for each chain.
	Rhythms map[string]*Rhythm
	Clock   func() time.Time
}

// overdueAfter is how long after its window a waiting trade counts as one without a
// workflow: it would reserve its inventory for ever.
const overdueAfter = 10 * time.Minute

// WatchChain scans the chain in its rhythm until its shift ends. It stores a scan
// together with the resulting wakeups, so none is lost, and the next run repeats an
// interrupted scan. A second watcher finds nothing left to do, or finds that it was
// superseded.
func (a *Watch) WatchChain(ctx context.Context, in ChainTask) error {
	scan, err := a.Scanner(in.ChainID)
	if err != nil {
		return err
	}
	return a.Rhythms[in.ChainID].Keep(ctx, scan)
}

// Scanner returns a watcher of one chain that remembers its last scan. What follows a scan
// for one wallet does not fail the scan: its error is the outcome's problem.
func (a *Watch) Scanner(chainID string) (Scan, error) {
	if chainID == charge.SimulatedWallet {
		return a.scanSimulated, nil
	}
	c, ok := a.Chains[chainID]
	if !ok {
		return nil, fmt.Errorf("chain %s is not configured here", chainID)
	}
	store := &payments{store: a.Store, receiver: c.Receiver, chainID: chainID, configured: c.WalletIDs, box: a.Secret}
	w := &watch.Watcher{Wallet: receiverOf(c, a.Store), Store: store, Clock: a.Clock, FromTip: true, PageBlocks: pageBlocks, OlderFile: store.olderFile}
	form := &unknownForm{store: a.Store, chainID: chainID, open: true}
	next := a.following(c, store)
	return func(ctx context.Context) (Outcome, error) {
		found, err := w.Scan(ctx)
		unfinished, problem := next.follow(ctx, found, err)
		err = report(ctx, a.Scanned, chainID, store, found, errors.Join(err, form.report(ctx, err)))
		a.Nudge()
		if err != nil {
			return Outcome{}, err
		}
		outcome := outcomeOf(found, unfinished || problem != nil)
		outcome.Problem = problem
		return outcome, nil
	}, nil
}

// following is what follows the scans of a chain for each of its wallets.
type following struct {
	*Watch

	merchants []string
	scales    []*scales
	screening *screening
}

func (a *Watch) following(c Chain, store *payments) *following {
	f := &following{Watch: a, merchants: c.Merchants}
	for _, id := range slices.Sorted(maps.Keys(c.Inventories)) {
		s := &scales{store: a.Store, clock: a.Clock, wallet: c.Inventories[id], walletID: id}
		s.due.Store(true)
		f.scales, f.screening = append(f.scales, s), &screening{payments: store, clock: a.Clock}
	}
	return f
}

// follow wakes the refunds that a new block can have made payable, and reads the exchange's
// balances. After a failed scan it only reads the origins that are due. It reports whether
// something remains to do.
func (f *following) follow(ctx context.Context, found watch.Scanned, scanned error) (unfinished bool, err error) {
	if scanned == nil {
		if found.NewBlock() && len(f.merchants) > 0 {
			f.Nudge()
			for _, id := range f.merchants {
				err = errors.Join(err, f.wakeRefunds(ctx, id))
			}
		}
		for _, s := range f.scales {
			err = errors.Join(err, s.follow(ctx, found))
		}
	}
	if f.screening != nil {
		more, failed := f.screening.ask(ctx)
		unfinished, err = more, errors.Join(err, failed)
	}
	return unfinished, err
}

// payableClaims is how many claims are looked at for a block. recalculateAfter is the age
// at which the amount that a claim needs is calculated again.
const (
	payableClaims    = 1000
	recalculateAfter = time.Hour
)

// wakeRefunds wakes refunds whose claims can be paid now: money has matured or was freed,
// the previous payout was sent, or the merchant has set an address. It also wakes refunds with
// a payment of their shop that a block may have taken, made deeper or dropped. Other refunds
// are not woken. A refund that is missed is found at the next block.
func (a *Watch) wakeRefunds(ctx context.Context, walletID string) error {
	if err := a.Store.WakeUnsettledRefunds(ctx, walletID); err != nil {
		return err
	}
	claims, err := a.Store.PayableClaims(ctx, db.PayableClaimsParams{WalletID: walletID, Now: a.Clock(), ReckonedSince: a.Clock().Add(-recalculateAfter), MaxRows: payableClaims})
	if err != nil || len(claims) == 0 {
		return err
	}
	var ids []string
	for _, c := range claims {
		ids = append(ids, c.RefundID)
	}
	return a.Store.WakeRefunds(ctx, ids)
}
