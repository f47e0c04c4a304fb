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
	Wallets map[string]monero.OpenWallet
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

// poolStore is how many addresses are made before the wallet stores its file.
const poolStore = 4 * poolBatch

// leaseAhead is how far a lease goes beyond the published addresses, so that not every
// address raises the mark. When a new lease is opened, as many indices are skipped.
const leaseAhead = 64

// errOlder means that a wallet's file is older than the database.
var errOlder = errors.New("a wallet does not know the addresses that were made: it has to read the chain again first")

// errMismatch means that a wallet handed out an address that is not its own.
var errMismatch = errors.New("a wallet's address differs from our own derivation")

// FillPool tops the pool up whenever it is below its target. An address is derived, created
// and stored by the wallet's process too, compared, and only then published. Each step can be repeated. If it runs twice at once, both runs publish the
// same addresses once.
func (a *Pool) FillPool(ctx context.Context, in WalletTask) error {
	open, ok := a.Wallets[in.WalletID]
	if !ok {
		return fmt.Errorf("wallet %s is not configured here", in.WalletID)
	}
	end := time.After(shift)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		if err := a.topUp(ctx, in.WalletID, open); err != nil {
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

func (a *Pool) topUp(ctx context.Context, walletID string, open monero.OpenWallet) error {
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
	wallet, err := a.Store.GetWallet(ctx, walletID)
	if err != nil || wallet.ScannedAt == nil { // payments are found from its first scan on
		return err
	}
	for missing := int64(a.Target) - free; missing > 0; missing -= poolStore {
		if err := a.publish(ctx, walletID, open, stands, min(missing, poolStore)); err != nil {
			return err
		}
	}
	return nil
}

// publish adds the next n addresses to the pool and lets the lease reach them.
func (a *Pool) publish(ctx context.Context, walletID string, open monero.OpenWallet, stands witness.Standing, n int64) error {
	published, err := a.Store.HighestAddressIndex(ctx, walletID)
	if err != nil {
		return err
	}
	if int64(published) > stands.To { // a worker died between writing them and the lease
		return a.Witness.Extend(ctx, walletID, int64(published)+leaseAhead)
	}
	if err := know(ctx, open, uint32(published)); err != nil {
		return err
	}
	highest := max(uint32(published), uint32(stands.From))
	until := highest + uint32(n)
	if err := open.Spend.EnsureAddressCount(ctx, until+1); err != nil { // it stores them
		return err
	}
	rows := db.PublishAddressesParams{WalletID: walletID}
	for i := highest + 1; i <= until; i++ {
		address, err := a.verified(ctx, walletID, open, i)
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

// verified returns the address at an index if the wallet and our own derivation agree.
// Otherwise it alerts operators, and nothing is published.
func (a *Pool) verified(ctx context.Context, walletID string, open monero.OpenWallet, index uint32) (string, error) {
	want := open.Deriver.Subaddress(0, index)
	got, found, err := open.Spend.AddressAt(ctx, index)
	if err != nil {
		return "", err
	}
	if !found || got != want {
		a.Log.ErrorContext(ctx, "address differs from derivation", "wallet", walletID, "index", index)
		return "", errors.Join(errMismatch, sending.Alert(ctx, a.Store.Queries, alert.AddressMismatch, walletID, fmt.Sprintf("index %d", index)))
	}
	return want, nil
}

// know returns errOlder unless the process has made the address at an index. A process
// without the address may have scanned past payments to it, and could not spend them once
// the address was made.
func know(ctx context.Context, open monero.OpenWallet, index uint32) error {
	_, made, err := open.Spend.AddressAt(ctx, index)
	if err == nil && !made {
		err = errOlder
	}
	return err
}
