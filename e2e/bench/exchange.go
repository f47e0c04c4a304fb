package main

import (
	"context"
	"encoding/json"
	"maps"
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

// open starts a stack in a directory, with counters in front of the exchange's wallets and
// daemons. Its watchers make so many deposit addresses for each coin, and there are more of
// Litecoin. No address is made afterwards, so that the wallets do nothing else while
// something is measured.
func (m *exchange) open(ctx context.Context, dir string, watched, litecoin int) {
	maps.Copy(m.env, map[string]string{
		"EXCHANGE_PAIRS": pairs, "EXCHANGE_UNFUNDED_PERCENT": "100",
		"EXCHANGE_ADDRESS_POOL": strconv.Itoa(watched), "DEPOSIT_WINDOW_SECONDS": "36000",
	})
	m.start(ctx, dir, "swap-api", "wallet-customer")
	for _, coin := range []string{fixture.Monero, fixture.Litecoin} {
		m.payees[coin] = fixture.Must(m.NewPayee(ctx, coin))
	}
	m.putCounters()
	m.untilReady(ctx, `SELECT min(free) FROM (`+readyAddresses+`) pools`, watched)
	m.addLitecoin(ctx, watched, litecoin)
	m.keepReady(ctx, 1)
	m.watched(ctx, exchangeScanned)
	m.partner = fixture.Must(m.Partner(ctx))
	m.partner.HTTP, m.anyone = m.http, clients.Partner{URL: m.partner.URL, HTTP: m.http}
}

// keepReady has the watchers keep so many deposit addresses ready from now on.
func (m *exchange) keepReady(ctx context.Context, addresses int) {
	m.env["EXCHANGE_ADDRESS_POOL"] = strconv.Itoa(addresses)
	m.up(ctx)
}

// putCounters rewrites the list of wallets so that the worker reaches them, and
// the daemons, through the counters.
func (m *exchange) putCounters() {
	list := fixture.Must(config.LoadExchangeWallets(m.Stack.ExchangeWalletsFile()))
	daemon := m.URLs["MONEROD_RPC_URL"]
	m.count("daemon", &daemon)
	for i := range list {
		if w := list[i].Monero; w != nil {
			m.count("spending wallet", &w.SpendURL)
		}
		if d := list[i].Daemon; d != nil {
			m.count(list[i].Ticker, &d.URL)
		}
	}
	m.env["MONEROD_RPC_URL"] = daemon
	m.wallets = list
	m.writeWallets(true)
}

// writeWallets writes the list that the worker's next start reads, with the daemons'
// publishers or without.
func (m *exchange) writeWallets(subscribed bool) {
	list, name := slices.Clone(m.wallets), "counted-exchange-wallets.json"
	delete(m.env, "MONEROD_ZMQ_ADDRESS")
	if !subscribed {
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
	b := fixture.Must(json.Marshal(list))
	m.env["EXCHANGE_WALLETS_FILE"] = filepath.Join(m.Stack.Dir(), "secrets", name)
	fixture.Do(os.WriteFile(m.env["EXCHANGE_WALLETS_FILE"], b, 0o600))
}

// listen restarts the worker, with the daemons' publishers or without.
func (m *exchange) listen(ctx context.Context, subscribed bool) {
	m.writeWallets(subscribed)
	m.up(ctx)
	m.watched(ctx, exchangeScanned)
}

// exchangeScanned is when the wallet was looked at that was not looked at for longest.
const exchangeScanned = "SELECT min(COALESCE(c.scanned_at, 'epoch')) FROM wallets w JOIN chains c ON c.id = w.chain_id WHERE w.role = 'exchange'"

// readyAddresses are the deposit addresses that may be handed out, by wallet: the
// lease reaches them.
const readyAddresses = `SELECT w.id, w.ticker, count(a.address) AS free FROM wallets w
	LEFT JOIN witnesses l ON l.wallet_id = w.id
	LEFT JOIN addresses a ON a.wallet_id = w.id AND a.subaddress_index > GREATEST(l.lease_from, l.handed_out) AND a.subaddress_index <= l.lease_to
	WHERE w.role = 'exchange' GROUP BY w.id, w.ticker`

func (m *exchange) untilReady(ctx context.Context, query string, addresses int) {
	fixture.Wait(ctx, "the address pools are full", func() bool { return value[int](ctx, m.testbed, query) >= addresses })
}

// beyondLease is more than a lease reaches beyond the addresses that a watcher made.
const beyondLease = 64

// addLitecoin adds Litecoin addresses of the exchange's wallet, as its watcher
// would a few a second. The watcher moves the lease beyond them once it wants more
// addresses than the lease reaches.
func (m *exchange) addLitecoin(ctx context.Context, watched, addresses int) {
	begun := time.Now()
	wallet := fixture.Must(utxo.New(utxo.Endpoint{URL: m.Stack.LitecoinURL("exchange")}, utxo.Options{}))
	defer wallet.Close()
	fixture.Do(repeat(ctx, 4, int64(addresses), func(ctx context.Context, _ int64) error {
		address, err := wallet.NewAddress(ctx)
		if err != nil {
			return err
		}
		path, err := wallet.KeyPath(ctx, address)
		if err != nil {
			return err
		}
		_, err = m.db.Exec(ctx, `INSERT INTO addresses (wallet_id, address, subaddress_index)
			SELECT id, $1, substring($2::text FROM '([0-9]+)[''h]?$')::integer FROM wallets WHERE ticker = 'ltc'`, address, path)
		return err
	}))
	m.keepReady(ctx, watched+beyondLease)
	m.untilReady(ctx, `SELECT min(free) FROM (`+readyAddresses+`) pools WHERE ticker = 'ltc'`, addresses)
	fixture.Reportf("%s deposit addresses were made in %s", thousands(addresses), time.Since(begun).Round(time.Second))
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

// order makes a trade that is not paid.
func (m *exchange) order(ctx context.Context, _ int64) error {
	_, err := m.trade(ctx, fixture.Litecoin, "")
	return err
}
