package stack

import (
	"context"
	"encoding/json"
	"errors"
	"os"

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

// writeExchangeWallets writes the list of wallets that the exchange works with.
func (s *Stack) writeExchangeWallets() error {
	// The keys may be of a stack without the exchange's parts.
	if _, err := os.Stat(s.viewKeyFile("exchange")); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	login, err := s.litecoinLoginFile()
	if err != nil {
		return err
	}
	b, err := json.MarshalIndent([]config.ExchangeWallet{
		{
			Ticker: "xmr", Network: "Mainnet", Confirmations: exchangeConfirmations,
			Monero: &config.MoneroPair{
				PrimaryAddress: s.walletAddress("exchange"), ViewKeyFile: s.viewKeyFile("exchange"),
				WatchURL: s.url("wallet-exchange-watch"), SpendURL: s.url("wallet-exchange-spend"),
			},
		},
		{
			Ticker: "ltc", Network: "Mainnet", Confirmations: exchangeConfirmations,
			Daemon: &config.DaemonWallet{
				URL: s.url("litecoind"), LoginFile: login, Wallet: litecoinExchange,
			},
		},
	}, "", "  ")
	return errors.Join(err, writeFile(s.ExchangeWalletsFile(), b))
}
