package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/nodes"
	"github.com/durapay/durapay/internal/watch"
	"github.com/durapay/durapay/internal/witness"
)

func (b *base) keeper(wallets map[string]witness.Wallet) *witness.Keeper {
	return &witness.Keeper{Store: b.store, Wallets: wallets, Clock: clock, Log: b.log}
}

func (b *base) merchantWitnesses(wallets merchantWallets) map[string]witness.Wallet {
	list := make(map[string]witness.Wallet, len(wallets))
	for id, w := range wallets {
		list[id] = b.moneroWitness(id, w.OpenWallet)
	}
	return list
}

func (b *base) moneroWitness(id string, open monero.OpenWallet) witness.Wallet {
	return witness.Wallet{
		File:     witness.MoneroFile{Wallet: open.Spend},
		Temporal: witness.Temporal{Client: b.temporal, WalletID: id},
		Chain:    &witness.MoneroChain{Wallet: open.Spend, Daemon: open.Daemon},
	}
}

// exchangeWallet is one of the exchange's wallets with its witness.
type exchangeWallet struct {
	id      string
	coin    coin.Coin
	wallet  chain.Wallet
	witness witness.Wallet
	// publisher is the publisher of its daemon.
	publisher watch.Publisher
	// daemon and view are of a wallet of Monero.
	daemon *monero.Daemon
	view   *monero.Deriver
	// tip asks its daemon.
	tip func(context.Context) (nodes.Tip, error)
}

// exchangeWallets opens the exchange's wallets.
func (b *base) exchangeWallets(entries []config.ExchangeWallet) ([]exchangeWallet, error) {
	list := make([]exchangeWallet, 0, len(entries))
	for _, e := range entries {
		known, _ := coin.Lookup(e.Ticker, e.Network)
		w := exchangeWallet{id: exchangeWalletID(known), coin: known}
		if err := b.openExchangeWallet(e, &w); err != nil {
			return nil, fmt.Errorf("wallet %s: %w", w.id, err)
		}
		list = append(list, w)
	}
	return list, nil
}

// noneInSafeMode is a check for readiness. It returns an error that names the wallets in safe
// mode.
func (b *base) noneInSafeMode(ctx context.Context, walletIDs []string) error {
	rows, err := b.store.ListSafeMode(ctx)
	errs := []error{err}
	for _, r := range rows {
		if slices.Contains(walletIDs, r.WalletID) {
			errs = append(errs, fmt.Errorf("wallet %s is in safe mode: %s", r.WalletID, r.Reason))
		}
	}
	return errors.Join(errs...)
}
