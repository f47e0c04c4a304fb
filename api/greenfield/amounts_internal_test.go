package greenfield

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/refund"
	_ "github.com/durapay/durapay/tools/testseed"
)

func inFiat(amount money.Piconero, fiat string) refund.Refunded {
	worth, usd := money.MustDecimal(fiat), money.USD
	return refund.Refunded{AmountXMR: amount, LeftXMR: amount, FiatAmount: &worth, FiatCurrency: &usd}
}

func amount(text string) *Amount { return &Amount{Decimal: money.MustDecimal(text)} }

// TestPartsInFiatAddUpToTheWhole claims random parts of a refund one after the other and
// checks that no remainder is left, nothing is paid twice, and each part is shown as it was
// requested.
func TestPartsInFiatAddUpToTheWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cents := rapid.Int64Range(2, 10_000_000).Draw(t, "cents")
		r := inFiat(money.Piconero(rapid.Uint64Range(1_000_000_000, 1_000*uint64(money.OneXMR)).Draw(t, "amount")), money.DecimalFromInt(cents).Mul(money.MustDecimal("0.01")).String())
		parts := rapid.IntRange(1, refund.MaxClaims).Draw(t, "parts")
		for i := range parts {
			part := cents
			if i < parts-1 {
				part = rapid.Int64Range(0, cents).Draw(t, "part")
			}
			if cents -= part; part == 0 {
				continue
			}
			want := Amount{Decimal: money.DecimalFromInt(part).Mul(money.MustDecimal("0.01"))}
			takes, err := asked(r, &want)
			require.NoError(t, err)
			require.LessOrEqual(t, takes, r.LeftXMR)
			_, shown := original(r, takes)
			require.Equal(t, want.String(), shown.String())
			r.LeftXMR -= takes
		}
		require.Zero(t, r.LeftXMR)
	})
}

func TestAmountsThatAreAskedFor(t *testing.T) {
	t.Parallel()
	fiat, xmr := inFiat(money.OneXMR/3, "49.9"), refund.Refunded{AmountXMR: money.OneXMR, LeftXMR: money.OneXMR}
	for _, c := range []struct {
		of    refund.Refunded
		text  string
		takes money.Piconero
	}{
		{fiat, "49.90", money.OneXMR / 3}, {fiat, "24.95", 166_666_666_667}, {fiat, "0.01", 66_800_268},
		{fiat, "49.91", 333_400_133_601}, // more than is left, which the claim then refuses
		{xmr, "0.5", money.OneXMR / 2}, {xmr, "0.000000000001", 1},
	} {
		got, err := asked(c.of, amount(c.text))
		require.NoError(t, err, c.text)
		require.Equal(t, c.takes, got, c.text)
	}
	for _, text := range []string{"0", "-1", "0.001", "1e30"} {
		_, err := asked(fiat, amount(text))
		require.Error(t, err, text)
	}
	for _, text := range []string{"0", "-1", "0.0000000000001", "1e30"} {
		_, err := asked(xmr, amount(text))
		require.Error(t, err, text)
	}
	got, err := asked(xmr, nil)
	require.NoError(t, err)
	require.Zero(t, got, "all that is left")
}
