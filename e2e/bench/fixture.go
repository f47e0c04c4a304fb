package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/e2e/regtest"
	"github.com/durapay/durapay/internal/config"
)

// fixture is a running stack, and what stands around it.
type fixture struct {
	stack *stack.Stack
	env   map[string]string
	urls  map[string]string
	chain *regtest.Chain
	// customer pays; payer builds and sends in two steps.
	customer *regtest.Customer
	payer    *payer
	// counters stand in front of the daemons and wallets that the worker asks; watch is
	// that of the live wallet's view-only process.
	counters []*counter
	watch    *counter
	// watchURL and spendURL lead to that wallet past the counters.
	watchURL, spendURL string
	inbox              *inbox
	// proxy stands where Tor's would.
	proxy *silentProxy
	db    *pgxpool.Pool
	http  *http.Client
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

// settings are those of the stack.
func settings() map[string]string {
	return map[string]string{
		"DEV_BLOCK_SECONDS": "0", "CONFIRMATIONS_REQUIRED": "2", "RATE_LIMITS": "off",
		// One shop has all the charges.
		"PENDING_CHARGES_PER_MERCHANT": "10000000",
		// Open charges are kept for later runs.
		"CHARGE_TIMEOUT_MINUTES": strconv.Itoa(chargeMinutes), "LOG_LEVEL": "WARN",
		// Rows that need many clients give each request an address.
		"TRUSTED_PROXIES": "127.0.0.0/8",
		// Both are set to what they must be once the wallets are known.
		"ADDRESS_POOL_TARGET": "1",
	}
}

// openFixture starts a stack in a directory, with counters in front of the live
// wallet and the daemon. Whatever was started is in the fixture, so that it can be
// stopped after an error too.
func openFixture(ctx context.Context, dir string) (*fixture, error) {
	w := &fixture{env: settings(), http: &http.Client{
		Timeout: 2 * time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 64},
	}}
	var err error
	if w.proxy, err = startSilentProxy(ctx); err != nil {
		return w, err
	}
	w.env["SOCKS5_PROXY"] = w.proxy.address
	if w.stack, err = stack.Open(stack.Options{Dir: dir, Env: w.env, Parts: append(stack.MerchantParts(), stack.SandboxWallets()...), Private: true}); err != nil {
		return w, err
	}
	progressf("starting the stack in %s", dir)
	if err := w.up(ctx); err != nil {
		return w, err
	}
	w.urls = w.stack.Env()
	if err := w.connect(ctx); err != nil {
		return w, err
	}
	return w, w.putCounters()
}

// up applies the settings: parts that ran with others are started anew. A part that does
// not start, since Temporal has too much to do, has a second chance.
func (w *fixture) up(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startup)
	defer cancel()
	err := w.stack.Up(ctx)
	if err != nil && ctx.Err() == nil {
		progressf("the stack is started once more: %v", err)
		err = w.stack.Up(ctx)
	}
	return err
}

func (w *fixture) connect(ctx context.Context) error {
	w.customer = regtest.NewCustomer(w.urls["CUSTOMER_WALLET_RPC_URL"])
	reward, err := w.customer.Address(ctx)
	if err != nil {
		return err
	}
	w.chain = regtest.NewChain(w.urls["MONEROD_RPC_URL"], reward)
	w.payer = w.newPayer()
	if w.inbox, err = startInbox(); err != nil {
		return err
	}
	w.db, err = pgxpool.New(ctx, w.urls["DATABASE_URL"])
	return err
}

// putCounters rewrites the list of wallets so that the worker reaches the live
// wallet through the counters. The sandbox's wallet is left out: nothing is
// measured there, and its addresses would cost minutes.
func (w *fixture) putCounters() error {
	list, err := config.LoadWallets(filepath.Join(w.stack.Dir(), "secrets", "wallets.json"))
	if err != nil {
		return err
	}
	for _, entry := range list {
		if entry.ID != liveWallet {
			continue
		}
		w.watchURL, w.spendURL = entry.WatchURL, entry.SpendURL
		daemon := w.urls["MONEROD_RPC_URL"]
		for _, counted := range []struct {
			name   string
			target *string
		}{{"view-only wallet", &entry.WatchURL}, {"spending wallet", &entry.SpendURL}, {"daemon", &daemon}} {
			if err := w.count(counted.name, counted.target); err != nil {
				return err
			}
		}
		w.watch, w.env["MONEROD_RPC_URL"] = w.counters[0], daemon
		b, err := json.Marshal([]config.WalletEntry{entry})
		if err != nil {
			return err
		}
		file := filepath.Join(w.stack.Dir(), "secrets", "counted-wallets.json")
		w.env["WALLETS_FILE"], w.env["SANDBOX_CHAIN"] = file, "simulated"
		return os.WriteFile(file, b, 0o600)
	}
	return errors.New("the stack has no live wallet")
}

// count puts a counter in front of an address.
func (w *fixture) count(name string, target *string) error {
	c, err := startCounter(name, *target)
	if err != nil {
		return err
	}
	w.counters = append(w.counters, c)
	*target = c.url
	return nil
}

// watched waits until every wallet was looked at twice since now: the worker
// that was started anew has taken over. The query is for the oldest look.
func (w *fixture) watched(ctx context.Context, query string) error {
	since := time.Now()
	for range 2 {
		for oldest := since.Add(-time.Second); !oldest.After(since); {
			if err := w.db.QueryRow(ctx, query).Scan(&oldest); err != nil {
				return fmt.Errorf("watchers: %w", err)
			}
			if err := pause(ctx, 200*time.Millisecond); err != nil {
				return err
			}
		}
		since = time.Now()
	}
	return nil
}

// stop ends the stack and forgets it, unless its files are to be kept.
func (w *fixture) stop(keep bool) error {
	if w.db != nil {
		w.db.Close()
	}
	err := w.stack.Stop()
	if keep {
		return err
	}
	return errors.Join(err, os.RemoveAll(w.stack.Dir()))
}
