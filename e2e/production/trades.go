//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/utxo"
)

// exchange starts it as docs/operations.md says: its wallets, the one of
// Litecoin made by hand, money on them, and then its services.
func (d *day) exchange(ctx context.Context) {
	d.site.compose(ctx, "--profile", "exchange", "up", "-d", "--wait", "wallet-exchange-spend", "litecoind")
	// The peer's daemon.
	fixture.Must(d.engine.docker(ctx, "run", "--detach", "--name", litecoinPeer, "--network", "durapay_p2p", "--tmpfs", "/peer:mode=1777",
		"--env", "HOME=/peer", "--entrypoint", "litecoind", "durapay-litecoin:0.21",
		"-regtest", "-datadir=/peer", "-server=0", "-upnp=0", "-maxtipage=315360000", "-bind=0.0.0.0:"+litecoinPeerPort))
	fixture.Sayf("litecoin-wallet says: %s", d.site.compose(ctx, "run", "--rm", "litecoin-wallet"))
	daemon := d.chains.reach(ctx, d.site.nameOf("monerod"), "127.0.0.1:18081")
	fixture.Do(errors.Join(stack.Mine(ctx, "http://"+daemon, d.site.read("secrets/exchange-address"), rewards), d.chains.Chain.Mine(ctx, coinbaseLock)))
	d.chains.openLitecoin(ctx)
	list := fixture.Must(os.ReadFile(filepath.Join(d.root, "deploy/dev/sanctions.xml")))
	d.give("exchange-providers/sanctions.xml", list)
	d.set(".env", "COMPOSE_PROFILES=edge,exchange", "EXCHANGE_WALLETS_FILE=/etc/durapay/exchange-wallets.json", "SWAP_PUBLIC_URL=https://swap.example.com")
	d.set("durapay.env", "EXCHANGE_REGTEST=true", "EXCHANGE_PAIRS=xmr:Mainnet>ltc:Mainnet=0.05:20:1,ltc:Mainnet>xmr:Mainnet=0.05:20:1",
		"COIN_PRICE_SOURCES=static", "COIN_PRICES_STATIC=xmr=150,ltc=75", "OFAC_SDN_FILE=/own/exchange-providers/sanctions.xml")
	d.start(ctx)
}

func (d *day) tradeToLitecoin(ctx context.Context) {
	d.tradeCoins(ctx, fixture.Monero, fixture.Litecoin, "0.5")
}

func (d *day) tradeToMonero(ctx context.Context) {
	d.tradeCoins(ctx, fixture.Litecoin, fixture.Monero, "1")
}

// settled is how many blocks a transaction of a coin needs here.
func settled(coin string) int {
	return map[string]int{fixture.Monero: fixture.UnlockBlocks + 1, fixture.Litecoin: 3}[coin]
}

func (d *day) tradeCoins(ctx context.Context, from, to, amount string) {
	payee := fixture.Must(d.chains.NewPayee(ctx, to))
	refund := fixture.Must(d.chains.NewPayee(ctx, from))
	trade := d.trade(ctx, clients.Order{
		Pair: clients.Pair{From: from, To: to}, Amount: money.MustDecimal(amount), Address: payee.Address, Refund: refund.Address,
	})
	sent := fixture.Must(d.chains.Pay(ctx, from, trade.Deposit, money.MustDecimal(amount)))
	fixture.Do(d.chains.Bury(ctx, from, sent, settled(from)))
	trade = d.becomes(ctx, trade.ID, "sending")
	fixture.Do(d.chains.Bury(ctx, to, *trade.Payout, settled(to)))
	trade = d.becomes(ctx, trade.ID, "completed")
	got := fixture.Must(d.chains.Arrivals(ctx)).To(payee)
	fixture.Requiref(len(got) == 1, "%d transactions paid, not one", len(got))
	fixture.Sayf("%s %s arrived", got[*trade.Payout], to)
	want := fixture.Must(money.ParseDecimal(trade.AmountTo))
	fixture.Requiref(got[*trade.Payout].Cmp(want) == 0, "the trade says %s in %s", trade.AmountTo, *trade.Payout)
}

func (d *day) trade(ctx context.Context, o clients.Order) clients.Trade {
	var refused error
	err := fixture.Try(func() {
		until(ctx, "the exchange quotes", func() bool {
			_, refused = d.partner().Quote(ctx, o.Pair, o.Amount)
			return refused == nil
		})
	})
	fixture.Do(errors.Join(err, refused))
	made := fixture.Must(d.partner().Trade(ctx, o))
	fixture.Sayf("trade %s: %s %s to %s", made.ID, o.Amount, o.From, made.Deposit)
	return made
}

// partner calls the exchange without a key, as anyone may.
func (d *day) partner() clients.Partner { return clients.Partner{URL: d.swap} }

func (d *day) becomes(ctx context.Context, id, status string) clients.Trade {
	var now clients.Trade
	err := fixture.Try(func() {
		until(ctx, "the trade is "+status, func() bool {
			now = fixture.Must(d.partner().Find(ctx, id))
			return now.Status == status && (status == "completed" || now.Payout != nil)
		})
	})
	if err != nil {
		fixture.Failf("%w: it is %s (%s)", err, now.Status, now.Detail)
	}
	fixture.Sayf("the trade is %s", status)
	return now
}

const (
	// coinbaseLock is the age in blocks at which a reward can be spent.
	coinbaseLock = 60
	// rewards are how many blocks are mined to each payer: each is an output, and one
	// output makes one payment in ten blocks.
	rewards = 60
	// litecoinMaturity is what coinbaseLock is for Litecoin, whose daemon makes no
	// block beyond the 431st before money was sent into extension blocks.
	litecoinMaturity = 100
	litecoinRewards  = 25
	// customerWallet is the container of the customer's wallet.
	customerWallet = "durapay-customer"
	// litecoinPeer is the container of Litecoin's network: a killed daemon gets its
	// last blocks from its peers alone.
	litecoinPeer     = "durapay-litecoin-peer"
	litecoinPeerPort = "19444"
)

// chains are the private chains of the installation's daemons and who pays on
// them. Nothing of it is published: tunnels lead into the containers.
type chains struct {
	fixture.Fixture

	day *day
}

// reach opens a tunnel to an address inside of a container.
func (c *chains) reach(ctx context.Context, containerName, address string) string {
	return c.day.tunnel(ctx, "127.0.0.1:0", c.day.engine.inside(containerName, address))
}

// nameOf is the container of a service of which there is one.
func (s *site) nameOf(service string) string { return "durapay-" + service + "-1" }

// openMonero finds the daemon and gives the customer a wallet with money.
func (c *chains) openMonero(ctx context.Context) {
	daemon := c.reach(ctx, c.day.site.nameOf("monerod"), "127.0.0.1:18081")
	fixture.Must(c.day.engine.docker(ctx, "run", "--detach", "--name", customerWallet, "--network", "durapay_monero",
		"--tmpfs", "/wallet:mode=1777", "durapay-monero:"+moneroVersion, "monero-wallet-rpc", "--wallet-dir", "/wallet",
		"--rpc-bind-ip", "127.0.0.1", "--rpc-bind-port", "18083", "--disable-rpc-login", "--rpc-ssl", "disabled", "--disable-rpc-ban",
		"--daemon-address", "monerod:18089", "--daemon-ssl", "disabled", "--trusted-daemon", "--no-dns", "--non-interactive",
		"--shared-ringdb-dir", "/wallet/ringdb", "--log-file", "/dev/null", "--allow-mismatched-daemon-version"))
	wallet := c.reach(ctx, customerWallet, "127.0.0.1:18083")
	until(ctx, "the customer has a wallet", func() bool {
		_, err := c.day.engine.run(ctx, c.day.site.dir, "curl", "-fsS", "http://"+wallet+"/json_rpc", "-d",
			`{"jsonrpc":"2.0","id":"0","method":"create_wallet","params":{"filename":"customer","language":"English"}}`)
		return err == nil
	})
	c.Customer = fixture.NewCustomer("http://" + wallet)
	c.Chain = fixture.NewChain("http://"+daemon, fixture.Must(c.Customer.Address(ctx)))
	fixture.Do(c.Chain.Mine(ctx, rewards+coinbaseLock))
}

// openLitecoin gives the exchange's wallet and a customer's money.
func (c *chains) openLitecoin(ctx context.Context) {
	at := c.reach(ctx, c.day.site.nameOf("litecoind"), "127.0.0.1:9332")
	login := c.day.site.read("secrets/litecoin-login")
	passphrase := c.day.site.read("secrets/litecoin-passphrase")
	exchange := fixture.Must(utxo.New(utxo.Endpoint{URL: "http://" + at, Login: login, Wallet: "exchange", Passphrase: passphrase}, utxo.Options{}))
	defer exchange.Close()
	customer := fixture.Must(utxo.New(utxo.Endpoint{URL: "http://" + at, Login: login, Wallet: "customer"}, utxo.Options{}))
	defer customer.Close()
	fixture.Do(customer.EnsureWallet(ctx, "customer"))
	for _, wallet := range []*utxo.Client{exchange, customer} {
		address := fixture.Must(wallet.NewAddress(ctx))
		fixture.Must(wallet.Generate(ctx, address, litecoinRewards))
	}
	user, password, _ := strings.Cut(login, ":")
	c.Coins = fixture.Must(fixture.NewLitecoinChain(ctx, fmt.Sprintf("http://%s:%s@%s/wallet/customer", user, password, at)))
	fixture.Do(c.Coins.Mine(ctx, litecoinMaturity))
}

// gateway is the address of this machine on a network of the installation.
func (s *site) gateway(ctx context.Context, network string) string {
	out, err := s.engine.docker(ctx, "network", "inspect", "--format", "{{(index .IPAM.Config 0).Gateway}}", "durapay_"+network)
	if err == nil && net.ParseIP(out) == nil {
		err = fmt.Errorf("the network %s has the gateway %q", network, out)
	}
	fixture.Do(err)
	return out
}
