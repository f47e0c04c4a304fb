package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"golang.org/x/sync/errgroup"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/utxo"
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
	// until is when nothing is disturbed any more.
	until time.Time
	// env are the settings of the stack, and builds how often another build took over.
	env    map[string]string
	builds int
}

const shopCount = 4

// openTestbed starts a stack. It returns it after an error too, to be stopped.
func openTestbed(ctx context.Context, o options) (*testbed, error) {
	env := fixture.Settings(map[string]string{
		"CHARGE_TIMEOUT_MINUTES": "600", "DEPOSIT_WINDOW_SECONDS": "36000", "ADDRESS_POOL_TARGET": "120", "LOG_LEVEL": "WARN",
	})
	f, err := fixture.Open(stack.Options{
		Dir: o.dir, Env: env, Clocks: true, Parts: append([]string{"merchant-api", "swap-api", "wallet-customer"}, stack.SandboxWallets()...),
	})
	if err != nil {
		return nil, err
	}
	w := &testbed{Fixture: f, env: env}
	w.places = newPlaces(w.database)
	fixture.Reportf("starting the stack in %s", f.Stack.Dir())
	if err := f.Start(ctx); err != nil {
		return w, err
	}
	return w, fixture.Try(func() {
		w.temporal = fixture.Must(client.DialContext(ctx, client.Options{
			HostPort: w.URLs["TEMPORAL_ADDRESS"], Namespace: w.URLs["TEMPORAL_NAMESPACE"],
			Logger: log.NewStructuredLogger(slog.New(slog.DiscardHandler)),
		}))
		w.meet(ctx, o.seed)
	})
}

// meet makes the people who the choices are drawn for.
func (w *testbed) meet(ctx context.Context, seed uint64) {
	w.xmr = &payerXMR{customer: w.Customer, chain: w.Chain}
	wallet := fixture.Must(utxo.New(utxo.Endpoint{URL: w.URLs["LITECOIN_RPC_URL"]}, utxo.Options{CallTimeout: maxWait}))
	w.ltc = &payerLTC{wallet: wallet, used: map[utxo.Coin]bool{}}
	for i := range shopCount {
		w.shops = append(w.shops, w.openShop(ctx, i, newDice(seed, fmt.Sprint("shop ", i))))
	}
	w.trader = &trader{testbed: w, dice: newDice(seed, "trader"), client: fixture.Must(w.Partner(ctx))}
}

// database opens a new connection, because a kill ends the older ones.
func (w *testbed) database(ctx context.Context) (*pgx.Conn, error) {
	return pgx.Connect(ctx, w.URLs["DATABASE_URL"])
}

const blockPause = 2 * time.Second

// disturb has people pay, sweep, refund and trade while the stack is disturbed.
func (w *testbed) disturb(ctx context.Context, o options, t *tally) {
	w.until = time.Now().Add(time.Duration(o.minutes * float64(time.Minute)))
	var watching sync.WaitGroup
	looking, end := context.WithCancel(ctx)
	watching.Go(func() { w.places.watch(looking) })
	defer watching.Wait()
	defer end()
	group, ctx := errgroup.WithContext(ctx)
	act := func(script func()) { group.Go(func() error { return fixture.Try(script) }) }
	act(func() {
		if len(o.away) > 0 {
			w.suffer(ctx, o.away, t)
			return
		}
		w.trouble(ctx, newRounds(o.seed), t)
	})
	act(func() { w.mine(ctx, w.until) })
	act(func() { w.xmr.payAll(ctx, w.until) })
	act(func() { w.trader.trade(ctx, w.until) })
	for i, s := range w.shops {
		act(func() { s.sell(ctx, w.until) })
		if i == len(w.shops)-1 {
			act(func() { s.refund(ctx, newDice(o.seed, "refunds"), w.until) })
			continue
		}
		act(func() { s.sweep(ctx, newDice(o.seed, fmt.Sprint("sweeper ", i)), w.until) })
	}
	fixture.Do(group.Wait())
}

func (w *testbed) mine(ctx context.Context, until time.Time) {
	for time.Now().Before(until) {
		_ = w.mineBoth(ctx) // a dead daemon makes no block
		fixture.Do(fixture.Pause(ctx, blockPause))
	}
}

func (w *testbed) mineBoth(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	return errors.Join(w.Chain.Mine(ctx, 1), w.mineLitecoin(ctx))
}

func (w *testbed) mineLitecoin(ctx context.Context) error {
	if !w.ltc.mining.TryLock() {
		return nil // it is killed, or hangs
	}
	defer w.ltc.mining.Unlock()
	return w.Coins.Mine(ctx, 1)
}

// dice are the choices of one actor. Each actor has its own, so its choices do not
// depend on the speed of the other actors.
type dice struct{ *rand.Rand }

func newDice(seed uint64, actor string) dice {
	name := fnv.New64a()
	_, _ = name.Write([]byte(actor))
	return dice{rand.New(rand.NewPCG(seed, name.Sum64()))} //nolint:gosec // to be drawn again
}

func (d dice) between(least, most time.Duration) time.Duration {
	return least + time.Duration(d.Int64N(int64(most-least)+1))
}

// mostlyShort is a duration from least to most, of which each tenfold is as likely as
// another.
func (d dice) mostlyShort(least, most time.Duration) time.Duration {
	return time.Duration(float64(least) * math.Pow(float64(most)/float64(least), d.Float64()))
}

// some draws n different elements of a list.
func some[T any](d dice, n int, list []T) []T {
	drawn := make([]T, 0, n)
	for _, i := range d.Perm(len(list))[:n] {
		drawn = append(drawn, list[i])
	}
	return drawn
}
