//go:build linux

package main

import (
	"context"
	"fmt"
	"net"
	"strings"

	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/utxo"
)

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
