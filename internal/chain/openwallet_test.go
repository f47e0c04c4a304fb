package chain_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/chain/utxowallet"
	"github.com/durapay/durapay/internal/chain/xmrwallet"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/jsonrpc"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/utxo"
)

// sharedOptions are the settings that all wallets share.
type sharedOptions struct {
	// Daemon is the monerod that Monero wallets use.
	Daemon monero.Endpoint
	// Calls limits the calls to every process.
	Calls jsonrpc.Options
	// Store is that of Monero wallets.
	Store *moneroStore
}

// moneroStore is an xmrwallet.Store in memory.
type moneroStore struct {
	// highest is the highest number of an address that was stored.
	highest atomic.Uint64

	mu   sync.Mutex
	keys map[string][]string
}

func (s *moneroStore) HighestAddress(context.Context, string) (uint64, error) {
	return s.highest.Load(), nil
}

// AddressesOf has none: every wallet is configured.
func (s *moneroStore) AddressesOf(_ context.Context, ids []string, _ [][]byte) (numbers []uint32, addresses []string, err error) {
	return make([]uint32, len(ids)), make([]string, len(ids)), nil
}

func (s *moneroStore) RecordOneTimeKeys(_ context.Context, _ string, keys [][]byte, txHashes []string) (others []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, key := range keys {
		for _, other := range s.keys[string(key)] {
			if !slices.Contains(txHashes, other) {
				others = append(others, other)
			}
		}
		s.keys[string(key)] = append(s.keys[string(key)], txHashes[i])
	}
	return others, nil
}

// openWallet opens one wallet without calling its processes.
func openWallet(w config.ExchangeWallet, o sharedOptions) (chain.Wallet, error) {
	var wallet chain.Wallet
	var err error
	switch {
	case w.Monero != nil:
		wallet, err = moneroWallet(*w.Monero, o)
	case w.Daemon != nil:
		wallet, err = daemonWallet(*w.Daemon, w.Confirmations, o)
	default:
		err = chain.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("the exchange's wallet of %s on %s: %w", w.Ticker, w.Network, err)
	}
	return wallet, nil
}

func moneroWallet(p config.MoneroWallet, o sharedOptions) (chain.Wallet, error) {
	login, err := config.ReadSecret(p.LoginFile)
	if err != nil {
		return nil, err
	}
	viewKey, err := config.ReadSecret(p.ViewKeyFile)
	if err != nil {
		return nil, err
	}
	deriver, err := monero.NewDeriver(p.PrimaryAddress, viewKey)
	if err != nil {
		return nil, err
	}
	return xmrwallet.New(
		monero.NewDaemon(o.Daemon, o.Calls), monero.NewWallet(monero.Endpoint{URL: p.SpendURL, Login: login}, o.Calls), "exchange",
		deriver, o.Store), nil
}

// daemonWallet returns a wallet that spends coins as deep as a deposit must be.
func daemonWallet(d config.DaemonWallet, confirmations uint64, o sharedOptions) (chain.Wallet, error) {
	login, err := config.ReadSecret(d.LoginFile)
	if err != nil {
		return nil, err
	}
	passphrase, err := config.ReadSecret(d.PassphraseFile)
	if err != nil {
		return nil, err
	}
	client, err := utxo.New(utxo.Endpoint{URL: d.URL, Login: login, Wallet: d.Wallet, Passphrase: passphrase}, o.Calls)
	if err != nil {
		return nil, err
	}
	return utxowallet.New(client, confirmations), nil
}
