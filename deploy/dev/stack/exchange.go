package stack

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/durapay/durapay/internal/config"
)

// exchangeConfirmations is how deep a deposit must lie, on either chain.
const exchangeConfirmations = 2

// ExchangeWalletsFile is the list of the exchange's wallets. It is written by
// the parts that hold them.
func (s *Stack) ExchangeWalletsFile() string { return s.path("secrets", "exchange-wallets.json") }

// settleExchange funds the exchange's Monero wallet and tells where it is.
func settleExchange(ctx context.Context, s *Stack) error {
	return errors.Join(exchangeFunds().settle(ctx, s), s.writeExchangeWallets())
}

// writeExchangeWallets writes the list of wallets that the exchange works
// with. A stack without its Monero wallet has made no keys for it.
func (s *Stack) writeExchangeWallets() error {
	login, err := s.litecoinLoginFile()
	if err != nil {
		return err
	}
	wallets := []config.ExchangeWallet{{
		Ticker: "ltc", Network: "Mainnet", Confirmations: exchangeConfirmations,
		Daemon: &config.DaemonWallet{
			// A test may put something between the two.
			URL: s.setting("EXCHANGE_LITECOIND_URL", s.url("litecoind")), LoginFile: login,
			P2PAddress: s.Addr(litecoinPeers), Wallet: litecoinExchange,
		},
	}}
	if address := s.walletAddress("exchange"); address != "" {
		wallets = append(wallets, config.ExchangeWallet{
			Ticker: "xmr", Network: "Mainnet", Confirmations: exchangeConfirmations,
			Monero: &config.MoneroPair{
				PrimaryAddress: address, ViewKeyFile: s.viewKeyFile("exchange"),
				WatchURL: s.url("wallet-exchange-watch"), SpendURL: s.url("wallet-exchange-spend"),
			},
		})
	}
	b, err := json.MarshalIndent(wallets, "", "  ")
	return errors.Join(err, writeFile(s.ExchangeWalletsFile(), b))
}

// exchangeEnv is the configuration of a service in a stack with the exchange.
func (s *Stack) exchangeEnv() map[string]string {
	return map[string]string{
		"EXCHANGE_WALLETS_FILE": s.ExchangeWalletsFile(),
		"EXCHANGE_REGTEST":      "true",
		"EXCHANGE_PAIRS":        "xmr:Mainnet>ltc:Mainnet=0.05:20:1,ltc:Mainnet>xmr:Mainnet=0.05:20:1",
		"SWAP_LISTEN":           s.Addr("swap"),
		"SWAP_PUBLIC_URL":       s.url("swap"),
		"SWAP_ONION_URL":        s.onion("swap"),
		"SWAP_ONION_LISTEN":     s.Addr("swap-onion"),
	}
}
