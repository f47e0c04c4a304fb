package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/config"
)

type testbed struct {
	*fixture.Fixture

	// env holds the settings of its parts; up applies changes.
	env map[string]string
	// counters stand in front of the daemons and wallets that the worker asks.
	counters []*counter
	// spendURL leads to the live wallet past the counters.
	spendURL string
	db       *pgxpool.Pool
	http     *http.Client
	// inserted is how many charges of the past were inserted.
	inserted int
}

// chargeMinutes is how long charges stay open: those of one run are there for later ones.
const chargeMinutes = 500_000

// liveWallet is the wallet of charges that count.
const liveWallet = string(config.Live)

// liveScanned is when the live wallet was looked at last.
const liveScanned = "SELECT COALESCE(c.scanned_at, 'epoch') FROM chains c JOIN wallets w ON w.chain_id = c.id WHERE w.id = '" + liveWallet + "'"

const startup = 8 * time.Minute

func settings() map[string]string {
	return fixture.Settings(map[string]string{
		// One shop has all the charges.
		"PENDING_CHARGES_PER_MERCHANT": "10000000",
		// Open charges are kept for later runs.
		"CHARGE_TIMEOUT_MINUTES": strconv.Itoa(chargeMinutes), "LOG_LEVEL": "WARN",
		// Both are set to what they must be once the wallets are known.
		"ADDRESS_POOL_TARGET": "1",
	})
}

// startMerchants starts a stack of the merchants' side in a directory, with counters in
// front of the live wallet and the daemon.
func (w *testbed) startMerchants(ctx context.Context, dir string) {
	w.start(ctx, dir, append(stack.MerchantParts(), stack.SandboxWallets()...)...)
	w.putCounters()
}

func (w *testbed) start(ctx context.Context, dir string, parts ...string) {
	w.http = &http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	w.Fixture = fixture.Must(fixture.Open(stack.Options{Dir: dir, Env: w.env, Parts: parts}))
	fixture.Reportf("starting the stack in %s", dir)
	w.up(ctx)
	fixture.Do(w.Meet(ctx, w.Stack.Env()))
	w.db = fixture.Must(pgxpool.New(ctx, w.URLs["DATABASE_URL"]))
}

// up applies the settings: it restarts parts that ran with other settings. A part that
// does not start, because Temporal has too much to do, has a second chance.
func (w *testbed) up(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, startup)
	defer cancel()
	err := w.Stack.Up(ctx)
	if err != nil && ctx.Err() == nil {
		fixture.Reportf("the stack is started once more: %v", err)
		err = w.Stack.Up(ctx)
	}
	fixture.Do(err)
}

// upAgain restarts the worker with other settings, and waits until it works.
func (w *testbed) upAgain(ctx context.Context) {
	w.up(ctx)
	w.watched(ctx, liveScanned)
}

func value[T any](ctx context.Context, w *testbed, sql string, args ...any) (v T) {
	fixture.Do(w.db.QueryRow(ctx, sql, args...).Scan(&v))
	return v
}

// putCounters rewrites the list of wallets so that the worker reaches the live
// wallet through the counters. The sandbox's wallet is left out: nothing is
// measured there, and its addresses would cost minutes.
func (w *testbed) putCounters() {
	for _, entry := range fixture.Must(config.LoadWallets(filepath.Join(w.Stack.Dir(), "secrets", "wallets.json"))) {
		if entry.ID != liveWallet {
			continue
		}
		w.spendURL = entry.SpendURL
		daemon := w.URLs["MONEROD_RPC_URL"]
		w.count("spending wallet", &entry.SpendURL)
		w.count("daemon", &daemon)
		w.env["MONEROD_RPC_URL"] = daemon
		list := fixture.Must(json.Marshal([]config.WalletEntry{entry}))
		file := filepath.Join(w.Stack.Dir(), "secrets", "counted-wallets.json")
		w.env["WALLETS_FILE"], w.env["SANDBOX_CHAIN"] = file, "simulated"
		fixture.Do(os.WriteFile(file, list, 0o600))
		return
	}
	fixture.Failf("the stack has no live wallet")
}

// watched waits until every wallet has been scanned twice from now on: the
// restarted worker has taken over. The query returns the time of the oldest scan.
func (w *testbed) watched(ctx context.Context, query string) {
	since := time.Now()
	for range 2 {
		fixture.Wait(ctx, "the wallets are scanned", func() bool { return value[time.Time](ctx, w, query).After(since) })
		since = time.Now()
	}
}

const arrival = 60 * time.Second

// arrived returns when the first request came that one of the receivers accepts.
func arrived(ctx context.Context, hooks *fixture.Receiver, accept func(fixture.Request) bool) time.Time {
	ctx, cancel := context.WithTimeout(ctx, arrival)
	defer cancel()
	return fixture.Must(hooks.Await(ctx, accept)).At
}

// event accepts deliveries of an event about a resource to a path.
func event(path, name, id string) func(fixture.Request) bool {
	return fixture.AllOf(fixture.ArrivedAt(path), fixture.EventOf(name, id))
}

// broadcast puts a payment into the pool as one gets there that is not the shop's own: from
// another daemon.
func (w *testbed) broadcast(ctx context.Context, tx fixture.Sent) error {
	return w.Chain.Broadcast(ctx, w.Stack.Addr("monerod-p2p"), tx.Blob)
}

// stop ends the stack, if there is one, and forgets it, unless its files are to be kept.
func (w *testbed) stop(keep bool) {
	if w.Fixture == nil {
		return
	}
	if w.db != nil {
		w.db.Close()
	}
	if err := w.Stop(keep); err != nil {
		fixture.Reportf("stopping the stack: %v", err)
	}
}

// counter stands in front of a wallet and counts the calls to it.
type counter struct {
	// name is of what it stands in front of.
	name  string
	calls atomic.Int64
}

func (w *testbed) count(name string, target *string) {
	c := &counter{name: name}
	forward := httputil.NewSingleHostReverseProxy(fixture.Must(url.Parse(*target)))
	// A caller that went away, or a stopped wallet, is not worth a message.
	forward.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	// It ends with this process.
	*target = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.calls.Add(1)
		forward.ServeHTTP(w, r)
	})).URL
	w.counters = append(w.counters, c)
}

type shop struct {
	*fixture.Shop

	testbed *testbed
}

// openShop signs a merchant up; events are sent to these paths of the receiver.
func (w *testbed) openShop(ctx context.Context, events []string, paths ...string) *shop {
	account := fixture.Must(w.SignUp(ctx, "Bench shop"))
	account.HTTP = w.http
	s := &shop{account, w}
	for _, path := range paths {
		fixture.Must(s.CreateWebhook(ctx, w.Hooks.URL(path), events...))
	}
	return s
}

func (s *shop) id() string { return s.Account.Merchant.MerchantID }

const price = "0.01"

func (s *shop) charges(ctx context.Context, n int) []clients.Charge {
	list := make([]clients.Charge, n)
	for i := range list {
		list[i] = fixture.Must(s.Sell(ctx, price))
	}
	return list
}

// sign makes one transaction that pays every charge.
func (s *shop) sign(ctx context.Context, charges []clients.Charge) fixture.Sent {
	return fixture.Must(s.testbed.Customer.Sign(ctx, fixture.Outputs(charges...)...))
}

// post makes a charge as cheaply as a client can: the answer is not read into
// anything.
func (s *shop) post(ctx context.Context, _ int64) error {
	return s.testbed.postTo(ctx, s.BaseURL+"/api/charges", s.APIKey)
}

// postTo asks for a charge at a URL.
func (w *testbed) postTo(ctx context.Context, url, key string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(`{"amount":`+price+`,"currency":"XMR"}`))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	return w.do(req, key)
}

// get reads a path in the same way.
func (w *testbed) get(ctx context.Context, url, key string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	return w.do(req, key)
}

func (w *testbed) do(req *http.Request, key string) error {
	if key != "" {
		req.Header.Set("X-Api-Key", key)
	}
	resp, err := w.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: status %d", req.Method, req.URL.Path, resp.StatusCode)
	}
	return nil
}
