package money_test

import (
	"encoding/json"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
)

// FuzzParseDecimal: a text that ParseDecimal accepts is a JSON number, is
// written as one, and has the same value in every form.
func FuzzParseDecimal(f *testing.F) {
	for _, seed := range []string{"0", "-0", "0.10", "10000000", "1e7", "1E-12", "8.123456789012", "01", ".5", "1.", "NaN", "0x1", "1e400", "-1.5e+3", "1_000"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := money.ParseDecimal(text)
		if err != nil {
			return
		}
		require.True(t, json.Valid([]byte(text)), "%q is not a JSON number", text)
		want, ok := new(big.Rat).SetString(text)
		require.True(t, ok, text)
		got, ok := new(big.Rat).SetString(d.String())
		require.True(t, ok, d.String())
		require.Zero(t, want.Cmp(got), "%q became %q", text, d.String())

		written, err := json.Marshal(d)
		require.NoError(t, err)
		require.NotContains(t, string(written), "e")
		var again money.Decimal
		if err := json.Unmarshal(written, &again); err != nil {
			require.Greater(t, len(written), 64, "only a number that is too long is not read again: %s", written)
			return
		}
		require.Zero(t, d.Cmp(again), "%q", text)
		require.Equal(t, d.String(), again.String())
	})
}

// FuzzParseXMR: an amount in XMR is a whole number of piconero, exactly.
func FuzzParseXMR(f *testing.F) {
	for _, seed := range []string{"0", "0.000000000001", "0.0000000000001", "18446744.073709551615", "18446744.073709551616", "-1", "1e-12", "1e12"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := money.ParseXMR(text)
		if err != nil {
			return
		}
		want, ok := new(big.Rat).SetString(text)
		require.True(t, ok, text)
		got := new(big.Rat).SetFrac(new(big.Int).SetUint64(uint64(p)), big.NewInt(int64(money.OneXMR)))
		require.Zero(t, want.Cmp(got), "%q became %s", text, p)
		again, err := money.ParseXMR(p.String())
		require.NoError(t, err)
		require.Equal(t, p, again)
	})
}

// FuzzFromFiat: a price is rounded up by less than one piconero.
func FuzzFromFiat(f *testing.F) {
	f.Add("49.9", "160")
	f.Add("0.01", "0.00000001")
	f.Add("10000000", "163.52")
	f.Fuzz(func(t *testing.T, amountText, rateText string) {
		amount, err := money.ParseDecimal(amountText)
		if err != nil {
			return
		}
		rate, err := money.ParseDecimal(rateText)
		if err != nil {
			return
		}
		p, err := money.FromFiat(amount, rate)
		if err != nil {
			return
		}
		exact := new(big.Rat).Quo(rat(t, amount), rat(t, rate))
		exact.Mul(exact, new(big.Rat).SetInt64(int64(money.OneXMR)))
		rounding := new(big.Rat).Sub(new(big.Rat).SetInt(new(big.Int).SetUint64(uint64(p))), exact)
		require.GreaterOrEqual(t, rounding.Sign(), 0, "%s at %s became %s", amount, rate, p)
		require.Negative(t, rounding.Cmp(big.NewRat(1, 1)), "%s at %s became %s", amount, rate, p)
	})
}

func rat(t *testing.T, d money.Decimal) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(d.String())
	require.True(t, ok)
	return r
}
