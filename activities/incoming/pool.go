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
const atOnce = 64

// leaseAhead is how far a lease goes beyond the published addresses, so that not every
// address raises the mark. When a new lease is opened, as many indices are skipped.
const leaseAhead = 64

// FillPool tops the pool up whenever it is below its target. An address is made for good,
// and only then published. Each step can be repeated. If it runs twice at once, both runs
// publish the same addresses once, or different ones.
func (a *Pool) FillPool(ctx context.Context, in WalletTask) error {
	end := time.After(shift)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		a.topUpOwn(ctx)
		if err := a.TopUp(ctx, in.WalletID); err != nil {
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

// topUpOwn tops up shops' own wallets. Their errors do not stop the others.
func (a *Pool) topUpOwn(ctx context.Context) {
	if a.Own == nil {
		return
	}
	if err := a.Own.TopUp(ctx); err != nil && ctx.Err() == nil {
		a.Log.WarnContext(ctx, "addresses of shops' own wallets are not made", "error", err)
	}
}

// TopUp compares the wallet with its witness, and makes addresses until enough can be
// handed out. It makes none in safe mode, while the witness does not answer, or before the
// wallet's first scan.
func (a *Pool) TopUp(ctx context.Context, walletID string) error {
	wallet, ok := a.Wallets[walletID]
	if !ok {
		return fmt.Errorf("wallet %s is not configured here", walletID)
	}
	stands, err := a.Witness.Tend(ctx, walletID)
	if errors.Is(err, witness.ErrWrongChain) {
		a.report(walletID, wallet, 0)
	}
	if err != nil {
		return err
	}
	free, err := a.Store.FreeAddresses(ctx, db.FreeAddressesParams{WalletID: walletID, Limit: int32(wallet.Ready)})
	if err != nil {
		return err
	}
	a.report(walletID, wallet, int(free))
	if stands.Safe != "" {
		return nil
	}
	state, err := a.Store.ChainOfWallet(ctx, walletID)
	if err != nil || state.ScannedAt == nil { // payments are found from the first scan on
		return err
	}
	for missing := wallet.Ready - free; missing > 0; missing -= atOnce {
		if err := a.publish(ctx, walletID, wallet.Maker, stands, min(missing, atOnce)); err != nil {
			return err
		}
	}
	return nil
}

func (a *Pool) report(walletID string, w Wallet, free int) {
	if w.Inventory == nil {
		a.Level(walletID, free)
	}
}

// publish adds the next n addresses to the pool and lets the lease reach them. Addresses at
// or below the end of an older lease are skipped, because a customer may have them.
func (a *Pool) publish(ctx context.Context, walletID string, maker Maker, stands witness.Standing, n int64) error {
	published, err := a.Store.HighestAddressIndex(ctx, walletID)
	if err != nil {
		return err
	}
	if int64(published) > stands.To { // a worker died between writing them and the lease
		return a.Witness.Extend(ctx, walletID, int64(published)+leaseAhead)
	}
	made, failed := maker.Make(ctx, int64(published), max(int64(published), stands.From), n)
	if errors.Is(failed, errMismatch) {
		a.Log.ErrorContext(ctx, "address differs from derivation", "wallet", walletID, "error", failed)
		failed = errors.Join(failed, sending.Alert(ctx, a.Store.Queries, alert.AddressMismatch, walletID, failed.Error()))
	}
	if len(made) == 0 {
		return failed
	}
	rows := db.PublishAddressesParams{WalletID: walletID}
	for _, m := range made {
		rows.Indices, rows.Addresses = append(rows.Indices, int32(m.Index)), append(rows.Addresses, m.Address)
	}
	if err := a.Store.PublishAddresses(ctx, rows); err != nil {
		return errors.Join(failed, err)
	}
	if last := made[len(made)-1].Index; last > stands.To {
		failed = errors.Join(failed, a.Witness.Extend(ctx, walletID, last+leaseAhead))
	}
	return failed
}
