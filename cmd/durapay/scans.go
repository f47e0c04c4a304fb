package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/chain/xmrwallet"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/monero/scan"
	"github.com/durapay/durapay/internal/watch"
	"github.com/durapay/durapay/worker"
)

// liveChainID is the ID of the chain of live Monero.
const liveChainID = "xmr-Mainnet"

// merchantChainID returns the ID of the chain of a merchants' wallet in every table. A
// sandbox wallet with an address of the main network is on a private chain, if the sandbox
// has a daemon of its own.
func (b *base) merchantChainID(mode config.Mode, network monero.Network) string {
	switch {
	case network == monero.Stagenet:
		return "xmr-Stagenet"
	case network == monero.Testnet:
		return "xmr-Testnet"
	case mode == config.Sandbox && b.cfg.SandboxMonerodURL != "":
		return "xmr-Regtest"
	default:
		return liveChainID
	}
}

// exchangeChainID returns the ID of the chain of a coin.
func exchangeChainID(c coin.Coin) string { return c.Ticker + "-" + c.Network }

// scannedWallet is a wallet whose payments the scan of its chain finds.
type scannedWallet struct {
	id, chainID string
	// publisher is the publisher of the chain's daemon.
	publisher watch.Publisher
	// daemon and view find payments to a wallet of Monero; view is nil for other coins, whose
	// daemons find the payments.
	daemon *monero.Daemon
	view   *monero.Deriver
	// inventory is the wallet itself at the exchange, nil for a wallet of merchants.
	inventory chain.Wallet
}

// scanChains adds the chains of all wallets to the worker, in the order of the chains' IDs.
// The daemon of a chain's first wallet scans it: merchants' wallets come first.
func (b *base) scanChains(deps *worker.Deps) error {
	of := map[string][]scannedWallet{}
	for _, w := range b.scanned {
		of[w.chainID] = append(of[w.chainID], w)
	}
	for id, wallets := range of {
		slices.SortStableFunc(wallets, func(x, y scannedWallet) int {
			if (x.inventory == nil) != (y.inventory == nil) {
				return map[bool]int{true: -1, false: 1}[x.inventory == nil]
			}
			return cmp.Compare(x.id, y.id)
		})
		c := incoming.Chain{Inventories: map[string]chain.Wallet{}}
		for _, w := range wallets {
			c.WalletIDs = append(c.WalletIDs, w.id)
			if w.inventory == nil {
				c.Merchants = append(c.Merchants, w.id)
			} else {
				c.Inventories[w.id] = w.inventory
			}
		}
		switch {
		case wallets[0].view != nil:
			c.Receiver = b.moneroReceiver(id, wallets, deps.Pool.Own)
		case len(wallets) == 1:
			c.Receiver = wallets[0].inventory
		default:
			return fmt.Errorf("chain %s has wallets %v: a daemon that keeps the wallet has one", id, c.WalletIDs)
		}
		deps.Watch.Chains[id] = c
		deps.Watch.Rhythms[id] = b.rhythm(id, wallets[0].publisher)
		deps.ChainIDs = append(deps.ChainIDs, id)
	}
	slices.Sort(deps.ChainIDs)
	return nil
}

// moneroReceiver returns the receiver of a chain of Monero. At the exchange's wallets, change
// comes to the primary address. Shops' own wallets are on the live chain.
func (b *base) moneroReceiver(chainID string, wallets []scannedWallet, own xmrwallet.OwnWallets) chain.Receiver {
	var keys xmrwallet.Keys
	for _, w := range wallets {
		keys.Configured = append(keys.Configured, xmrwallet.Configured{
			Wallet: scan.Wallet{ID: w.id, View: w.view}, WithoutPrimary: w.inventory != nil,
		})
	}
	if chainID == liveChainID {
		keys.Own = own
	}
	return xmrwallet.NewReceiver(wallets[0].daemon, keys, b.store.MoneroWallets())
}
