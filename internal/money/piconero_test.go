package money_test

import (
	"encoding/json"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/durapay/durapay/internal/money"
)

func TestParseXMR(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]money.Piconero{
		"0": 0, "1": money.OneXMR, "0.000000000001": 1, "8.123456789012": 8_123_456_789_012, "1e-12": 1,
		"18446744.073709551615": math.MaxUint64, "0.1000000000000000": 100_000_000_000,
	} {
		got, err := money.ParseXMR(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for text, want := range map[string]error{
		"0.0000000000001": money.ErrDecimals, "18446744.073709551616": money.ErrRange, "-1": money.ErrRange,
		"-0.000000000001": money.ErrRange, "1e60": money.ErrRange, "x": money.ErrSyntax,
	} {
		_, err := money.ParseXMR(text)
		require.ErrorIs(t, err, want, text)
	}
}

func TestPiconeroJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0", "0.1", "8.123456789012", "10000000", "18446744.073709551615", "0.000000000001"} {
		var p money.Piconero
		require.NoError(t, json.Unmarshal([]byte(text), &p))
		out, err := json.Marshal(p)
		require.NoError(t, err)
		require.Equal(t, text, string(out))
	}
	var p money.Piconero
	for _, bad := range []string{`"1"`, "null", "-1", "0.0000000000001", "1e30"} {
		require.Error(t, json.Unmarshal([]byte(bad), &p), bad)
	}
}

func TestCheckedArithmetic(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := money.Piconero(rapid.Uint64().Draw(t, "a")), money.Piconero(rapid.Uint64().Draw(t, "b"))
		exact := new(big.Int).Add(new(big.Int).SetUint64(uint64(a)), new(big.Int).SetUint64(uint64(b)))
		sum, err := a.Add(b)
		if !exact.IsUint64() {
			require.ErrorIs(t, err, money.ErrRange)
		} else {
			require.NoError(t, err)
			require.Equal(t, exact.Uint64(), uint64(sum))
		}
		diff, err := a.Sub(b)
		if b > a {
			require.ErrorIs(t, err, money.ErrRange)
			require.Zero(t, a.SubFloor(b))
		} else {
			require.NoError(t, err)
			require.Equal(t, diff, a.SubFloor(b))
			require.Equal(t, uint64(a), uint64(diff)+uint64(b))
		}
	})
}

func TestSum(t *testing.T) {
	t.Parallel()
	total, err := money.Sum()
	require.NoError(t, err)
	require.Zero(t, total)
	total, err = money.Sum(1, 2, 3)
	require.NoError(t, err)
	require.EqualValues(t, 6, total)
	_, err = money.Sum(math.MaxUint64, 1)
	require.ErrorIs(t, err, money.ErrRange)
}

func TestPercent(t *testing.T) {
	t.Parallel()
	share := func(p money.Piconero, pct string) money.Piconero {
		got, err := p.Percent(money.MustDecimal(pct))
		require.NoError(t, err)
		return got
	}
	require.EqualValues(t, 0, share(math.MaxUint64, "0"))
	require.EqualValues(t, uint64(math.MaxUint64), share(math.MaxUint64, "100"))
	require.EqualValues(t, 5_000_000_000, share(money.OneXMR, "0.5"))
	require.EqualValues(t, 0, share(199, "0.5"), "rounded down")
	require.EqualValues(t, 1, share(200, "0.5"))
	for _, bad := range []string{"-0.1", "100.01"} {
		_, err := money.OneXMR.Percent(money.MustDecimal(bad))
		require.ErrorIs(t, err, money.ErrRange)
	}
}

func TestFromFiat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ amount, rate, want string }{
		{"10", "200", "0.05"}, {"0.01", "10000000", "0.000000001"}, {"1", "3", "0.333333333334"}, {"0", "150", "0"},
		{"331.25", "331.25", "1"}, {"10000000", "0.75", "13333333.333333333334"}, {"100", "285.123456789", "0.350725265211"},
	} {
		got, err := money.FromFiat(money.MustDecimal(c.amount), money.MustDecimal(c.rate))
		require.NoError(t, err)
		require.Equal(t, c.want, got.String(), "%s at %s", c.amount, c.rate)
	}
	for _, c := range [][2]string{{"1", "0"}, {"1", "-1"}, {"-1", "1"}, {"10000000", "0.1"}} {
		_, err := money.FromFiat(money.MustDecimal(c[0]), money.MustDecimal(c[1]))
		require.ErrorIs(t, err, money.ErrRange, c)
	}
}

// A payment is worth the price or more, but less than one piconero more.
func TestFromFiatNeverAsksForLess(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		amount := money.MustDecimal(rapid.StringMatching(`(0|[1-9][0-9]{0,6})\.[0-9]{2}`).Draw(t, "amount"))
		rate := money.MustDecimal(rapid.StringMatching(`[1-9][0-9]{0,5}(\.[0-9]{1,8})?`).Draw(t, "rate"))
		p, err := money.FromFiat(amount, rate)
		require.NoError(t, err)
		worth := p.Decimal().Mul(rate)
		require.GreaterOrEqual(t, worth.Cmp(amount), 0)
		if p > 0 {
			less := (p - 1).Decimal().Mul(rate)
			require.Negative(t, less.Cmp(amount))
		}
	})
}

func TestPiconeroColumn(t *testing.T) {
	t.Parallel()
	p := money.Piconero(math.MaxUint64)
	value, err := p.Value()
	require.NoError(t, err)
	require.Equal(t, "18446744073709551615", value)
	var back money.Piconero
	for _, src := range []any{value, []byte("18446744073709551615")} {
		require.NoError(t, back.Scan(src))
		require.Equal(t, p, back)
	}
	require.NoError(t, back.Scan(int64(5)))
	require.EqualValues(t, 5, back)
	for _, src := range []any{nil, "-1", "1.5", "", "18446744073709551616", int64(-1), 1.0} {
		require.Error(t, back.Scan(src), "%v", src)
	}
	require.ErrorIs(t, back.Scan("-1"), money.ErrRange)
}
