package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/rates"
	"github.com/durapay/durapay/internal/witness/witnesstest"
	"github.com/durapay/durapay/worker"
)

// ofNetwork returns a base whose two daemons are the same fake daemon, which reports one
// network.
func ofNetwork(t *testing.T, is monero.NetType, regtest, own bool) *base {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": "0", "result": map[string]any{
			"status": "OK", "height": 200, "synchronized": true, "nettype": is,
		}})
	}))
	t.Cleanup(server.Close)
	b := &base{}
	b.cfg.MonerodURL, b.cfg.MonerodRegtest = server.URL, regtest
	if own {
		b.cfg.SandboxMonerodURL = server.URL
	}
	return b
}

// believed returns the networks on which the opened daemon is accepted.
func believed(t *testing.T, regtest, own bool, open func(*base) (*monero.Daemon, error)) (list []monero.NetType) {
	t.Helper()
	for _, is := range []monero.NetType{monero.MainnetChain, monero.TestnetChain, monero.StagenetChain, monero.Fakechain} {
		daemon, err := open(ofNetwork(t, is, regtest, own))
		require.NoError(t, err)
		if _, err = daemon.Info(t.Context()); err == nil {
			list = append(list, is)
			continue
		}
		require.ErrorIs(t, err, monero.ErrNetType)
	}
	return list
}

// TestLiveMoneyIsOnOneNetwork checks that payouts and the exchange accept only the main
// network, or only a private chain if that is configured.
func TestLiveMoneyIsOnOneNetwork(t *testing.T) {
	t.Parallel()
	for regtest, want := range map[bool]monero.NetType{false: monero.MainnetChain, true: monero.Fakechain} {
		require.Equal(t, []monero.NetType{want}, believed(t, regtest, true, func(b *base) (*monero.Daemon, error) {
			live, err := b.liveChain()
			return live.daemon, err
		}))
	}
}

// walletOf returns an entry whose address is of a network.
func walletOf(t *testing.T, mode config.Mode, network monero.Network) config.WalletEntry {
	t.Helper()
	address := monero.Address{Network: network, Kind: monero.KindStandard}
	address.Spend[0] = 0x58 // the base point, whose private key is 1
	for i := range 31 {
		address.Spend[1+i] = 0x66
	}
	address.View = address.Spend
	file := filepath.Join(t.TempDir(), "view-key")
	require.NoError(t, os.WriteFile(file, []byte("01"+strings.Repeat("00", 31)), 0o600))
	return config.WalletEntry{ID: string(mode), Mode: mode, MoneroWallet: config.MoneroWallet{
		PrimaryAddress: address.String(), ViewKeyFile: file, SpendURL: "http://s",
	}}
}

func TestAWalletIsOnOneNetwork(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mode         config.Mode
		address      monero.Network
		regtest, own bool
		want         monero.NetType
	}{
		"live":                                   {config.Live, monero.Mainnet, false, true, monero.MainnetChain},
		"live in development":                    {config.Live, monero.Mainnet, true, true, monero.Fakechain},
		"sandbox on stagenet":                    {config.Sandbox, monero.Stagenet, false, true, monero.StagenetChain},
		"sandbox on testnet":                     {config.Sandbox, monero.Testnet, false, true, monero.TestnetChain},
		"sandbox by a daemon of its own":         {config.Sandbox, monero.Mainnet, false, true, monero.Fakechain},
		"sandbox of before":                      {config.Sandbox, monero.Mainnet, false, false, monero.MainnetChain},
		"sandbox of before in development":       {config.Sandbox, monero.Mainnet, true, false, monero.Fakechain},
		"sandbox on stagenet without the daemon": {config.Sandbox, monero.Stagenet, false, false, monero.StagenetChain},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, []monero.NetType{c.want}, believed(t, c.regtest, c.own, func(b *base) (*monero.Daemon, error) {
				chains, err := b.merchantChains()
				require.NoError(t, err)
				w, err := b.openMerchantWallet(walletOf(t, c.mode, c.address), chains[c.mode])
				return w.Daemon, err
			}))
		})
	}
	for _, network := range []monero.Network{monero.Stagenet, monero.Testnet} {
		_, err := ofNetwork(t, monero.StagenetChain, false, true).openMerchantWallet(walletOf(t, config.Live, network), moneroChain{})
		require.ErrorContains(t, err, "a live wallet is one of the main network")
	}
}

// healthy is a Temporal client that always reports health.
type healthy struct{ client.Client }

func (healthy) CheckHealth(context.Context, *client.CheckHealthRequest) (*client.CheckHealthResponse, error) {
	return &client.CheckHealthResponse{}, nil
}

// TestTheSandboxDoesNotDecideReadiness checks that readiness ignores the sandbox, whose chain
// may be unavailable for days. A live wallet on another network fails readiness until the
// alert is resolved or the wallet's entry is removed.
func TestTheSandboxDoesNotDecideReadiness(t *testing.T) {
	t.Parallel()
	ctx, log := t.Context(), slog.New(slog.DiscardHandler)
	b := &base{store: pgtest.New(t), temporal: healthy{}, log: log}
	b.cfg.WalletsFile, b.proxy = filepath.Join(t.TempDir(), "wallets.json"), b.watchProxy()
	var err error
	b.prices, err = rates.New(config.Prices{
		PriceSources: []string{"static"}, PriceStaticUSD: "150", PriceStaticEUR: "140", PriceMaxAge: time.Hour,
		PriceOutlierPercent: config.Percent{Decimal: money.DecimalFromInt(10)},
	}, http.DefaultClient, clock, log)
	require.NoError(t, err)
	b.prices.Refresh(ctx)
	list := []config.WalletEntry{walletOf(t, config.Live, monero.Mainnet), walletOf(t, config.Sandbox, monero.Stagenet)}
	written, err := json.Marshal(list)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(b.cfg.WalletsFile, written, 0o600))
	for _, e := range list {
		require.NoError(t, b.register(ctx, e, "xmr-"+string(e.Mode)))
	}
	require.NoError(t, b.store.PublishAddresses(ctx, db.PublishAddressesParams{WalletID: "live", Indices: []int32{1}, Addresses: []string{"4"}}))
	witnesstest.Open(t, b.store, "live")
	_, err = b.store.Pool().Exec(ctx, "UPDATE chains SET scanned_at = now() WHERE id = 'xmr-live'")
	require.NoError(t, err)

	b.requireReady(t, http.StatusOK, map[string]string{"wallet": "ok", "safe_mode": "ok", "sandbox": "failing"})
	for _, id := range []string{"live", "sandbox"} {
		require.NoError(t, b.store.OpenAlert(ctx, db.OpenAlertParams{Kind: alert.WrongChain, Subject: id}))
	}
	b.requireReady(t, http.StatusServiceUnavailable, map[string]string{"wallet": "failing", "safe_mode": "ok", "sandbox": "failing"})
	require.NoError(t, b.forgetWallets(ctx, worker.Deps{WalletIDs: []string{"sandbox"}, Exchange: &worker.Exchange{WalletIDs: []string{"exchange"}}}))
	b.requireReady(t, http.StatusOK, map[string]string{"wallet": "ok", "safe_mode": "ok", "sandbox": "failing"})
	open, err := b.store.HasAlert(ctx, db.HasAlertParams{Kind: alert.WrongChain, Subject: "sandbox"})
	require.NoError(t, err)
	require.True(t, open, "it is configured")
}

// requireReady checks readiness as after a start.
func (b *base) requireReady(t *testing.T, status int, parts map[string]string) {
	t.Helper()
	ready, err := b.readiness()
	require.NoError(t, err)
	answer := httptest.NewRecorder()
	ready.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", http.NoBody))
	var body struct {
		Parts map[string]string `json:"parts"`
	}
	require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &body))
	for name, want := range parts {
		require.Equal(t, want, body.Parts[name], name)
	}
	require.Equal(t, status, answer.Code, answer.Body.String())
}
