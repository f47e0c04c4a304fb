package payout_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	_ "github.com/durapay/durapay/tools/testseed"
)

func atLeast(sum money.Piconero) func(int32) (money.Piconero, error) {
	return func(outputs int32) (money.Piconero, error) { return sum + money.Piconero(outputs), nil }
}

func candidatesOf(amounts ...money.Piconero) []payout.Candidate {
	list := make([]payout.Candidate, len(amounts))
	for i, a := range amounts {
		list[i] = payout.Candidate{PaymentID: int64(i), ChargeID: "c", Amount: a, Outputs: 1}
	}
	return list
}

func TestCoverTakesFewOutputsAndTheOldest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		amounts []money.Piconero
		need    money.Piconero
		want    []int64
	}{
		"the oldest that suffices":  {[]money.Piconero{5, 20, 90, 20}, 15, []int64{1}},
		"one rather than two":       {[]money.Piconero{8, 9, 100}, 15, []int64{2}},
		"two when one is too small": {[]money.Piconero{8, 1, 9, 8}, 13, []int64{0, 2}},
		"the fee grows with inputs": {[]money.Piconero{8, 8, 8}, 15, []int64{0, 1, 2}},
	} {
		got, ok, err := payout.Cover(candidatesOf(c.amounts...), atLeast(c.need))
		require.NoError(t, err)
		require.True(t, ok, name)
		require.Equal(t, c.want, got.PaymentIDs, name)
	}
	_, ok, err := payout.Cover(candidatesOf(8, 8), atLeast(15))
	require.NoError(t, err)
	require.False(t, ok)
	_, ok, err = payout.Cover(nil, atLeast(0))
	require.NoError(t, err)
	require.False(t, ok)
}

// TestCoverIsTheFewest compares Cover with a search of all subsets.
func TestCoverIsTheFewest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var list []payout.Candidate
		for i := range rapid.IntRange(0, 9).Draw(t, "n") {
			list = append(list, payout.Candidate{
				PaymentID: int64(i), ChargeID: "c", Amount: money.Piconero(rapid.Uint64Range(1, 60).Draw(t, "amount")),
				Outputs: rapid.Int32Range(1, 80).Draw(t, "outputs"),
			})
		}
		need := atLeast(money.Piconero(rapid.Uint64Range(1, 200).Draw(t, "need")))
		best := int32(0)
		for set := range 1 << len(list) {
			var sum money.Piconero
			var outputs int32
			for i, c := range list {
				if set>>i&1 == 1 {
					sum, outputs = sum+c.Amount, outputs+c.Outputs
				}
			}
			least, _ := need(outputs)
			if outputs > 0 && outputs <= payout.MaxInputs() && sum >= least && (best == 0 || outputs < best) {
				best = outputs
			}
		}
		got, ok, err := payout.Cover(list, need)
		require.NoError(t, err)
		require.Equal(t, best > 0, ok)
		if ok {
			require.Equal(t, best, got.Outputs)
			least, _ := need(got.Outputs)
			require.GreaterOrEqual(t, got.Gross, least)
		}
	})
}

// TestRefundSumsAddUp draws sums and rates. The sum that Cover needs leaves
// something for the merchant, and refund, rest, fee and the chain's fee add up to
// the gross sum.
func TestRefundSumsAddUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		refund := money.Piconero(rapid.Uint64Range(1, 1e15).Draw(t, "refund"))
		perInput := money.Piconero(rapid.Uint64Range(1, 1e9).Draw(t, "per input"))
		outputs := rapid.Int32Range(1, payout.MaxInputs()).Draw(t, "outputs")
		rate := money.FromAtomic(rapid.Uint64Range(0, 999_000).Draw(t, "rate"), 6)
		gross, err := payout.RefundNeeds(refund, perInput, outputs, rate)
		require.NoError(t, err)
		gross += money.Piconero(rapid.Uint64Range(0, 1e15).Draw(t, "more"))
		network := perInput * money.Piconero(outputs+3) // less than the sum assumed
		rest, err := payout.RefundRest(gross, refund, network, rate)
		require.NoError(t, err)
		require.Positive(t, rest)
		fee := gross - refund - rest - network
		share, err := payout.Fee(gross, rate)
		require.NoError(t, err)
		require.GreaterOrEqual(t, fee, share, "of what is refunded as well")
		require.LessOrEqual(t, fee, share+network/100+1, "the margin, and no more")
	})
	rapid.Check(t, func(t *rapid.T) {
		refund := money.Piconero(rapid.Uint64Range(1, 1e15).Draw(t, "refund"))
		measured := money.Piconero(rapid.Uint64Range(1, 1e12).Draw(t, "measured"))
		rate := money.FromAtomic(rapid.Uint64Range(0, 999_000).Draw(t, "rate"), 6)
		takes, err := payout.RefundTakes(refund, measured, rate)
		require.NoError(t, err)
		_, err = payout.RefundRest(takes, refund, measured, rate)
		require.NoError(t, err)
	})
	_, err := payout.RefundRest(10, 11, 0, money.Decimal{})
	require.ErrorIs(t, err, payout.ErrTooSmall)
	most, err := payout.RefundNeeds(1e15, 1, 1, money.MustDecimal("0.999999"))
	require.NoError(t, err)
	require.Equal(t, ^money.Piconero(0), most, "no sum suffices")
}
