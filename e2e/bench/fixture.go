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
	// watch and spend count the calls to the live wallet's two processes.
	watch, spend *counter
	inbox        *inbox
	// proxy stands where Tor's would.
	proxy *silentProxy
	db    *pgxpool.Pool
	http  *http.Client
}

// liveWallet is the wallet of charges that count.
const liveWallet = string(config.Live)

// startup bounds the start of the stack.
const startup = 8 * time.Minute

// settings are those of the stack.
func settings() map[string]string {
	return map[string]string{
		"DEV_BLOCK_SECONDS": "0", "CONFIRMATIONS_REQUIRED": "2", "RATE_LIMITS": "off",
		// One shop has all the charges.
		"PENDING_CHARGES_PER_MERCHANT": "10000000",
		"CHARGE_TIMEOUT_MINUTES":       "600", "LOG_LEVEL": "WARN",
		// Rows that need many clients give each request an address.
		"TRUSTED_PROXIES": "127.0.0.0/8",
		// Both are set to what they must be once the wallets are known.
		"ADDRESS_POOL_TARGET": "1",
	}
}

// openFixture starts a stack in a directory, with counters in front of the live
// wallet and so many addresses ready. Whatever was started is in the fixture,
// so that it can be stopped after an error too.
func openFixture(ctx context.Context, dir string, addresses int) (*fixture, error) {
	w := &fixture{env: settings(), http: &http.Client{
		Timeout: 2 * time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 64},
	}}
	var err error
	if w.proxy, err = startSilentProxy(ctx); err != nil {
		return w, err
	}
	w.env["SOCKS5_PROXY"] = w.proxy.address
	if w.stack, err = stack.Open(stack.Options{Dir: dir, Env: w.env, Parts: stack.MerchantParts(), Private: true}); err != nil {
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
	if err := w.putCounters(); err != nil {
		return w, err
	}
	return w, w.fillPool(ctx, addresses)
}

// up applies the settings: parts that ran with others are started anew.
func (w *fixture) up(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startup)
	defer cancel()
	return w.stack.Up(ctx)
}

func (w *fixture) connect(ctx context.Context) error {
	w.customer = regtest.NewCustomer(w.urls["CUSTOMER_WALLET_RPC_URL"])
	reward, err := w.customer.Address(ctx)
	if err != nil {
		return err
	}
	w.chain = regtest.NewChain(w.urls["MONEROD_RPC_URL"], reward)
	w.payer = newPayer(w.urls["CUSTOMER_WALLET_RPC_URL"], w.chain)
	if w.inbox, err = startInbox(); err != nil {
		return err
	}
	w.db, err = pgxpool.New(ctx, w.urls["DATABASE_URL"])
	return err
}

// putCounters rewrites the list of wallets so that the worker reaches the live
// wallet through the counters. The sandbox is left out: nothing is measured
// there, and its addresses would cost minutes.
func (w *fixture) putCounters() error {
	list, err := config.LoadWallets(filepath.Join(w.stack.Dir(), "secrets", "wallets.json"))
	if err != nil {
		return err
	}
	for _, entry := range list {
		if entry.ID != liveWallet {
			continue
		}
		if w.watch, err = startCounter(entry.WatchURL); err != nil {
			return err
		}
		if w.spend, err = startCounter(entry.SpendURL); err != nil {
			return err
		}
		entry.WatchURL, entry.SpendURL = w.watch.url, w.spend.url
		b, err := json.Marshal([]config.WalletEntry{entry})
		if err != nil {
			return err
		}
		file := filepath.Join(w.stack.Dir(), "secrets", "counted-wallets.json")
		w.env["WALLETS_FILE"] = file
		return os.WriteFile(file, b, 0o600)
	}
	return errors.New("the stack has no live wallet")
}

// fillPool makes addresses ready ahead and has none made afterwards, so that
// the wallets do nothing else while something is measured.
func (w *fixture) fillPool(ctx context.Context, addresses int) error {
	w.env["ADDRESS_POOL_TARGET"] = strconv.Itoa(addresses)
	if err := w.up(ctx); err != nil {
		return err
	}
	begun, told := time.Now(), time.Now()
	for free := 0; free < addresses; {
		err := w.db.QueryRow(ctx, `SELECT count(*) FROM addresses WHERE wallet_id = $1 AND charge_id IS NULL`,
			liveWallet).Scan(&free)
		if err != nil {
			return fmt.Errorf("address pool: %w", err)
		}
		if time.Since(told) > 15*time.Second {
			told = time.Now()
			progressf("%s of %s addresses are ready", thousands(free), thousands(addresses))
		}
		if err := pause(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
	progressf("%s addresses were made in %s", thousands(addresses), time.Since(begun).Round(time.Second))
	w.env["ADDRESS_POOL_TARGET"] = "1"
	if err := w.up(ctx); err != nil {
		return err
	}
	return w.watched(ctx, "SELECT COALESCE(scanned_at, 'epoch') FROM wallets WHERE id = '"+liveWallet+"'")
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
