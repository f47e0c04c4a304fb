package utxo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/utxo"
)

// An amount that was read is written with the same digits.
func FuzzParseAmount(f *testing.F) {
	for _, text := range []string{"1", "0.00000001", "-2.5", "92233720368.54775807", "92233720368.54775808", "1e3", ".", "-", "+1", "0x1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		amount, err := utxo.ParseAmount(text)
		if err != nil {
			return
		}
		again, err := utxo.ParseAmount(amount.String())
		require.NoError(t, err)
		require.Equal(t, amount, again)
	})
}

func FuzzParseCoin(f *testing.F) {
	f.Add(unknownHash + ":0")
	f.Add(unknownHash + ":4294967296")
	f.Add(":")
	f.Fuzz(func(t *testing.T, text string) {
		coin, err := utxo.ParseCoin(text)
		if err != nil {
			return
		}
		again, err := utxo.ParseCoin(coin.String())
		require.NoError(t, err)
		require.Equal(t, coin, again)
	})
}
