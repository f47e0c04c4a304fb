package watch_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/utxo"
	"github.com/durapay/durapay/internal/watch"
)

// The stack's daemon announces each payment and block, and does so again after it was
// killed.
func TestLitecoindGivesHints(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := stack.ForTest(t, stack.Options{Parts: []string{"litecoind"}})
	customer, exchange, at := litecoinWallets(t, s)
	address, err := exchange.NewAddress(ctx)
	require.NoError(t, err)
	magic, known := at.Magic(coin.Regtest)
	require.True(t, known)
	h := watch.NodePublisher(s.Addr("litecoind-p2p"), magic).Listen(ctx)
	await(t, h)
	requireNoban(t, s.Env()["LITECOIN_RPC_URL"])
	t.Run("payments", func(t *testing.T) { receivesPayments(t, h, customer, address) })
	t.Run("blocks", func(t *testing.T) { receivesBlocks(t, h, s) })
	t.Run("it is started anew", func(t *testing.T) {
		require.NoError(t, s.Kill("litecoind"))
		require.Eventually(t, func() bool { return h.Err() != nil }, maxWait, time.Millisecond)
		require.NoError(t, s.Up(t.Context()))
		await(t, h)
		require.NoError(t, h.Err())
		receivesPayments(t, h, customer, address)
	})
}

// litecoinWallets returns the wallets of a customer and of the exchange, as named in the
// exchange's settings, and their coin.
func litecoinWallets(t *testing.T, s *stack.Stack) (customer, exchange *utxo.Client, of coin.Coin) {
	t.Helper()
	list, err := config.LoadExchangeWallets(s.ExchangeWalletsFile())
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, s.Addr("litecoind-p2p"), list[0].Daemon.P2PAddress)
	of, known := coin.Lookup(list[0].Ticker, list[0].Network)
	require.True(t, known)
	login, err := config.ReadSecret(list[0].Daemon.LoginFile)
	require.NoError(t, err)
	exchange, err = utxo.New(utxo.Endpoint{URL: list[0].Daemon.URL, Login: login, Wallet: list[0].Daemon.Wallet}, utxo.Options{})
	require.NoError(t, err)
	t.Cleanup(exchange.Close)
	customer, err = utxo.New(utxo.Endpoint{URL: s.Env()["LITECOIN_RPC_URL"]}, utxo.Options{})
	require.NoError(t, err)
	t.Cleanup(customer.Close)
	return customer, exchange, of
}

// receivesPayments checks that each payment causes a hint.
func receivesPayments(t *testing.T, h *watch.Hints, customer *utxo.Client, address string) {
	t.Helper()
	h.Take()
	for range 10 {
		_, err := customer.Pay(t.Context(), address, 1_000_000)
		require.NoError(t, err)
		await(t, h)
	}
}

// requireNoban checks that the daemon announces payments to us at once. Peers without the
// permission noban wait five seconds on average.
func requireNoban(t *testing.T, daemon string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, daemon, strings.NewReader(`{"method":"getpeerinfo","params":[]}`))
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	var answer struct {
		Result []struct {
			Name        string   `json:"subver"`
			Permissions []string `json:"permissions"`
		} `json:"result"`
	}
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&answer))
	http.DefaultClient.CloseIdleConnections() // a stopping daemon waits until idle connections are closed
	require.Len(t, answer.Result, 1)
	require.Equal(t, "/durapay/", answer.Result[0].Name)
	require.Contains(t, answer.Result[0].Permissions, "noban")
}

// receivesBlocks checks that each block causes a hint.
func receivesBlocks(t *testing.T, h *watch.Hints, s *stack.Stack) {
	t.Helper()
	h.Take()
	for range 3 {
		require.NoError(t, s.MineLitecoin(t.Context(), 1))
		await(t, h)
	}
}
