package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/e2e/regtest"
	"github.com/durapay/durapay/internal/config"
)

// testbed is a stack that is measured.
type testbed struct {
	*fixture.Fixture

	// env holds the settings of its parts; up applies changes.
	env map[string]string
	// counters stand in front of the daemons and wallets that the worker asks.
	counters []*counter
	// watchURL and spendURL lead to the live wallet past the counters.
	watchURL, spendURL string
	db                 *pgxpool.Pool
	http               *http.Client
	// inserted is how many charges of the past were inserted.
	inserted int
}

// chargeMinutes is how long charges stay open: those of one run are there for later ones.
const chargeMinutes = 500_000

// liveWallet is the wallet of charges that count.
const liveWallet = string(config.Live)

// liveScanned is when the live wallet was looked at last.
const liveScanned = "SELECT COALESCE(scanned_at, 'epoch') FROM wallets WHERE id = '" + liveWallet + "'"

// startup bounds the start of the stack.
const startup = 8 * time.Minute

// settings are those of the stack, and more.
func settings(more map[string]string) map[string]string {
	env := fixture.Settings(map[string]string{
		// One shop has all the charges.
		"PENDING_CHARGES_PER_MERCHANT": "10000000",
		// Open charges are kept for later runs.
		"CHARGE_TIMEOUT_MINUTES": strconv.Itoa(chargeMinutes), "LOG_LEVEL": "WARN",
		// Both are set to what they must be once the wallets are known.
		"ADDRESS_POOL_TARGET": "1",
	})
	maps.Copy(env, more)
	return env
}

// openMerchants starts a stack of the merchants' side in a directory, with counters in
// front of the live wallet and the daemon. It returns the stack after an error too, to be
// stopped.
func openMerchants(ctx context.Context, dir string) (*testbed, error) {
	w := &testbed{env: settings(nil)}
	if err := w.start(ctx, dir, append(stack.MerchantParts(), stack.SandboxWallets()...)...); err != nil {
		return w, err
	}
	return w, w.putCounters()
}

// start starts the stack and meets its people.
func (w *testbed) start(ctx context.Context, dir string, parts ...string) (err error) {
	w.http = &http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	if w.Fixture, err = fixture.Open(dir, w.env, parts...); err != nil {
		return err
	}
	fixture.Tellf("starting the stack in %s", dir)
	if err := w.up(ctx); err != nil {
		return err
	}
	if err := w.Meet(ctx, w.Stack.Env()); err != nil {
		return err
	}
	w.db, err = pgxpool.New(ctx, w.URLs["DATABASE_URL"])
	return err
}

// up applies the settings: it restarts parts that ran with other settings. A part that
// does not start, because Temporal has too much to do, has a second chance.
func (w *testbed) up(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startup)
	defer cancel()
	err := w.Stack.Up(ctx)
	if err != nil && ctx.Err() == nil {
		fixture.Tellf("the stack is started once more: %v", err)
		err = w.Stack.Up(ctx)
	}
	return err
}

// putCounters rewrites the list of wallets so that the worker reaches the live
// wallet through the counters. The sandbox's wallet is left out: nothing is
// measured there, and its addresses would cost minutes.
func (w *testbed) putCounters() error {
	list, err := config.LoadWallets(filepath.Join(w.Stack.Dir(), "secrets", "wallets.json"))
	if err != nil {
		return err
	}
	for _, entry := range list {
		if entry.ID != liveWallet {
			continue
		}
		w.watchURL, w.spendURL = entry.WatchURL, entry.SpendURL
		daemon := w.URLs["MONEROD_RPC_URL"]
		err := errors.Join(w.count("view-only wallet", &entry.WatchURL), w.count("spending wallet", &entry.SpendURL), w.count("daemon", &daemon))
		if err != nil {
			return err
		}
		w.env["MONEROD_RPC_URL"] = daemon
		b, err := json.Marshal([]config.WalletEntry{entry})
		if err != nil {
			return err
		}
		file := filepath.Join(w.Stack.Dir(), "secrets", "counted-wallets.json")
		w.env["WALLETS_FILE"], w.env["SANDBOX_CHAIN"] = file, "simulated"
		return os.WriteFile(file, b, 0o600)
	}
	return errors.New("the stack has no live wallet")
}

// count puts a counter in front of an address.
func (w *testbed) count(name string, target *string) error {
	c, err := startCounter(name, *target)
	if err != nil {
		return err
	}
	w.counters = append(w.counters, c)
	*target = c.url
	return nil
}

// watched waits until every wallet has been scanned twice from now on: the
// restarted worker has taken over. The query returns the time of the oldest scan.
func (w *testbed) watched(ctx context.Context, query string) error {
	since := time.Now()
	for range 2 {
		oldest := time.Time{}
		err := fixture.Until(ctx, "the wallets are scanned", func() (bool, error) {
			err := w.db.QueryRow(ctx, query).Scan(&oldest)
			return oldest.After(since), err
		})
		if err != nil {
			return err
		}
		since = time.Now()
	}
	return nil
}

// arrival bounds the wait for an event that is expected soon.
const arrival = 60 * time.Second

// arrived returns when the first request came that one of the receivers accepts.
func arrived(ctx context.Context, hooks *fixture.Receiver, accept func(fixture.Request) bool) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, arrival)
	defer cancel()
	got, err := hooks.Await(ctx, accept)
	return got.At, err
}

// event accepts deliveries of an event about a resource to a path.
func event(path, name, id string) func(fixture.Request) bool {
	return fixture.AllOf(fixture.ArrivedAt(path), fixture.EventOf(name, id))
}

// broadcast puts a payment into the pool as one gets there that is not the shop's own: from
// another daemon.
func (w *testbed) broadcast(ctx context.Context, tx regtest.Sent) error {
	return w.Chain.Broadcast(ctx, w.Stack.Addr("monerod-p2p"), tx.Blob)
}

// stop ends the stack and forgets it, unless its files are to be kept.
func (w *testbed) stop(keep bool) error {
	if w.db != nil {
		w.db.Close()
	}
	return w.Stop(keep)
}

// counter stands in front of a wallet and counts the calls to it.
type counter struct {
	// name is of what it stands in front of.
	name  string
	url   string
	calls atomic.Int64
}

func startCounter(name, target string) (*counter, error) {
	to, err := url.Parse(target)
	if err != nil {
		return nil, fmt.Errorf("counter: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a port of this machine is had at once
	if err != nil {
		return nil, fmt.Errorf("counter: %w", err)
	}
	c := &counter{name: name, url: "http://" + listener.Addr().String()}
	forward := httputil.NewSingleHostReverseProxy(to)
	// A caller that went away, or a stopped wallet, is not worth a message.
	forward.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	server := &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			c.calls.Add(1)
			forward.ServeHTTP(w, r)
		}),
	}
	go func() { _ = server.Serve(listener) }() // ends with this process
	return c, nil
}
