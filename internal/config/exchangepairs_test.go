package config_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
)

func TestExchangePair(t *testing.T) {
	t.Parallel()
	var p config.ExchangePair
	require.NoError(t, p.UnmarshalText([]byte("xmr:Mainnet>usdt:TRC20=0.05:20:0.5")))
	require.Equal(t, config.ExchangePair{
		TickerFrom: "xmr", NetworkFrom: "Mainnet", TickerTo: "usdt", NetworkTo: "TRC20",
		Min: money.MustDecimal("0.05"), Max: money.MustDecimal("20"), Step: money.MustDecimal("0.5"),
	}, p)
	for _, text := range []string{
		"", "xmr>ltc=1:2:1", "xmr:Mainnet>ltc:Mainnet", "xmr:Mainnet>ltc:Mainnet=1:2", "xmr:Mainnet>xmr:Mainnet=1:2:1",
		"xmr:Mainnet>ltc:Mainnet=2:1:1", "xmr:Mainnet>ltc:Mainnet=0:1:1", "xmr:Mainnet>ltc:Mainnet=1:2:0", "xmr:Mainnet>ltc:Mainnet=a:2:1",
	} {
		require.Error(t, p.UnmarshalText([]byte(text)), text)
	}
}
