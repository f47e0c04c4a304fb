package stack

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/utxo"
)

// exchangeParts returns the exchange's parts on both chains.
func exchangeParts() []string {
	return []string{"litecoin-miner", "wallet-exchange-spend"}
}

func TestTheExchangeHasMoneyOnBothChains(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := ForTest(t, Options{Parts: exchangeParts()})

	rich, err := exchangeFunds().present(ctx, s)
	require.NoError(t, err)
	require.True(t, rich, "500 XMR")
	requireLitecoins(t, s)

	customer, err := utxo.New(utxo.Endpoint{URL: s.Env()["LITECOIN_RPC_URL"]}, utxo.Options{})
	require.NoError(t, err)
	defer customer.Close()
	before, err := customer.Info(ctx)
	require.NoError(t, err)
	require.NoError(t, s.MineLitecoin(ctx, 50))
	require.NoError(t, s.Kill("litecoind"))
	require.NoError(t, s.Up(ctx))
	requireLitecoins(t, s)
	after, err := customer.Info(ctx)
	require.NoError(t, err)
	require.Equal(t, before.Blocks+50, after.Blocks, "the chain neither stalls nor is it lost")

	wallets, err := config.LoadExchangeWallets(s.ExchangeWalletsFile())
	require.NoError(t, err)
	require.Len(t, wallets, 2)
	require.Equal(t, s.url("wallet-exchange-spend"), wallets[1].Monero.SpendURL)
	require.Equal(t, s.url("litecoind"), wallets[0].Daemon.URL)
	require.Equal(t, s.Addr(litecoinPeers), wallets[0].Daemon.P2PAddress)
}

func requireLitecoins(t *testing.T, s *Stack) {
	t.Helper()
	for _, name := range []string{litecoinCustomer, litecoinExchange} {
		wallet, err := s.litecoin(name)
		require.NoError(t, err)
		coins, err := wallet.Unspent(t.Context(), 1)
		wallet.Close()
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(coins), 20, name)
		var total utxo.Amount
		for _, c := range coins {
			total += c.Amount
		}
		require.GreaterOrEqual(t, total, litecoinMoney, name)
	}
}
