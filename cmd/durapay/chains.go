package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/watch"
	"github.com/durapay/durapay/worker"
)

// moneroChain is a configured daemon and its publisher.
type moneroChain struct {
	daemon    *monero.Daemon
	publisher watch.Publisher
}

// liveChain returns the chain of live money and of the exchange.
func (b *base) liveChain() (moneroChain, error) {
	c, err := openChain(b.cfg.MonerodURL, b.cfg.MonerodLoginFile, b.cfg.MonerodZMQ)
	c.daemon = c.daemon.Only(b.liveNetType())
	return c, err
}

// liveNetType returns the network of live money: the main network. A private chain has the
// same addresses but none of the transactions that were sent on the main network, so they
// would be abandoned because its daemon does not know them. A private chain is therefore
// accepted only if MonerodRegtest is configured, which is for development.
func (b *base) liveNetType() monero.NetType {
	if b.cfg.MonerodRegtest {
		return monero.Fakechain
	}
	return monero.MainnetChain
}

func openChain(url, loginFile, zmq string) (moneroChain, error) {
	login, err := config.ReadSecret(loginFile)
	return moneroChain{daemon: monero.NewDaemon(monero.Endpoint{URL: url, Login: login}, monero.Options{}), publisher: watch.MonerodPublisher(zmq)}, err
}

// merchantChains returns the chains of merchants' wallets, by the mode of the wallet.
func (b *base) merchantChains() (map[config.Mode]moneroChain, error) {
	live, err := b.liveChain()
	if err != nil {
		return nil, err
	}
	sandbox := live
	if b.cfg.SandboxMonerodURL != "" {
		sandbox, err = openChain(b.cfg.SandboxMonerodURL, b.cfg.SandboxMonerodLoginFile, b.cfg.SandboxMonerodZMQ)
	}
	return map[config.Mode]moneroChain{config.Live: live, config.Sandbox: sandbox}, err
}

// merchantWallet is a merchants' wallet with the publisher of its daemon.
type merchantWallet struct {
	monero.OpenWallet

	mode      config.Mode
	chainID   string
	publisher watch.Publisher
}

// merchantWallets holds the wallets by wallet ID.
type merchantWallets map[string]merchantWallet

func (m merchantWallets) ofModes(modes ...config.Mode) map[string]monero.OpenWallet {
	list := map[string]monero.OpenWallet{}
	for id, w := range m {
		if slices.Contains(modes, w.mode) {
			list[id] = w.OpenWallet
		}
	}
	return list
}

// sandbox returns the IDs of the wallets of mode sandbox.
func (m merchantWallets) sandbox() []string {
	return slices.Sorted(maps.Keys(m.ofModes(config.Sandbox)))
}

// wallets opens the configured wallets, each with the daemon of its mode, and registers them
// in the database.
func (b *base) wallets(ctx context.Context) (merchantWallets, error) {
	entries, err := b.cfg.MerchantWallets()
	if err != nil {
		return nil, err
	}
	chains, err := b.merchantChains()
	if err != nil {
		return nil, err
	}
	if b.cfg.MonerodRegtest {
		b.log.WarnContext(ctx, "MONEROD_REGTEST is set, as in development alone: live money is on a private chain, and nothing is believed of the main network")
	}
	if b.cfg.SandboxMonerodURL != "" && b.cfg.SandboxChain == config.SandboxSimulated {
		b.log.WarnContext(ctx, "SANDBOX_MONEROD_RPC_URL is set and SANDBOX_CHAIN is simulated: new charges of the sandbox are simulated, "+
			"and its wallets are followed for the charges that they have")
	}
	wallets := make(merchantWallets, len(entries))
	for _, e := range entries {
		w, err := b.openMerchantWallet(e, chains[e.Mode])
		if err != nil {
			return nil, fmt.Errorf("wallet %s: %w", e.ID, err)
		}
		if err := b.register(ctx, e, w.chainID); err != nil {
			return nil, err
		}
		wallets[e.ID] = w
	}
	return wallets, nil
}

func (b *base) openMerchantWallet(e config.WalletEntry, at moneroChain) (merchantWallet, error) {
	open, err := b.openWallet(e)
	if err != nil {
		return merchantWallet{}, err
	}
	network := open.Deriver.Primary().Network
	if e.Mode == config.Live && network != monero.Mainnet {
		return merchantWallet{}, fmt.Errorf("the address of a live wallet is one of the main network, and this one is of the %s", network)
	}
	open.Daemon = at.daemon.Only(b.netType(e.Mode, network))
	return merchantWallet{open, e.Mode, b.merchantChainID(e.Mode, network), at.publisher}, nil
}

// netType returns the network that a wallet's daemon must be on: the network of the wallet's
// address. A private chain has addresses of the main network, but the sandbox is never on the
// main network. A sandbox wallet without a daemon of its own keeps the network of live money
// for the charges that it already has; it gets no new payments.
func (b *base) netType(mode config.Mode, network monero.Network) monero.NetType {
	switch {
	case network == monero.Stagenet:
		return monero.StagenetChain
	case network == monero.Testnet:
		return monero.TestnetChain
	case mode == config.Sandbox && b.cfg.SandboxMonerodURL != "":
		return monero.Fakechain
	default:
		return b.liveNetType()
	}
}

// forgetWallets marks the wallets that are no longer configured: scans need not find their
// payments. It resolves the alerts about their daemons and chains, because nothing asks those
// any more.
func (b *base) forgetWallets(ctx context.Context, d worker.Deps) error {
	failed := b.store.ForgetWallets(ctx, d.AllWallets())
	for kind, subjects := range map[string][]string{alert.WrongChain: d.AllWallets(), alert.NodeStalled: d.AllWallets(), alert.ChainUnknown: d.ChainIDs} {
		failed = errors.Join(failed, b.store.ResolveAlertsExcept(ctx, db.ResolveAlertsExceptParams{Kind: kind, Subjects: subjects}))
	}
	return failed
}

// register adds a wallet to the database. It refuses a wallet whose address differs from the
// one stored under its ID, because then the addresses in the database would not be ours.
func (b *base) register(ctx context.Context, e config.WalletEntry, chainID string) error {
	if err := b.store.UpsertWallet(ctx, db.UpsertWalletParams{ID: e.ID, ChainID: chainID, Mode: string(e.Mode), PrimaryAddress: e.PrimaryAddress}); err != nil {
		return fmt.Errorf("wallet %s: %w", e.ID, err)
	}
	known, err := b.store.GetWallet(ctx, e.ID)
	if err != nil {
		return fmt.Errorf("wallet %s: %w", e.ID, err)
	}
	if known.PrimaryAddress == nil || *known.PrimaryAddress != e.PrimaryAddress || known.Mode != string(e.Mode) {
		return fmt.Errorf("wallet %s is configured with another address or mode than before", e.ID)
	}
	return nil
}

func (b *base) openWallet(e config.WalletEntry) (monero.OpenWallet, error) {
	login, err := config.ReadSecret(e.LoginFile)
	if err != nil {
		return monero.OpenWallet{}, err
	}
	viewKey, err := config.ReadSecret(e.ViewKeyFile)
	if err != nil {
		return monero.OpenWallet{}, err
	}
	deriver, err := monero.NewDeriver(e.PrimaryAddress, viewKey)
	if err != nil {
		return monero.OpenWallet{}, err
	}
	observed := monero.Options{Observe: func(method string, err error) { b.metrics.WalletCall(e.ID, method, err) }}
	return monero.OpenWallet{
		Spend:   monero.NewWallet(monero.Endpoint{URL: e.SpendURL, Login: login}, observed),
		Deriver: deriver,
	}, nil
}
