package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/client"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/e2e/fixture"
)

// testbed is a running stack with both services, and the people around it.
type testbed struct {
	*fixture.Fixture

	xmr *payerXMR
	ltc *payerLTC
	// shops sweep, but for the last one, which refunds.
	shops  []*shop
	trader *trader

	places   *places
	temporal client.Client
	// ended is when a run was terminated, cancelled or reset, by run ID.
	ended sync.Map
	// env are the settings of the stack, and builds how often another build took over.
	env    map[string]string
	builds int
}

// shopCount is how many merchants there are.
const shopCount = 4

// openTestbed starts a stack. It returns it after an error too, to be stopped.
func openTestbed(ctx context.Context, o options) (*testbed, error) {
	env := fixture.Settings(map[string]string{
		"CHARGE_TIMEOUT_MINUTES": "600", "DEPOSIT_WINDOW_SECONDS": "36000", "ADDRESS_POOL_TARGET": "120", "LOG_LEVEL": "WARN",
	})
	f, err := fixture.Open(o.dir, env, append([]string{"merchant-api", "swap-api", "wallet-customer"}, stack.SandboxWallets()...)...)
	if err != nil {
		return nil, err
	}
	w := &testbed{Fixture: f, env: env}
	w.places = newPlaces(w.database)
	fixture.Tellf("starting the stack in %s", f.Stack.Dir())
	if err := f.Start(ctx); err != nil {
		return w, err
	}
	if err := w.dialTemporal(ctx); err != nil {
		return w, err
	}
	return w, w.meet(ctx, o.seed)
}

// meet makes the people who the choices are drawn for.
func (w *testbed) meet(ctx context.Context, seed uint64) (err error) {
	w.xmr = &payerXMR{customer: w.Customer, chain: w.Chain}
	if w.ltc, err = newPayerLTC(w.URLs["LITECOIN_RPC_URL"]); err != nil {
		return err
	}
	for i := range shopCount {
		s, err := w.openShop(ctx, i, newDice(seed, fmt.Sprint("shop ", i)))
		if err != nil {
			return err
		}
		w.shops = append(w.shops, s)
	}
	w.trader = &trader{testbed: w, dice: newDice(seed, "trader")}
	w.trader.client, err = w.Partner(ctx)
	return err
}

// database opens a new connection, because a kill ends the older ones.
func (w *testbed) database(ctx context.Context) (*pgx.Conn, error) {
	return pgx.Connect(ctx, w.URLs["DATABASE_URL"])
}
