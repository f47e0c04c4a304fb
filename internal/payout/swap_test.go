package payout_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
)

func TestOrderAmountKeepsEightDecimals(t *testing.T) {
	t.Parallel()
	for net, want := range map[money.Piconero]string{
		money.OneXMR: "1", money.OneXMR - 1: "0.99999999", 1_234_567_890_129_999: "1234.56789012", 9_999: "0", 10_000: "0.00000001",
	} {
		require.Equal(t, want, payout.OrderAmount(net).String())
	}
}

func TestWhatFitsASwap(t *testing.T) {
	t.Parallel()
	ordered := money.MustDecimal("2")
	least, most := payout.SwapBand(ordered)
	require.Equal(t, "1.98", least.String())
	require.Equal(t, "2.02", most.String())
	for amount, fits := range map[money.Piconero]bool{
		1_980_000_000_000: true, 1_979_999_999_999: false, 2_020_000_000_000: true, 2_020_000_000_001: false,
		2_000_000_000_000: true, 0: false,
	} {
		if fits {
			require.NoError(t, payout.FitsSwap(ordered, amount), amount)
		} else {
			require.ErrorIs(t, payout.FitsSwap(ordered, amount), payout.ErrOutsideSwap, amount)
		}
	}
}
