package exchange_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/exchange"
)

// TestAnAddressThatOurWalletCannotPayIsNone: with such an address a trade could be created,
// but neither paid nor sent back.
func TestAnAddressThatOurWalletCannotPayIsNone(t *testing.T) {
	t.Parallel()
	const extension = "ltcmweb1qq20e2arnhvxw97katjkmsd35agw3capxjkrkh7dk8d30rczm8ypxuq329nwh2twmchhqn3jqh7ua4ps539f6aazh79jy76urqht4qa59ts3at6gf"
	litecoin, known := coin.Find("ltc", "")
	require.True(t, known)
	require.NoError(t, exchange.Coin{Coin: litecoin}.CheckAddress(extension, coin.Main), "a provider may pay it")
	ours := exchange.Coin{Coin: litecoin, WalletID: "ltc-1"}
	require.ErrorIs(t, ours.CheckAddress(extension, coin.Main), coin.ErrAddress)
	require.NoError(t, ours.CheckAddress("LVg2kJoFNg45Nbpy53h7Fe1wKyeXVRhMH9", coin.Main))
}
