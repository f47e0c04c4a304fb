package main

import (
	"time"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/nodes"
)

// askMerchantNodes adds the daemons and wallets of merchants to what the worker asks.
func (b *base) askMerchantNodes(wallets merchantWallets) {
	for id, w := range wallets {
		b.nodes = append(b.nodes, nodes.Node{
			WalletID: id, Tip: nodes.MoneroTip(w.Daemon), Balance: nodes.MoneroBalance(w.Spend),
			Quiet: b.quiet(w.mode, w.Deriver.Primary().Network),
		})
	}
}

// quiet returns the age from which a block is old; 0 on a private chain.
func (b *base) quiet(mode config.Mode, network monero.Network) time.Duration {
	if b.netType(mode, network) == monero.Fakechain {
		return 0
	}
	return nodes.Quiet
}

// askExchangeNodes adds the daemons of the exchange's wallets.
func (b *base) askExchangeNodes(wallets []exchangeWallet) {
	quiet := nodes.Quiet
	if b.cfg.ExchangeRegtest || b.cfg.MonerodRegtest {
		quiet = 0
	}
	for _, w := range wallets {
		b.nodes = append(b.nodes, nodes.Node{WalletID: w.id, Tip: w.tip, Quiet: quiet})
	}
}

// observer asks those daemons and stores their answers.
func (b *base) observer() *nodes.Observer {
	return &nodes.Observer{Store: b.store, Nodes: b.nodes, Newest: b.metrics.NewestBlock, Clock: clock, Log: b.log}
}
