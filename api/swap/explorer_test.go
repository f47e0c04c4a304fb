package swap_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/swap"
	"github.com/durapay/durapay/internal/exchange"
)

func TestTradesLinkToExplorers(t *testing.T) {
	t.Parallel()
	b := setupWithTemporal(t, func(d *swap.Deps) {
		d.Explorers = exchange.Explorers{"ltc:Mainnet": "https://explorer.example/address/{address}"}
	})
	paid := b.get(t, "new_trade", tradeQuery(), with("Idempotency-Key", "one"))
	require.Equal(t, http.StatusCreated, paid.status, paid.body)
	require.Equal(t, "https://explorer.example/address/"+litecoin, paid.object(t)["explorer_url_payout"])
	require.Nil(t, paid.object(t)["explorer_url_deposit"], "none is configured for Monero")
	require.Equal(t, paid.body, b.get(t, "new_trade", tradeQuery(), with("Idempotency-Key", "one")).body)

	taken := b.get(t, "new_trade", tradeQuery("ticker_from", "ltc", "ticker_to", "xmr", "address", monero, "refund", litecoin), with("Idempotency-Key", "two")).object(t)
	require.Equal(t, "https://explorer.example/address/"+url.PathEscape(taken["address_provider"].(string)), taken["explorer_url_deposit"])
	require.Nil(t, taken["explorer_url_payout"])
}
