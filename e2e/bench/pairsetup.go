package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/e2e/regtest"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/utxo"
)

// pairSetup is a running stack with the exchange, and what stands around it.
type pairSetup struct {
	*fixture

	ltc *regtest.Litecoin
	// wallets are the exchange's, as the worker reaches them.
	wallets []config.ExchangeWallet
	// key is a partner's.
	key string
	// payeeXMR and payeeLTC are addresses of the customer.
	payeeXMR, payeeLTC string
	// opened is how many trades wait for a deposit.
	opened int64
}

// Trades are small, so that the exchange's wallets carry thousands of them.
const (
	tradeLTC = "0.1"
	tradeXMR = "0.05"
	pairs    = "xmr:Mainnet>ltc:Mainnet=0.01:20:0.01,ltc:Mainnet>xmr:Mainnet=0.01:20:0.01"
)

// openPair starts a stack in a directory, with counters in front of the
// exchange's wallets and daemons. Its watchers make so many deposit addresses for
// each coin, and there are more of Litecoin. Whatever was started is in the market, so that it can be stopped after an
// error too.
func openPair(ctx context.Context, dir string, watched, litecoin int) (*pairSetup, error) {
	w := &fixture{env: settings(), http: &http.Client{
		Timeout: 2 * time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 64},
	}}
	m := &pairSetup{fixture: w}
	var err error
	maps.Copy(w.env, map[string]string{
		"EXCHANGE_PAIRS": pairs, "EXCHANGE_UNFUNDED_PERCENT": "100",
		"EXCHANGE_ADDRESS_POOL": strconv.Itoa(watched), "DEPOSIT_WINDOW_SECONDS": "36000",
	})
	w.stack, err = stack.Open(stack.Options{Dir: dir, Env: w.env, Parts: []string{"swap-api", "wallet-customer"}, Private: true})
	if err != nil {
		return m, err
	}
	progressf("starting the stack of the exchange in %s", dir)
	if err := w.up(ctx); err != nil {
		return m, err
	}
	w.urls = w.stack.Env()
	if err := m.connect(ctx); err != nil {
		return m, err
	}
	return m, m.prepare(ctx, watched, litecoin)
}

func (m *pairSetup) connect(ctx context.Context) error {
	var err error
	if m.inbox, err = startSafeInbox(m.stack.ReceiverCertificate()); err != nil {
		return err
	}
	m.customer = regtest.NewCustomer(m.urls["CUSTOMER_WALLET_RPC_URL"])
	if m.payeeXMR, err = m.customer.Address(ctx); err != nil {
		return err
	}
	m.chain = regtest.NewChain(m.urls["MONEROD_RPC_URL"], m.payeeXMR)
	m.payer = m.newPayer()
	if m.ltc, err = regtest.NewLitecoin(ctx, m.urls["LITECOIN_RPC_URL"]); err != nil {
		return err
	}
	if m.payeeLTC, err = m.ltc.Address(ctx); err != nil {
		return err
	}
	m.db, err = pgxpool.New(ctx, m.urls["DATABASE_URL"])
	return err
}

// prepare puts the counters up, fills the pools and has no address made
// afterwards, so that the wallets do nothing else while something is measured.
func (m *pairSetup) prepare(ctx context.Context, watched, litecoin int) error {
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
	return m.makeKey(ctx)
}

// keepReady has the watchers keep so many deposit addresses ready from now on.
func (m *pairSetup) keepReady(ctx context.Context, addresses int) error {
	m.env["EXCHANGE_ADDRESS_POOL"] = strconv.Itoa(addresses)
	return m.up(ctx)
}

// putCounters rewrites the list of wallets so that the worker reaches them, and
// the daemons, through the counters.
func (m *pairSetup) putCounters() error {
	list, err := config.LoadExchangeWallets(m.stack.ExchangeWalletsFile())
	if err != nil {
		return err
	}
	daemon := m.urls["MONEROD_RPC_URL"]
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
func (m *pairSetup) writeWallets(heard bool) error {
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
	m.env["EXCHANGE_WALLETS_FILE"] = filepath.Join(m.stack.Dir(), "secrets", name)
	return os.WriteFile(m.env["EXCHANGE_WALLETS_FILE"], b, 0o600)
}

// listen starts the worker anew, with the daemons' publishers or without.
func (m *pairSetup) listen(ctx context.Context, heard bool) error {
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

// readyAddresses are the deposit addresses that may be handed out, by wallet: those
// that the lease reaches.
const readyAddresses = `SELECT w.id, w.ticker, count(a.address) AS free FROM exchange_wallets w
	LEFT JOIN witnesses l ON l.wallet_id = w.id
	LEFT JOIN exchange_addresses a ON a.wallet_id = w.id AND a.trade_id IS NULL AND a.number > l.lease_from AND a.number <= l.lease_to
	GROUP BY w.id, w.ticker`

// fillPools waits for the watchers' addresses.
func (m *pairSetup) fillPools(ctx context.Context, watched int) error {
	return m.untilReady(ctx, `SELECT min(free) FROM (`+readyAddresses+`) pools`, watched)
}

// untilReady waits until a query counts so many addresses.
func (m *pairSetup) untilReady(ctx context.Context, query string, addresses int) error {
	for ready := 0; ready < addresses; {
		if err := m.db.QueryRow(ctx, query).Scan(&ready); err != nil {
			return fmt.Errorf("address pools: %w", err)
		}
		if err := pause(ctx, 200*time.Millisecond); err != nil {
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
func (m *pairSetup) addLitecoin(ctx context.Context, watched, addresses int) error {
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
	progressf("%s deposit addresses were made in %s", thousands(addresses), time.Since(begun).Round(time.Second))
	return err
}

// exchangeLitecoin is the exchange's own wallet.
func (m *pairSetup) exchangeLitecoin() (*utxo.Client, error) {
	at, err := m.stack.LitecoinURL("exchange")
	if err != nil {
		return nil, err
	}
	return utxo.New(utxo.Endpoint{URL: at}, utxo.Options{})
}

// makeKey issues a partner's key as an operator does.
func (m *pairSetup) makeKey(ctx context.Context) error {
	out, err := m.stack.Durapay(ctx, "admin", "swap-key", "create", "--class", "partner")
	if err != nil {
		return fmt.Errorf("partner's key: %w", err)
	}
	var made struct {
		Key string `json:"key"`
	}
	if err := json.Unmarshal(out, &made); err != nil || made.Key == "" {
		return fmt.Errorf("partner's key: %w", errors.Join(err, errors.New("there is none")))
	}
	m.key = made.Key
	return nil
}

// service is the program and the environment of a running service.
func (w *fixture) service(pid string) (program string, environ []string, err error) {
	proc := "/proc/" + w.stack.Env()[pid]
	if program, err = os.Readlink(proc + "/exe"); err != nil {
		return "", nil, fmt.Errorf("service: %w", err)
	}
	b, err := os.ReadFile(proc + "/environ")
	if err != nil {
		return "", nil, fmt.Errorf("service: %w", err)
	}
	return program, strings.Split(string(bytes.TrimRight(b, "\x00")), "\x00"), nil
}

// asked are the parameters of a swap of Litecoin for Monero, or the other way
// round.
func asked(from string) url.Values {
	to, amount := "xmr", tradeLTC
	if from == "xmr" {
		to, amount = "ltc", tradeXMR
	}
	return url.Values{
		"ticker_from": {from}, "network_from": {"Mainnet"}, "ticker_to": {to}, "network_to": {"Mainnet"}, "amount_from": {amount},
	}
}

// rate asks for a quote as cheaply as a client can.
func (m *pairSetup) rate(query string) work {
	return func(ctx context.Context, _ int64) error {
		return m.get(ctx, m.urls["SWAP_URL"]+"/api/v1/new_rate?"+query, "")
	}
}

// made is what the bench needs of a trade.
type made struct {
	ID      string `json:"trade_id"`
	Deposit string `json:"address_provider"`
}

// trade makes one; events go to the inbox where hook is not empty.
func (m *pairSetup) trade(ctx context.Context, from, hook string) (made, error) {
	query := asked(from)
	query.Set("address", m.payeeXMR)
	query.Set("refund", m.payeeLTC)
	if from == "xmr" {
		query.Set("address", m.payeeLTC)
		query.Set("refund", m.payeeXMR)
	}
	if hook != "" {
		query.Set("webhook_url", m.inbox.url+hook)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, m.urls["SWAP_URL"]+"/api/v1/new_trade?"+query.Encode(), http.NoBody)
	if err != nil {
		return made{}, err
	}
	req.Header.Set("Idempotency-Key", secret.NewTradeID())
	if hook != "" {
		req.Header.Set("API-Key", m.key)
	}
	resp, err := m.http.Do(req)
	if err != nil {
		return made{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusCreated {
		err = fmt.Errorf("new_trade: status %d: %s", resp.StatusCode, body)
	}
	var t made
	return t, errors.Join(err, json.Unmarshal(body, &t))
}

// open makes a trade that nobody pays for.
func (m *pairSetup) open(ctx context.Context, _ int64) error {
	_, err := m.trade(ctx, "ltc", "")
	return err
}

// gatherClients open trades side by side.
const gatherClients = 16

// openUntil makes trades until so many wait for a deposit.
func (m *pairSetup) openUntil(ctx context.Context, want int64) error {
	missing := want - m.opened
	if missing <= 0 {
		return nil
	}
	progressf("opening %s trades", thousands(int(missing)))
	begun := time.Now()
	err := repeat(ctx, gatherClients, missing, m.open)
	m.opened += missing
	progressf("%s trades were opened in %s", thousands(int(missing)), time.Since(begun).Round(time.Second))
	return err
}
