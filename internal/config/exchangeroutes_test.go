package config_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
)

func TestExchangeRoutes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]config.ExchangeRoute{
		"xmr:Mainnet>ltc:Mainnet=durapay+house": {From: "xmr:Mainnet", To: "ltc:Mainnet", Policy: "durapay+house"},
		"*>usdt:ERC20=off":                      {From: "*", To: "usdt:ERC20", Policy: "off"},
	} {
		var got config.ExchangeRoute
		require.NoError(t, got.UnmarshalText([]byte(text)))
		require.Equal(t, want, got)
	}
	for _, wrong := range []string{"", "best", "*=best", "*>*", "*>*=", "xmr>*=best", ":Mainnet>*=best", "xmr:>*=best"} {
		require.Error(t, new(config.ExchangeRoute).UnmarshalText([]byte(wrong)), wrong)
	}
}
