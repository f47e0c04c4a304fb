package main

import (
	"time"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider/adapter"
	"github.com/durapay/durapay/internal/rates"
	"github.com/durapay/durapay/internal/sanctions"
	"github.com/durapay/durapay/internal/swapquote"
)

// quoteRefresh is the interval between two fetches of market prices of coins. These prices
// show the cost of a quote, and no decision depends on them.
const quoteRefresh = 2 * time.Minute

// quoteTries is the number of fetches for which a price is valid.
const quoteTries = 3

// quotes returns the quoter of merchants' swaps, with its providers. It does not call them
// yet.
func (b *base) quotes() (*swapquote.Quotes, error) {
	file := adapter.ConfigFile{Variable: "MERCHANT_SWAP_PROVIDERS_FILE", Path: b.cfg.MerchantProvidersFile}
	providers, err := file.Providers(b.cfg.Outbound)
	if err != nil {
		return nil, err
	}
	quotes := swapquote.New(providers, swapquote.MaxWait, clock)
	quotes.Report(b.metrics.ProviderQuote, b.log)
	return quotes, nil
}

// swapOrders returns the parts that order merchants' swaps and quote the swaps of payouts. If
// a source of the sanctions list is configured, no swap is ordered for a listed address.
func (b *base) swapOrders() (*sending.SwapOrders, *swapquote.Quotes, error) {
	quotes, err := b.quotes()
	if err != nil {
		return nil, nil, err
	}
	a := &sending.SwapOrders{Store: b.store, Secret: b.box, Provider: quotes.Provider}
	if _, configured := sanctions.NewSource(b.cfg.Sanctions, b.cfg.Outbound); configured {
		a.Sanctioned = sanctions.Register{Store: b.store}.Sanctioned
	}
	return a, quotes, nil
}

// quotePrices returns the market prices that quotes are compared with. The caller must start
// its Run. Without providers it reads no prices.
func (b *base) quotePrices(quotes *swapquote.Quotes) (*rates.Coins, error) {
	var tickers []string
	if b.cfg.MerchantProvidersFile != "" {
		for _, c := range coin.All() {
			tickers = append(tickers, c.Ticker)
		}
	}
	settings := b.cfg.Prices
	settings.PriceRefresh = max(settings.PriceRefresh, quoteRefresh)
	settings.CoinPriceMaxAge = max(settings.CoinPriceMaxAge, quoteTries*settings.PriceRefresh)
	prices, err := rates.NewCoins(settings, rates.Priced(settings, tickers), rates.Client(settings, b.cfg.Outbound), clock, b.log)
	if err != nil {
		return nil, err
	}
	quotes.Mid = func(from, to coin.Coin) (money.Decimal, error) {
		mid, _, err := prices.Pair(from, to)
		return mid, err
	}
	return prices, nil
}
