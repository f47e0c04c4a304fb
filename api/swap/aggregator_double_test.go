package swap

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/durapay/durapay/internal/money"
	_ "github.com/durapay/durapay/tools/testseed"
)

func TestDouble(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"20": "20.0", "0": "0.0", "0.000064": "0.000064", "1e-12": "0.000000000001", "1e12": "1000000000000.0", "1.50": "1.5",
	} {
		text, err := json.Marshal(double(money.MustDecimal(value)))
		require.NoError(t, err)
		require.Equal(t, want, string(text))
	}
}

// TestDoubleIsExact checks for any amount: a decimal point, no exponent, and the same number
// when it is parsed.
func TestDoubleIsExact(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[0-9]+\.[0-9]+$`)
	rapid.Check(t, func(t *rapid.T) {
		amount := money.FromAtomic(rapid.Uint64().Draw(t, "atomic"), rapid.Int32Range(0, 18).Draw(t, "decimals"))
		text, err := json.Marshal(double(amount))
		require.NoError(t, err)
		require.Regexp(t, form, string(text))
		read, err := money.ParseDecimal(string(text))
		require.NoError(t, err)
		require.Zero(t, read.Cmp(amount))
	})
}
