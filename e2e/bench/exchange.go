package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/utxo"
)

// exchange is a stack of the exchange that is measured.
type exchange struct {
	*testbed

	// wallets are the exchange's, as the worker reaches them.
	wallets []config.ExchangeWallet
	// partner has a key, and anyone has none.
	partner, anyone clients.Partner
	// payees are addresses of the customer, by coin.
	payees map[string]fixture.Payee
}

// Trades are small, so that the exchange's wallets carry thousands of them.
const (
	tradeLTC = "0.1"
	tradeXMR = "0.05"
	pairs    = "xmr:Mainnet>ltc:Mainnet=0.01:20:0.01,ltc:Mainnet>xmr:Mainnet=0.01:20:0.01"
)

// openExchange starts a stack in a directory, with counters in front of the exchange's
// wallets and daemons. Its watchers make so many deposit addresses for each coin, and there
// are more of Litecoin. It returns the stack after an error too, to be stopped.
func openExchange(ctx context.Context, dir string, watched, litecoin int) (*exchange, error) {
	m := &exchange{testbed: &testbed{env: settings(map[string]string{
		"EXCHANGE_PAIRS": pairs, "EXCHANGE_UNFUNDED_PERCENT": "100",
		"EXCHANGE_ADDRESS_POOL": strconv.Itoa(watched), "DEPOSIT_WINDOW_SECONDS": "36000",
	})}, payees: map[string]fixture.Payee{}}
	if err := m.start(ctx, dir, "swap-api", "wallet-customer"); err != nil {
		return m, err
	}
	for _, coin := range []string{fixture.Monero, fixture.Litecoin} {
		var err error
		if m.payees[coin], err = m.NewPayee(ctx, coin); err != nil {
			return m, err
		}
	}
	return m, m.prepare(ctx, watched, litecoin)
}

// prepare puts the counters up, fills the pools and has no address made
// afterwards, so that the wallets do nothing else while something is measured.
func (m *exchange) prepare(ctx context.Context, watched, litecoin int) error {
	if err := m.putCounters(); err != nil {
		return err
	}
	if err := m.fillPools(ctx, watched); err != nil {
		return err
	}
	if err := m.addLitecoin(ctx, watched, litecoin); err != nil {
		return err
	}
	if err := m.keepReady(ctx, 1); err != nil {
		return err
	}
	if err := m.watched(ctx, exchangeScanned); err != nil {
		return err
	}
	var err error
	m.partner, err = m.Partner(ctx)
	m.partner.HTTP, m.anyone = m.http, clients.Partner{URL: m.partner.URL, HTTP: m.http}
	return err
}

// keepReady has the watchers keep so many deposit addresses ready from now on.
func (m *exchange) keepReady(ctx context.Context, addresses int) error {
	m.env["EXCHANGE_ADDRESS_POOL"] = strconv.Itoa(addresses)
	return m.up(ctx)
}

// putCounters rewrites the list of wallets so that the worker reaches them, and
// the daemons, through the counters.
func (m *exchange) putCounters() error {
	list, err := config.LoadExchangeWallets(m.Stack.ExchangeWalletsFile())
	if err != nil {
		return err
	}
	daemon := m.URLs["MONEROD_RPC_URL"]
	if err := m.count("daemon", &daemon); err != nil {
		return err
	}
	for i := range list {
		if w := list[i].Monero; w != nil {
			if err := errors.Join(m.count("view-only wallet", &w.WatchURL), m.count("spending wallet", &w.SpendURL)); err != nil {
				return err
			}
		}
		if d := list[i].Daemon; d != nil {
			if err := m.count(list[i].Ticker, &d.URL); err != nil {
				return err
			}
		}
	}
	m.env["MONEROD_RPC_URL"] = daemon
	m.wallets = list
	return m.writeWallets(true)
}

// writeWallets writes the list that the worker's next start reads, with the daemons'
// publishers or without.
func (m *exchange) writeWallets(heard bool) error {
	list, name := slices.Clone(m.wallets), "counted-exchange-wallets.json"
	delete(m.env, "MONEROD_ZMQ_ADDRESS")
	if !heard {
		name = "deaf-exchange-wallets.json"
		m.env["MONEROD_ZMQ_ADDRESS"] = ""
		for i := range list {
			if list[i].Daemon != nil {
				daemon := *list[i].Daemon
				daemon.ZMQAddress, daemon.P2PAddress = "", ""
				list[i].Daemon = &daemon
			}
		}
	}
	b, err := json.Marshal(list)
	if err != nil {
		return err
	}
	m.env["EXCHANGE_WALLETS_FILE"] = filepath.Join(m.Stack.Dir(), "secrets", name)
	return os.WriteFile(m.env["EXCHANGE_WALLETS_FILE"], b, 0o600)
}

// listen restarts the worker, with the daemons' publishers or without.
func (m *exchange) listen(ctx context.Context, heard bool) error {
	if err := m.writeWallets(heard); err != nil {
		return err
	}
	if err := m.up(ctx); err != nil {
		return err
	}
	return m.watched(ctx, exchangeScanned)
}

// exchangeScanned is when the wallet was looked at that was not looked at for longest.
const exchangeScanned = "SELECT min(COALESCE(scanned_at, 'epoch')) FROM exchange_wallets"

// readyAddresses are the deposit addresses that may be handed out, by wallet: the
// lease reaches them.
const readyAddresses = `SELECT w.id, w.ticker, count(a.address) AS free FROM exchange_wallets w
	LEFT JOIN witnesses l ON l.wallet_id = w.id
	LEFT JOIN exchange_addresses a ON a.wallet_id = w.id AND a.trade_id IS NULL AND a.number > l.lease_from AND a.number <= l.lease_to
	GROUP BY w.id, w.ticker`

// fillPools waits for the watchers' addresses.
func (m *exchange) fillPools(ctx context.Context, watched int) error {
	return m.untilReady(ctx, `SELECT min(free) FROM (`+readyAddresses+`) pools`, watched)
}

// untilReady waits until a query counts so many addresses.
func (m *exchange) untilReady(ctx context.Context, query string, addresses int) error {
	for ready := 0; ready < addresses; {
		if err := m.db.QueryRow(ctx, query).Scan(&ready); err != nil {
			return fmt.Errorf("address pools: %w", err)
		}
		if err := fixture.Pause(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// beyondLease is more than a lease reaches beyond the addresses that a watcher made.
const beyondLease = 64

// addLitecoin adds Litecoin addresses of the exchange's wallet, as its watcher
// would a few a second. The watcher moves the lease beyond them once it wants more
// addresses than the lease reaches.
func (m *exchange) addLitecoin(ctx context.Context, watched, addresses int) error {
	begun := time.Now()
	wallet, err := m.exchangeLitecoin()
	if err != nil {
		return err
	}
	defer wallet.Close()
	if err := repeat(ctx, 4, int64(addresses), func(ctx context.Context, _ int64) error {
		address, err := wallet.NewAddress(ctx)
		if err != nil {
			return err
		}
		path, err := wallet.KeyPath(ctx, address)
		if err != nil {
			return err
		}
		_, err = m.db.Exec(ctx, `INSERT INTO exchange_addresses (wallet_id, address, ref, number)
			SELECT id, $1, $2::text, substring($2::text FROM '([0-9]+)[''h]?$')::bigint FROM exchange_wallets WHERE ticker = 'ltc'`, address, path)
		return err
	}); err != nil {
		return err
	}
	if err := m.keepReady(ctx, watched+beyondLease); err != nil {
		return err
	}
	err = m.untilReady(ctx, `SELECT min(free) FROM (`+readyAddresses+`) pools WHERE ticker = 'ltc'`, addresses)
	fixture.Tellf("%s deposit addresses were made in %s", thousands(addresses), time.Since(begun).Round(time.Second))
	return err
}

// exchangeLitecoin is the exchange's own wallet.
func (m *exchange) exchangeLitecoin() (*utxo.Client, error) {
	return utxo.New(utxo.Endpoint{URL: m.Stack.LitecoinURL("exchange")}, utxo.Options{})
}

// trade makes one; events go to a path of the receiver where there is one.
func (m *exchange) trade(ctx context.Context, from, hook string) (clients.Trade, error) {
	order := clients.Order{Pair: clients.Pair{From: from, To: fixture.Monero}, Amount: money.MustDecimal(tradeLTC)}
	if from == fixture.Monero {
		order.To, order.Amount = fixture.Litecoin, money.MustDecimal(tradeXMR)
	}
	order.Address, order.Refund = m.payees[order.To].Address, m.payees[from].Address
	if hook == "" {
		return m.anyone.Trade(ctx, order)
	}
	order.Webhook = m.SafeHooks.URL(hook)
	return m.partner.Trade(ctx, order)
}

// open makes a trade that is not paid.
func (m *exchange) open(ctx context.Context, _ int64) error {
	_, err := m.trade(ctx, fixture.Litecoin, "")
	return err
}
