package stack

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/durapay/durapay/internal/config"
)

// exchangeConfirmations is the number of confirmations that a deposit needs, on either chain.
const exchangeConfirmations = 2

// ExchangeWalletsFile returns the path of the list of the exchange's wallets. The parts with
// those wallets write it.
func (s *Stack) ExchangeWalletsFile() string { return s.path("secrets", "exchange-wallets.json") }

// settleExchange funds the exchange's Monero wallet and adds it to the list of wallets.
func settleExchange(ctx context.Context, s *Stack) error {
	return errors.Join(exchangeFunds().settle(ctx, s), s.writeExchangeWallets())
}

// writeExchangeWallets writes the list of the exchange's wallets. A stack without the Monero
// wallet has no keys for it.
func (s *Stack) writeExchangeWallets() error {
	login, err := s.litecoinLoginFile()
	if err != nil {
		return err
	}
	wallets := []config.ExchangeWallet{{
		Ticker: "ltc", Network: "Mainnet", Confirmations: exchangeConfirmations,
		Daemon: &config.DaemonWallet{
			// A test may put a proxy between the two.
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

// exchangeEnv returns the configuration of a service in a stack with the exchange.
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
