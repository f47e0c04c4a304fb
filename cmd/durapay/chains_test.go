package main

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/testkit"
)

// maxChainWait is the maximum time for any expected result on a busy machine.
const maxChainWait = 8 * time.Minute

// daemonAt is the address of a daemon that can be replaced by another.
type daemonAt struct {
	url    string
	target atomic.Pointer[url.URL]
}

func newDaemonAt(t *testing.T, address string) *daemonAt {
	t.Helper()
	d := &daemonAt{}
	d.become(address)
	server := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(d.target.Load()) }})
	t.Cleanup(server.Close)
	d.url = server.URL
	return d
}

func (d *daemonAt) become(address string) { d.target.Store(&url.URL{Scheme: "http", Host: address}) }

// service is a worker and a merchant API on real chains.
type service struct {
	stack         *stack.Stack
	live, sandbox *daemonAt
	store         *postgres.Store
	env           []string
	url           string
	running       []*exec.Cmd
}

func openService(t *testing.T) *service {
	t.Helper()
	s := stack.ForTest(t, stack.Options{Env: map[string]string{"DEV_BLOCK_SECONDS": "0"}, Parts: append(
		stack.SandboxParts(), "wallet-spend", "wallet-sandbox-spend", "wallet-customer")})
	keys, database := t.TempDir(), pgtest.NewURL(t)
	require.NoError(t, (&keygenCmd{Dir: keys}).Run())
	address, namespace := stack.TemporalAt(t)
	c := &service{stack: s, live: newDaemonAt(t, s.Addr("monerod")), sandbox: newDaemonAt(t, s.Addr("monerod-sandbox"))}
	listen := local(t)
	c.url = "http://" + listen
	c.env = append(os.Environ(), asCommand+"=1", "DATABASE_URL="+database, "KEYS_DIR="+keys,
		"TEMPORAL_ADDRESS="+address, "TEMPORAL_NAMESPACE="+namespace, "PUBLIC_URL="+c.url, "MERCHANT_LISTEN="+listen,
		"PRICE_SOURCES=static", "PRICE_STATIC_USD=150", "PRICE_STATIC_EUR=140", "CONFIRMATIONS_REQUIRED=1", "ADDRESS_POOL_TARGET=5",
		"RATE_LIMITS=off", "EMAIL_VERIFICATION=off", "SIGNUP=open", "SANDBOX_CHAIN=wallet",
		"MONEROD_REGTEST=true", "MONEROD_RPC_URL="+c.live.url, "SANDBOX_MONEROD_RPC_URL="+c.sandbox.url)
	var err error
	c.store, err = postgres.Open(t.Context(), database, 2, postgres.Working)
	require.NoError(t, err)
	t.Cleanup(c.store.Close)
	t.Cleanup(c.end)
	return c
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), maxChainWait)
	t.Cleanup(cancel)
	return ctx
}

func local(t *testing.T) string {
	t.Helper()
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(testkit.Port(t)))
}

func (c *service) secret(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(c.stack.Dir(), "secrets", name))
	require.NoError(t, err)
	return strings.TrimSpace(string(b))
}

func (c *service) entry(t *testing.T, mode config.Mode, spend string) config.WalletEntry {
	t.Helper()
	return config.WalletEntry{
		ID: string(mode), Mode: mode, MoneroWallet: config.MoneroWallet{
			PrimaryAddress: c.secret(t, string(mode)+"-address"), ViewKeyFile: filepath.Join(c.stack.Dir(), "secrets", string(mode)+"-view-key"),
			SpendURL: "http://" + c.stack.Addr(spend),
		},
	}
}

// begin runs the services with these wallets until end, and waits until all are ready.
func (c *service) begin(t *testing.T, wallets ...config.WalletEntry) {
	t.Helper()
	b, err := json.Marshal(wallets)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "wallets.json")
	require.NoError(t, os.WriteFile(file, b, 0o600))
	for _, name := range []string{"worker", "merchant-api"} {
		cmd := exec.CommandContext(context.Background(), os.Args[0], name)
		cmd.Env = slices.Concat(c.env, []string{"WALLETS_FILE=" + file, "INTERNAL_LISTEN=" + local(t)})
		cmd.Stderr = t.Output()
		require.NoError(t, cmd.Start())
		c.running = append(c.running, cmd)
	}
	c.await(t, "both chains are ready", func() bool { return c.parts(t) == "ok ok" })
}

func (c *service) end() {
	for _, cmd := range c.running {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	c.running = nil
}

func (c *service) await(t *testing.T, what string, is func() bool) {
	t.Helper()
	require.Eventually(t, is, maxChainWait, 200*time.Millisecond, what)
}

// parts returns the states of the live and sandbox wallets in /readyz.
func (c *service) parts(t *testing.T) string {
	t.Helper()
	_, body, err := get(t, c.url+"/readyz")
	var answer struct {
		Parts map[string]string `json:"parts"`
	}
	if err != nil || json.Unmarshal(body, &answer) != nil {
		return "it does not answer"
	}
	return answer.Parts["wallet"] + " " + answer.Parts["sandbox"]
}

// heights returns the heights up to which the wallets were scanned.
func (c *service) heights(t *testing.T, ids ...string) []uint64 {
	t.Helper()
	var list []uint64
	for _, id := range ids {
		row, err := c.store.ChainOfWallet(t.Context(), id)
		require.NoError(t, err)
		list = append(list, uint64(row.ChainHeight))
	}
	return list
}

// openAlerts returns the number of wallets whose daemon is on another network.
func (c *service) openAlerts(t *testing.T, ids ...string) (open int) {
	t.Helper()
	for _, id := range ids {
		is, err := c.store.HasAlert(t.Context(), db.HasAlertParams{Kind: alert.WrongChain, Subject: id})
		require.NoError(t, err)
		if is {
			open++
		}
	}
	return open
}

// TestTheSandboxHasAChainOfItsOwn runs the services with one chain for live money and another
// for the sandbox: first a second private chain, on which charges are paid, then the chain of
// a daemon on stagenet.
func TestTheSandboxHasAChainOfItsOwn(t *testing.T) {
	t.Parallel()
	c := openService(t)
	live := c.entry(t, config.Live, "wallet-spend")
	c.begin(t, live, c.entry(t, config.Sandbox, "wallet-sandbox-spend"))
	account, shop, err := clients.SignUp(within(t), c.url, "owner@shop.example", "correct horse battery", "Shop")
	require.NoError(t, err)
	test := shop.WithKey(account.APIKeys.Sandbox)
	c.payOnEither(t, shop, test)
	c.end()

	address, _, err := c.stack.StagenetKeys(within(t))
	require.NoError(t, err)
	stagenet := c.entry(t, config.Sandbox, "wallet-stagenet")
	stagenet.ID, stagenet.PrimaryAddress = "stagenet", address
	c.sandbox.become(c.stack.Addr("monerod-stagenet"))
	c.begin(t, live, stagenet)
	c.giveAddresses(t, shop, test)
	c.refuseExchanged(t, shop, test)
}

var someXMR = clients.NewCharge{Amount: money.MustDecimal("0.01"), Currency: "XMR"}

// payOnEither pays, on each chain, a charge of each mode. A payment counts only on the chain
// of its mode.
func (c *service) payOnEither(t *testing.T, shop, test *clients.Merchant) {
	t.Helper()
	ctx := within(t)
	modes := []struct {
		wallet string
		client *clients.Merchant
		chain  string
		payer  string
	}{{"live", shop, "monerod", "wallet-customer"}, {"sandbox", test, "monerod-sandbox", "wallet-sandbox-customer"}}
	var tips []uint64
	for i, own := range modes {
		other := modes[1-i]
		customer := fixture.NewCustomer("http://" + c.stack.Addr(own.payer))
		reward, err := customer.Address(ctx)
		require.NoError(t, err)
		chain := fixture.NewChain("http://"+c.stack.Addr(own.chain), reward)
		paid, err := own.client.CreateCharge(ctx, someXMR)
		require.NoError(t, err)
		untouched, err := other.client.CreateCharge(ctx, someXMR)
		require.NoError(t, err)
		sent, err := customer.Pay(ctx, fixture.Output{Address: paid.Subaddress, Amount: paid.AmountXMR},
			fixture.Output{Address: untouched.Subaddress, Amount: untouched.AmountXMR})
		require.NoError(t, err)
		require.NoError(t, chain.MineInto(ctx, sent.Hash))
		require.NoError(t, chain.Mine(ctx, 1))
		c.await(t, own.wallet+" is confirmed", func() bool {
			now, err := own.client.Charge(ctx, paid.ID)
			return err == nil && now.Status == "confirmed"
		})
		now, err := other.client.Charge(ctx, untouched.ID)
		require.NoError(t, err)
		require.Equal(t, "unpaid", now.PaymentState, "it was paid on the other chain")
		height, err := chain.Height(ctx)
		require.NoError(t, err)
		tips = append(tips, height)
		if i > 0 && height == tips[0] { // the chains have different lengths
			require.NoError(t, chain.Mine(ctx, 1))
			tips[i], err = chain.Height(ctx)
			require.NoError(t, err)
		}
	}
	require.NotEqual(t, tips[0], tips[1])
	c.await(t, "each wallet is at the end of its own chain", func() bool {
		now := c.heights(t, "live", "sandbox")
		return now[0] == tips[0]-1 && now[1] == tips[1]-1 || now[0] == tips[0] && now[1] == tips[1]
	})
}

// giveAddresses requires a new address of each network. The merchant's own sandbox wallet is
// no longer configured.
func (c *service) giveAddresses(t *testing.T, shop, test *clients.Merchant) {
	t.Helper()
	for client, network := range map[*clients.Merchant]monero.Network{shop: monero.Mainnet, test: monero.Stagenet} {
		made, err := client.CreateCharge(within(t), someXMR)
		require.NoError(t, err)
		address, err := monero.ParseAddress(made.Subaddress)
		require.NoError(t, err)
		require.Equal(t, network, address.Network, made.Subaddress)
		status, page, err := get(t, made.PaymentURL)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, status)
		require.Contains(t, string(page), made.Subaddress)
		require.Equal(t, network == monero.Stagenet, strings.Contains(string(page), "Do not send real money"))
	}
	require.LessOrEqual(t, c.heights(t, "stagenet")[0], uint64(1), "the chain of a daemon that hears of nobody")
}

// refuseExchanged swaps the two daemons, and then swaps them back.
func (c *service) refuseExchanged(t *testing.T, shop, test *clients.Merchant) {
	t.Helper()
	c.live.become(c.stack.Addr("monerod-stagenet"))
	c.sandbox.become(c.stack.Addr("monerod"))
	c.await(t, "neither is ready", func() bool { return c.parts(t) == "failing failing" && c.openAlerts(t, "live", "stagenet") == 2 })
	for _, client := range []*clients.Merchant{shop, test} {
		_, err := client.CreateCharge(within(t), someXMR)
		require.ErrorContains(t, err, "no receiving address is ready")
	}
	before := c.heights(t, "live", "stagenet")
	c.live.become(c.stack.Addr("monerod"))
	c.sandbox.become(c.stack.Addr("monerod-stagenet"))
	c.await(t, "both chains are ready again", func() bool { return c.parts(t) == "ok ok" && c.openAlerts(t, "live", "stagenet") == 0 })
	require.Equal(t, before, c.heights(t, "live", "stagenet"), "nothing was scanned of another chain")
	c.giveAddresses(t, shop, test)
}

// get sends one request.
func get(t *testing.T, address string) (status int, body []byte, err error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err = io.ReadAll(res.Body)
	return res.StatusCode, body, err
}
