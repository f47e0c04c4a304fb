package incoming

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/witness"
)

// Pool keeps unused addresses of every wallet ready.
type Pool struct {
	Store   *postgres.Store
	Wallets map[string]Wallet
	// Level receives the number of unused addresses of a wallet of merchants.
	Level func(walletID string, free int)
	Log   *slog.Logger
	// Witness decides which addresses may be handed out.
	Witness *witness.Keeper
	// Own makes the addresses of shops' own wallets; nil for none.
	Own *Own
}

// atOnce is how many addresses are made before they are published.
const atOnce = 1000

// FillPools asks the database once a second how many addresses the wallets have ready, and
// tops up those that need more. A wallet that does not answer holds up no other one, and
// its own addresses only where it makes them itself. Each step can be repeated. If it runs
// twice at once, both runs publish the same addresses once, or different ones.
func (a *Pool) FillPools(ctx context.Context) error {
	shift, stop := context.WithTimeout(ctx, shift)
	filling, tending := newTurns(a.Log, "addresses are not made"), newTurns(a.Log, "a wallet is not compared with its witness")
	owning := newTurns(a.Log, "addresses of shops' own wallets are not made")
	defer filling.running.Wait()
	defer owning.running.Wait()
	defer tending.running.Wait()
	defer stop()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		if a.Own != nil {
			owning.start(shift, "own", a.Own.TopUp)
		}
		pools, err := a.pools(shift, slices.Sorted(maps.Keys(a.Wallets)))
		if err != nil {
			return endOf(ctx, shift, err)
		}
		for id := range a.Wallets {
			p := pools[id]
			if !p.Open || !a.Witness.Tended(id, p.LeaseTo) {
				tending.start(shift, id, func(ctx context.Context) error { return a.tend(ctx, id) })
			}
			if a.needs(p) {
				filling.start(shift, id, func(ctx context.Context) error { return a.fill(ctx, p) })
			}
		}
		select {
		case <-tick.C:
		case <-filling.done: // a pool that is used up faster is asked for again at once
		case <-shift.Done():
			return endOf(ctx, shift, shift.Err())
		case <-activity.GetWorkerStopChannel(ctx):
			return errors.New("the worker is stopping")
		}
	}
}

// endOf returns nil for an error that comes from the end of the shift.
func endOf(ctx, shift context.Context, err error) error {
	if shift.Err() != nil && ctx.Err() == nil {
		return nil
	}
	return err
}

// pools returns the state of the wallets' pools that have a row in the table witnesses, and
// reports their levels.
func (a *Pool) pools(ctx context.Context, walletIDs []string) (map[string]db.AddressPoolsRow, error) {
	most := int64(0)
	for _, id := range walletIDs {
		most = max(most, a.Wallets[id].Ready)
	}
	rows, err := a.Store.AddressPools(ctx, db.AddressPoolsParams{WalletIds: walletIDs, Most: most})
	if err != nil {
		return nil, err
	}
	list := map[string]db.AddressPoolsRow{}
	for _, r := range rows {
		list[r.WalletID] = r
		if a.Wallets[r.WalletID].Inventory == nil {
			a.Level(r.WalletID, int(min(r.Free, a.Wallets[r.WalletID].Ready)))
		}
	}
	return list, nil
}

// needs reports whether fewer than half of the addresses are left that the wallet should
// have ready. A pool that is closed makes none: in safe mode, without a lease, and before
// the wallet's first scan.
func (a *Pool) needs(p db.AddressPoolsRow) bool {
	return p.Open && 2*p.Free < a.Wallets[p.WalletID].Ready
}

// TopUp compares the wallet with its witness, and makes addresses until enough can be
// handed out, if fewer than half are left.
func (a *Pool) TopUp(ctx context.Context, walletID string) error {
	if err := a.tend(ctx, walletID); err != nil {
		return err
	}
	pools, err := a.pools(ctx, []string{walletID})
	if err != nil || !a.needs(pools[walletID]) {
		return err
	}
	return a.fill(ctx, pools[walletID])
}

// tend compares the wallet with its witness when that is due, and opens its lease.
func (a *Pool) tend(ctx context.Context, walletID string) error {
	if _, ok := a.Wallets[walletID]; !ok {
		return fmt.Errorf("wallet %s is not configured here", walletID)
	}
	_, err := a.Witness.Tend(ctx, walletID)
	return err
}

// errNoneMade means that a wallet whose file is older has to skip more addresses.
var errNoneMade = errors.New("the wallet's next addresses may have been handed out before")

// fill makes addresses until the wallet has enough of them. Each thousand may be handed out
// before the next is made. The first extends the lease to the end of all, so that a busy
// Temporal is asked once.
func (a *Pool) fill(ctx context.Context, p db.AddressPoolsRow) error {
	if p.Published > p.LeaseTo { // a worker died between writing them and the lease
		if err := a.Witness.Extend(ctx, p.WalletID, p.Published); err != nil {
			return err
		}
	}
	wallet := a.Wallets[p.WalletID]
	for missing, above := wallet.Ready-p.Free, p.Above; missing > 0; missing -= atOnce {
		made, err := wallet.Maker.Make(ctx, above, min(missing, atOnce))
		if len(made) == 0 {
			return errors.Join(err, errNoneMade)
		}
		above = made[len(made)-1].Index
		if err := errors.Join(err, a.publish(ctx, p.WalletID, made, max(missing-atOnce, 0))); err != nil {
			return err
		}
	}
	return nil
}

// publish adds addresses to the pool and lets the lease reach them, and so many that follow.
func (a *Pool) publish(ctx context.Context, walletID string, made []Made, following int64) error {
	rows := db.PublishAddressesParams{WalletID: walletID}
	for _, m := range made {
		rows.Indices, rows.Addresses = append(rows.Indices, int32(m.Index)), append(rows.Addresses, m.Address)
	}
	if err := a.Store.PublishAddresses(ctx, rows); err != nil {
		return err
	}
	return a.Witness.Extend(ctx, walletID, made[len(made)-1].Index+following)
}

// turns runs one task at a time for each wallet, and logs why one failed.
type turns struct {
	log  *slog.Logger
	text string
	// done receives a value after a task has succeeded.
	done    chan struct{}
	running sync.WaitGroup

	mu   sync.Mutex
	busy map[string]bool
	// failed has the last error of a wallet, which is logged once.
	failed map[string]string
}

func newTurns(log *slog.Logger, text string) *turns {
	return &turns{log: log, text: text, done: make(chan struct{}, 1), busy: map[string]bool{}, failed: map[string]string{}}
}

// start runs do, unless the wallet's last task still runs.
func (t *turns) start(ctx context.Context, walletID string, do func(context.Context) error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.busy[walletID] {
		return
	}
	t.busy[walletID] = true
	t.running.Go(func() { t.end(ctx, walletID, do(ctx)) })
}

func (t *turns) end(ctx context.Context, walletID string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.busy, walletID)
	if err == nil {
		delete(t.failed, walletID)
		select {
		case t.done <- struct{}{}:
		default: // one is enough
		}
		return
	}
	if ctx.Err() == nil && t.failed[walletID] != err.Error() {
		t.failed[walletID] = err.Error()
		t.log.WarnContext(ctx, "the addresses of a wallet are not kept", "task", t.text, "wallet", walletID, "error", err)
	}
}
