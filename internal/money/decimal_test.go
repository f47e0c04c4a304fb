package money_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/durapay/durapay/internal/money"
	_ "github.com/durapay/durapay/tools/testseed"
)

func TestParseDecimalWritesBackTheSameValue(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0": "0", "-0": "0", "0.0": "0", "1": "1", "-1": "-1", "0.1": "0.1", "0.10": "0.1", "10000000": "10000000", "8.123456789012": "8.123456789012",
		"1e2": "100", "1E+2": "100", "1e-2": "0.01", "1.5e1": "15", "123456789012345678901234567890.12": "123456789012345678901234567890.12",
	} {
		d, err := money.ParseDecimal(text)
		require.NoError(t, err, text)
		require.Equal(t, want, d.String(), text)
	}
}

func TestParseDecimalRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "1 ", " 1", "+1", ".5", "5.", "01", "-01", "--1", "1,5", "1_000", "0x10", "NaN", "Infinity", "-Inf", "1e", "1e+", "e5", "1e1.5", "1.2.3",
		"null", "true", `"1"`, "1e1000", "١", strings.Repeat("1", 65), "1\n", "\x001",
	} {
		_, err := money.ParseDecimal(text)
		require.ErrorIs(t, err, money.ErrSyntax, "%q", text)
	}
	for _, text := range []string{"1e65", "1e999", "1e-65", "0.0000000001e-60"} {
		_, err := money.ParseDecimal(text)
		require.ErrorIs(t, err, money.ErrRange, text)
	}
	require.Panics(t, func() { money.MustDecimal("x") })
}

func TestDecimalJSON(t *testing.T) {
	t.Parallel()
	var v struct {
		A money.Decimal  `json:"a"`
		B *money.Decimal `json:"b"`
	}
	require.NoError(t, json.Unmarshal([]byte(`{"a": 0.1, "b": null}`), &v))
	require.Nil(t, v.B)
	out, err := json.Marshal(v)
	require.NoError(t, err)
	require.Equal(t, `{"a":0.1,"b":null}`, string(out))
	for _, bad := range []string{`{"a":"0.1"}`, `{"a":null}`, `{"a":true}`, `{"a":[1]}`, `{"a":{}}`} {
		require.Error(t, json.Unmarshal([]byte(bad), &v), bad)
	}
}

func TestDecimalArithmetic(t *testing.T) {
	t.Parallel()
	d := money.MustDecimal
	require.Equal(t, "0.3", d("0.1").Add(d("0.2")).String())
	require.Equal(t, "-0.1", d("0.1").Sub(d("0.2")).String())
	require.Equal(t, "0.02", d("0.1").Mul(d("0.2")).String())
	third, err := d("1").Div(d("3"), 4)
	require.NoError(t, err)
	require.Equal(t, "0.3333", third.String())
	half, err := d("-1").Div(d("8"), 2)
	require.NoError(t, err)
	require.Equal(t, "-0.13", half.String(), "half away from zero")
	_, err = d("1").Div(d("0.00"), 4)
	require.ErrorIs(t, err, money.ErrRange)
	require.Equal(t, "1.5", d("-1.5").Abs().String())
	require.Equal(t, "1.50", d("1.5").Fixed(2))
	require.Equal(t, "2.68", d("2.675").Round(2).String())
	require.Equal(t, "-2.68", d("-2.675").Round(2).String())
	require.Equal(t, 0, d("1.0").Cmp(d("1")))
	require.Equal(t, -1, d("-1").Sign())
	require.EqualValues(t, 1, d("1.50").Decimals())
	require.EqualValues(t, 0, d("1e2").Decimals())
	require.EqualValues(t, 90, d("1.5").ScaleInt(60))
	require.EqualValues(t, 0, d("0.999").ScaleInt(1))
	require.Equal(t, "0", money.Decimal{}.String())
}

func TestDecimalColumn(t *testing.T) {
	t.Parallel()
	var d money.Decimal
	for _, src := range []any{"12.5", []byte("12.5")} {
		require.NoError(t, d.Scan(src))
		require.Equal(t, "12.5", d.String())
	}
	require.NoError(t, d.Scan(int64(7)))
	value, err := d.Value()
	require.NoError(t, err)
	require.Equal(t, "7", value)
	for _, src := range []any{nil, 1.5, "NaN", ""} {
		require.Error(t, d.Scan(src), "%v", src)
	}
}

func TestCheckAmount(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		"0.01": nil, "0.010": nil, "10000000": nil, "10000000.00": nil, "1e7": nil, "12.34": nil,
		"0": money.ErrRange, "0.009": money.ErrRange, "-1": money.ErrRange, "10000000.01": money.ErrRange, "1e30": money.ErrRange,
		"1.234": money.ErrDecimals,
	} {
		err := money.CheckAmount(money.MustDecimal(text), money.USD)
		require.ErrorIs(t, err, want, text)
	}
	require.NoError(t, money.CheckAmount(money.MustDecimal("8.123456789012"), money.XMR))
	require.ErrorIs(t, money.CheckAmount(money.MustDecimal("8.1234567890123"), money.XMR), money.ErrDecimals)
}

func TestParseCurrency(t *testing.T) {
	t.Parallel()
	for _, c := range []money.Currency{money.USD, money.EUR, money.XMR} {
		got, err := money.ParseCurrency(string(c))
		require.NoError(t, err)
		require.Equal(t, c, got)
	}
	for _, s := range []string{"", "usd", "GBP", " USD"} {
		_, err := money.ParseCurrency(s)
		require.ErrorIs(t, err, money.ErrCurrency, s)
	}
	require.EqualValues(t, 2, money.EUR.Decimals())
	require.EqualValues(t, 12, money.XMR.Decimals())
}

func TestAddAndSubUndoEachOther(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,12})?`)
		a, b := money.MustDecimal(number.Draw(t, "a")), money.MustDecimal(number.Draw(t, "b"))
		require.Zero(t, a.Add(b).Sub(b).Cmp(a))
		again, err := money.ParseDecimal(a.String())
		require.NoError(t, err)
		require.Zero(t, again.Cmp(a))
	})
}
