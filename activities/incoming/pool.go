package incoming

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/witness"
)

// Pool keeps unused addresses ready.
type Pool struct {
	Store   *postgres.Store
	Wallets map[string]monero.WalletPair
	// Target is how many unused addresses are kept per wallet.
	Target int
	// Level receives the number of unused addresses of a wallet.
	Level func(walletID string, free int)
	Log   *slog.Logger
	// Witness decides which addresses may be handed out.
	Witness *witness.Keeper
}

// poolBatch is how many addresses are made at a time: each occupies a wallet for a few
// milliseconds.
const poolBatch = 16

// poolStore is how many addresses are made before the wallets store their files.
const poolStore = 4 * poolBatch

// leaseAhead is how far a lease goes beyond the published addresses, so that not every
// address raises the mark. When a new lease is opened, as many indices are skipped.
const leaseAhead = 64

// errOlder means that a wallet's file is older than the database.
var errOlder = errors.New("a wallet does not know the addresses that were made: it has to read the chain again first")

// errMismatch means that a wallet handed out an address that is not its own.
var errMismatch = errors.New("a wallet's address differs from our own derivation")

// FillPool tops the pool up whenever it is below its target. An address is created in
// both processes, stored by both, derived once more by us, compared, and only then
// published. Each step can be repeated. If it runs twice at once, both runs publish the
// same addresses once.
func (a *Pool) FillPool(ctx context.Context, in WalletTask) error {
	pair, ok := a.Wallets[in.WalletID]
	if !ok {
		return fmt.Errorf("wallet %s is not configured here", in.WalletID)
	}
	end := time.After(shift)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		if err := a.topUp(ctx, in.WalletID, pair); err != nil {
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

func (a *Pool) topUp(ctx context.Context, walletID string, pair monero.WalletPair) error {
	stands, err := a.Witness.Tend(ctx, walletID)
	if errors.Is(err, witness.ErrWrongChain) {
		a.Level(walletID, 0)
	}
	if err != nil {
		return err
	}
	free, err := a.Store.FreeAddresses(ctx, db.FreeAddressesParams{WalletID: walletID, Limit: int32(a.Target)})
	if err != nil {
		return err
	}
	a.Level(walletID, int(free))
	if stands.Safe != "" {
		return nil
	}
	for missing := int64(a.Target) - free; missing > 0; missing -= poolStore {
		if err := a.publish(ctx, walletID, pair, stands, min(missing, poolStore)); err != nil {
			return err
		}
	}
	return nil
}

// publish adds the next n addresses to the pool and lets the lease reach them.
func (a *Pool) publish(ctx context.Context, walletID string, pair monero.WalletPair, stands witness.Standing, n int64) error {
	published, err := a.Store.HighestAddressIndex(ctx, walletID)
	if err != nil {
		return err
	}
	if int64(published) > stands.To { // a worker died between writing them and the lease
		return a.Witness.Extend(ctx, walletID, int64(published)+leaseAhead)
	}
	if err := know(ctx, pair, uint32(published)); err != nil {
		return err
	}
	highest := max(uint32(published), uint32(stands.From))
	until := highest + uint32(n)
	for _, w := range []*monero.Wallet{pair.Watch, pair.Spend} {
		if err := w.EnsureAddressCount(ctx, until+1); err != nil {
			return err
		}
		if err := w.Store(ctx); err != nil {
			return err
		}
	}
	rows := db.PublishAddressesParams{WalletID: walletID}
	for i := highest + 1; i <= until; i++ {
		address, err := a.verified(ctx, walletID, pair, i)
		if err != nil {
			return err
		}
		rows.Indices = append(rows.Indices, int32(i))
		rows.Addresses = append(rows.Addresses, address)
	}
	if err := a.Store.PublishAddresses(ctx, rows); err != nil || int64(until) <= stands.To {
		return err
	}
	return a.Witness.Extend(ctx, walletID, int64(until)+leaseAhead)
}

// verified returns the address at an index if both wallets and our own derivation agree.
// Otherwise it alerts operators, and nothing is published.
func (a *Pool) verified(ctx context.Context, walletID string, pair monero.WalletPair, index uint32) (string, error) {
	want := pair.Deriver.Subaddress(0, index)
	for _, w := range []*monero.Wallet{pair.Watch, pair.Spend} {
		got, found, err := w.AddressAt(ctx, index)
		if err != nil {
			return "", err
		}
		if !found || got != want {
			a.Log.ErrorContext(ctx, "address differs from derivation", "wallet", walletID, "index", index)
			return "", errors.Join(errMismatch, sending.Alert(ctx, a.Store.Queries, alert.AddressMismatch, walletID, fmt.Sprintf("index %d", index)))
		}
	}
	return want, nil
}

// know returns errOlder unless both processes have made the address at an index. A
// process without the address may have scanned past payments to it, and these payments
// would stay unseen once the address was made.
func know(ctx context.Context, p monero.WalletPair, index uint32) error {
	for _, w := range []*monero.Wallet{p.Watch, p.Spend} {
		_, made, err := w.AddressAt(ctx, index)
		if err != nil {
			return err
		}
		if !made {
			return errOlder
		}
	}
	return nil
}
