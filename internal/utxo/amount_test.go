package utxo

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/durapay/durapay/tools/testseed"
)

func TestAmountsAreReadExactly(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Amount{
		"0": 0, "0.00000001": 1, "-0.00001410": -1410, "5.00000000": 5 * OneCoin, "0.1": OneCoin / 10,
		"84000000": 84_000_000 * OneCoin, "20999999.97690000": 2_099_999_997_690_000,
		"92233720368.54775807": math.MaxInt64,
	} {
		var got Amount
		require.NoError(t, json.Unmarshal([]byte(text), &got), text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{
		"", "-", ".5", "1e-8", "1E5", "0.000000001", "92233720368.54775808", "+1", "1,5", "NaN", "0x1", "--1", `"1"`,
		"99999999999999999999", " 1", "1 ",
	} {
		_, err := ParseAmount(text)
		require.ErrorIs(t, err, ErrAmount, text)
	}
}

func TestAmountsRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := Amount(rapid.Int64Range(-math.MaxInt64, math.MaxInt64).Draw(t, "satoshi"))
		b, err := json.Marshal(a)
		require.NoError(t, err)
		var back Amount
		require.NoError(t, json.Unmarshal(b, &back))
		require.Equal(t, a, back)
	})
}

func TestCoinsRoundTrip(t *testing.T) {
	t.Parallel()
	const hash = "5c831d5e03fca34a5529034a0bc4c4f06cc23425dbf71bbcc954046f5d9a113b"
	for _, c := range []Coin{{hash, 0}, {hash, math.MaxUint32}} {
		back, err := ParseCoin(c.String())
		require.NoError(t, err)
		require.Equal(t, c, back)
	}
	for _, text := range []string{"", hash, hash + ":", hash + ":x", hash + ":-1", hash + ":1x", hash + ":4294967296", hash[2:] + ":1", "zz" + hash[2:] + ":1"} {
		_, err := ParseCoin(text)
		require.Error(t, err, text)
	}
}
