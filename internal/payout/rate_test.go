package payout_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
)

func TestRateInForce(t *testing.T) {
	t.Parallel()
	own, standard := money.MustDecimal("0.001"), money.MustDecimal("0.01")
	tiers := []payout.Tier{
		{VolumeXMR: 1000 * money.OneXMR, FeeRate: money.MustDecimal("0.002")}, {VolumeXMR: 10 * money.OneXMR, FeeRate: money.MustDecimal("0.005")},
	}
	for _, c := range []struct {
		own    *money.Decimal
		tiers  []payout.Tier
		volume money.Piconero
		want   string
	}{
		{nil, nil, 0, "0.01"}, {nil, nil, 5000 * money.OneXMR, "0.01"},
		{nil, tiers, 0, "0.01"}, {nil, tiers, 10*money.OneXMR - 1, "0.01"}, {nil, tiers, 10 * money.OneXMR, "0.005"},
		{nil, tiers, 1000*money.OneXMR - 1, "0.005"}, {nil, tiers, 1000 * money.OneXMR, "0.002"},
		{&own, tiers, 1000 * money.OneXMR, "0.001"}, {&own, nil, 0, "0.001"},
	} {
		require.Equal(t, c.want, payout.RateOf(c.own, c.tiers, c.volume, standard).String())
	}
}

func TestRates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"0": true, "0.005": true, "0.999999": true, "1": false, "-0.000001": false, "0.0000001": false, "5": false,
	} {
		require.Equal(t, want, payout.IsRate(money.MustDecimal(text)), text)
	}
}
