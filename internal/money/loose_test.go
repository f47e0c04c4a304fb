package money_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
)

func TestLooseReadsNumbersAndQuotedNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`0.1`: "0.1", `"0.1"`: "0.1", `20`: "20", `20.0`: "20", `"1e-7"`: "0.0000001", `8.123456789012`: "8.123456789012",
	} {
		var n money.Loose
		require.NoError(t, json.Unmarshal([]byte(text), &n), text)
		require.Equal(t, want, n.String())
	}
	for _, text := range []string{`null`, `""`, `"a"`, `true`, `[1]`, `{}`, `" 1"`, `"1 "`, `"NaN"`, `1e999`} {
		require.Error(t, json.Unmarshal([]byte(text), &money.Loose{}), text)
	}
}

func TestAtomicUnitsAreExact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text     string
		decimals int32
		want     uint64
	}{{"1", 8, 100000000}, {"0.00000001", 8, 1}, {"18.446744073709551615", 18, 1<<64 - 1}, {"0", 12, 0}, {"7", 0, 7}} {
		n, err := money.MustDecimal(c.text).ToAtomic(c.decimals)
		require.NoError(t, err)
		require.Equal(t, c.want, n)
		require.Equal(t, c.text, money.FromAtomic(n, c.decimals).String())
	}
	for text, want := range map[string]error{
		"0.000000001": money.ErrDecimals, "-1": money.ErrRange, "184467440737.09551616": money.ErrRange,
	} {
		_, err := money.MustDecimal(text).ToAtomic(8)
		require.ErrorIs(t, err, want, text)
	}
}
