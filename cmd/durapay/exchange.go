package main

import (
	"context"
	"fmt"

	"github.com/durapay/durapay/activities"
	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/chain/utxowallet"
	"github.com/durapay/durapay/internal/chain/xmrwallet"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/nodes"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/adapter"
	"github.com/durapay/durapay/internal/rates"
	"github.com/durapay/durapay/internal/sanctions"
	"github.com/durapay/durapay/internal/utxo"
	"github.com/durapay/durapay/internal/watch"
	"github.com/durapay/durapay/internal/witness"
	"github.com/durapay/durapay/worker"
)

// exchangeWalletID returns the id of a coin's wallet in every table. It never changes.
func exchangeWalletID(c coin.Coin) string { return "exchange-" + c.Ticker + "-" + c.Network }

// quoter returns the exchange's quoter with its prices, whose Run the caller must start.
// Without wallets there is no exchange and no quoter.
func (b *base) quoter() (*exchange.Quoter, *rates.Coins, []config.ExchangeWallet, error) {
	entries, err := config.LoadExchangeWallets(b.cfg.ExchangeWalletsFile)
	if err != nil || len(entries) == 0 {
		return nil, nil, nil, err
	}
	settings, err := exchangeSettings(b.cfg.Exchange, entries)
	if err != nil {
		return nil, nil, nil, err
	}
	var tickers []string
	for _, c := range settings.Coins() {
		tickers = append(tickers, c.Ticker)
	}
	prices, err := rates.NewCoins(b.cfg.Prices, tickers, rates.Client(b.cfg.Prices, b.cfg.Outbound), clock, b.log)
	if err != nil {
		return nil, nil, nil, err
	}
	quoter := &exchange.Quoter{Settings: settings, Market: prices.Book}
	providers, err := adapter.ConfigFile{Variable: "SWAP_PROVIDERS_FILE", Path: b.cfg.SwapProvidersFile, Taken: exchange.ProviderName}.Providers(b.cfg.Outbound)
	if err != nil {
		return nil, nil, nil, err
	}
	if len(providers) > 0 {
		quoter.Fanout = provider.NewFanout(providers, provider.FanoutOptions{MaxWait: exchange.MaxQuoteWait, Now: clock})
		quoter.Fanout.Report(b.metrics.ProviderQuote, b.log)
	}
	return quoter, prices, entries, quoter.CheckRules()
}

// exchangeSettings connects the pairs to the wallets of their coins.
func exchangeSettings(cfg config.Exchange, entries []config.ExchangeWallet) (exchange.Settings, error) {
	s := exchange.Settings{
		SpreadBP: cfg.ExchangeSpread.ScaleInt(100), MaxSpreadBP: cfg.ExchangeSpreadMax.ScaleInt(100), ExcessBP: cfg.ExchangeExcess.ScaleInt(100),
		UnfundedPercent: cfg.ExchangeUnfunded, ClientPercent: cfg.ExchangeClient,
	}
	s.Net = exchangeNet(cfg)
	for _, r := range cfg.ExchangeRoutes {
		s.Rules = append(s.Rules, exchange.Rule(r))
	}
	coins := map[string]exchange.Coin{}
	for _, e := range entries {
		known, ok := coin.Lookup(e.Ticker, e.Network)
		if !ok {
			return s, fmt.Errorf("EXCHANGE_WALLETS_FILE: %s on %s is not a known coin", e.Ticker, e.Network)
		}
		coins[known.Key()] = exchange.Coin{Coin: known, WalletID: exchangeWalletID(known), Confirmations: int32(e.Confirmations)}
	}
	for _, p := range cfg.ExchangePairs {
		from, fromOK := coin.Lookup(p.TickerFrom, p.NetworkFrom)
		to, toOK := coin.Lookup(p.TickerTo, p.NetworkTo)
		pair := exchange.Pair{From: coins[from.Key()], To: coins[to.Key()], Min: p.Min, Max: p.Max, Step: p.Step}
		if !fromOK || !toOK || pair.From.WalletID == "" || pair.To.WalletID == "" {
			return s, fmt.Errorf("EXCHANGE_PAIRS: there is no wallet for %s to %s", p.TickerFrom, p.TickerTo)
		}
		s.Pairs = append(s.Pairs, pair)
	}
	return s, nil
}

// exchangeNet returns the network of the exchange's wallets.
func exchangeNet(cfg config.Exchange) coin.Net {
	if cfg.ExchangeRegtest {
		return coin.Regtest
	}
	return coin.Main
}

// addExchange adds the exchange and its wallets to the worker, if there is one. It returns its
// prices.
func (b *base) addExchange(ctx context.Context, deps *worker.Deps) (*rates.Coins, error) {
	quoter, prices, entries, err := b.quoter()
	if err != nil || quoter == nil {
		return nil, err
	}
	opened, err := b.exchangeWallets(entries)
	if err != nil {
		return nil, err
	}
	b.askExchangeNodes(opened)
	keeper, wallets := deps.Pool.Witness, map[string]chain.Wallet{}
	sanctioned := sanctions.Register{Store: b.store}.Sanctioned
	deps.Exchange = &worker.Exchange{Exchange: activities.Exchange{
		Trades: &trades.Handler{
			Store: b.store, Secret: b.box, Quoter: quoter, Clock: clock, Sanctioned: sanctioned,
			Window: b.cfg.Window(), ConfirmGrace: b.cfg.ConfirmGrace(),
		},
		Payments: &trades.Payments{
			Store: b.store, Secret: b.box, Settings: quoter.Settings, Wallets: wallets, Clock: clock, Witness: keeper, Sanctioned: sanctioned,
		},
	}}
	for _, w := range opened {
		if err := b.store.UpsertExchangeWallet(ctx, db.UpsertExchangeWalletParams{
			ID: w.id, ChainID: exchangeChainID(w.coin), Ticker: w.coin.Ticker, Network: w.coin.Network, Decimals: w.coin.Decimals,
		}); err != nil {
			return nil, fmt.Errorf("wallet %s: %w", w.id, err)
		}
		wallets[w.id], keeper.Wallets[w.id] = w.wallet, w.witness
		deps.Exchange.WalletIDs = append(deps.Exchange.WalletIDs, w.id)
		deps.Pool.Wallets[w.id] = incoming.Wallet{Maker: incoming.NextMaker{Wallet: w.wallet}, Ready: b.cfg.ExchangeAddresses, Inventory: w.wallet}
		b.scanned = append(b.scanned, scannedWallet{
			id: w.id, chainID: exchangeChainID(w.coin), publisher: w.publisher, daemon: w.daemon, view: w.view, inventory: w.wallet,
		})
	}
	return prices, nil
}

func (b *base) openExchangeWallet(e config.ExchangeWallet, w *exchangeWallet) error {
	if e.Daemon != nil {
		login, err := config.ReadSecret(e.Daemon.LoginFile)
		if err != nil {
			return err
		}
		passphrase, err := config.ReadSecret(e.Daemon.PassphraseFile)
		if err != nil {
			return err
		}
		client, err := utxo.New(utxo.Endpoint{
			URL: e.Daemon.URL, Login: login, Wallet: e.Daemon.Wallet, Passphrase: passphrase,
		}, utxo.Options{})
		if err != nil {
			return err
		}
		w.wallet, w.tip = utxowallet.New(client, e.Confirmations), nodes.UTXOTip(client)
		w.witness = witness.Wallet{
			File: witness.Labels{Client: client}, Temporal: witness.Temporal{Client: b.temporal, WalletID: w.id}, Chain: witness.UTXOChain{Client: client},
		}
		w.publisher, err = daemonPublisher(e.Daemon, w.coin, exchangeNet(b.cfg.Exchange))
		return err
	}
	live, err := b.liveChain()
	if err != nil {
		return err
	}
	open, err := b.openWallet(config.WalletEntry{ID: "exchange-" + e.Ticker, MoneroWallet: *e.Monero})
	if err != nil {
		return err
	}
	open.Daemon = live.daemon
	w.wallet, w.tip = xmrwallet.New(open.Daemon, open.Spend, w.id, open.Deriver, b.store.MoneroWallets()), nodes.MoneroTip(open.Daemon)
	w.witness = b.moneroWitness(w.id, open)
	w.publisher, w.daemon, w.view = live.publisher, open.Daemon, open.Deriver
	return nil
}

// daemonPublisher returns the publisher of a daemon like Bitcoin's. It returns an error if the
// publisher is a peer-to-peer connection and the network's magic number is not known.
func daemonPublisher(d *config.DaemonWallet, c coin.Coin, net coin.Net) (watch.Publisher, error) {
	if d.P2PAddress == "" {
		return watch.BitcoindPublisher(d.ZMQAddress), nil
	}
	magic, known := c.Magic(net)
	if !known {
		return watch.Publisher{}, fmt.Errorf("EXCHANGE_WALLETS_FILE: p2p_address: the network of %s is not known", c.Key())
	}
	return watch.NodePublisher(d.P2PAddress, magic), nil
}
