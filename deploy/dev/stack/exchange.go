package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/adapter"
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
	login := s.path("secrets", "litecoin-login")
	if err := writeFile(login, []byte(s.litecoinLogin()+"\n")); err != nil {
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
			Monero: &config.MoneroWallet{
				PrimaryAddress: address, ViewKeyFile: s.viewKeyFile("exchange"), SpendURL: s.url("wallet-exchange-spend"),
			},
		})
	}
	return writeJSON(s.ExchangeWalletsFile(), wallets)
}

// exchangeEnv returns the configuration of a service in a stack with the exchange.
func (s *Stack) exchangeEnv() map[string]string {
	return map[string]string{
		"EXCHANGE_WALLETS_FILE":        s.ExchangeWalletsFile(),
		"EXCHANGE_REGTEST":             "true",
		"EXCHANGE_PAIRS":               "xmr:Mainnet>ltc:Mainnet=0.05:20:1,ltc:Mainnet>xmr:Mainnet=0.05:20:1",
		"SWAP_LISTEN":                  s.Addr("swap"),
		"SWAP_PUBLIC_URL":              s.url("swap"),
		"SWAP_ONION_URL":               s.onion("swap"),
		"SWAP_ONION_LISTEN":            s.Addr("swap-onion"),
		"MERCHANT_SWAP_PROVIDERS_FILE": s.providersFile(),
	}
}

// ownExchange is the provider name under which merchants of the stack swap with its own
// exchange.
const ownExchange = "durapay"

// providersFile lists the merchants' swap providers: the stack's own exchange.
func (s *Stack) providersFile() string { return s.path("secrets", "merchant-providers.json") }

func (s *Stack) partnerKeyFile() string { return s.path("secrets", "swap-partner-key") }

// becomePartner makes the merchants' side a partner of the stack's exchange, so that
// merchants' quotes do not share the limits of callers without a key. A stack without the
// exchange has no providers.
func (s *Stack) becomePartner(ctx context.Context) error {
	if !s.has("swap-api") {
		return nil
	}
	return errors.Join(writeJSON(s.providersFile(), []adapter.ConfigEntry{{
		Name: ownExchange, Kind: "durapay", URL: s.url("swap"), KeyFile: s.partnerKeyFile(),
		Risk: provider.RiskPrecheck, Rating: provider.RatingA,
		Direct: true, Private: true, // its listener is on loopback, its chains are private
	}}), s.makePartnerKey(ctx))
}

// makePartnerKey creates the key once per database.
func (s *Stack) makePartnerKey(ctx context.Context) error {
	if _, err := os.Stat(s.partnerKeyFile()); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	var made struct {
		Key string `json:"key"`
	}
	out, err := s.Durapay(ctx, "admin", "swap-key", "create", "--class", "partner")
	if err == nil {
		err = json.Unmarshal(out, &made)
	}
	if err != nil {
		return fmt.Errorf("durapay admin swap-key create: %w", err)
	}
	return writeFile(s.partnerKeyFile(), []byte(made.Key))
}
