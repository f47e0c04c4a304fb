package payout_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
)

func TestSelectTakesTheOldestThatFit(t *testing.T) {
	t.Parallel()
	var candidates []payout.Candidate
	for i := range 150 {
		candidates = append(candidates, payout.Candidate{PaymentID: int64(i), ChargeID: fmt.Sprint(i / 2), Amount: 10, Outputs: 1})
	}
	s, err := payout.Select(candidates)
	require.NoError(t, err)
	require.Equal(t, payout.MaxInputs(), s.Outputs)
	require.Equal(t, payout.MaxInputs()/2, s.Charges)
	require.EqualValues(t, 1460, s.Gross)
	require.EqualValues(t, 0, s.PaymentIDs[0], "the oldest first")
}

// TestSweepsEmptyTheBalance shows that no payment, however the payer split it,
// blocks other payments or is never paid out.
func TestSweepsEmptyTheBalance(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		remaining := map[int64]payout.Candidate{}
		for i := range rapid.IntRange(0, 400).Draw(t, "n") {
			remaining[int64(i)] = payout.Candidate{
				PaymentID: int64(i), ChargeID: fmt.Sprint(rapid.IntRange(1, 60).Draw(t, "charge")),
				Amount:  money.Piconero(rapid.Uint64Range(1, 1000).Draw(t, "amount")),
				Outputs: rapid.Int32Range(1, 16).Draw(t, "outputs"),
			}
		}
		for len(remaining) > 0 {
			var candidates []payout.Candidate
			for _, id := range slices.Sorted(maps.Keys(remaining)) {
				candidates = append(candidates, remaining[id])
			}
			s, err := payout.Select(candidates)
			require.NoError(t, err)
			require.NotEmpty(t, s.PaymentIDs)
			require.LessOrEqual(t, s.Outputs, payout.MaxInputs())
			var gross money.Piconero
			for _, id := range s.PaymentIDs {
				gross += remaining[id].Amount
				delete(remaining, id)
			}
			require.Equal(t, gross, s.Gross)
		}
	})
}

func TestNetIsNeverNothing(t *testing.T) {
	t.Parallel()
	net, err := payout.Net(100, 10, 20)
	require.NoError(t, err)
	require.EqualValues(t, 70, net)
	for _, fees := range [][2]money.Piconero{{0, 100}, {100, 0}, {50, 51}, {101, 0}} {
		_, err := payout.Net(100, fees[0], fees[1])
		require.ErrorIs(t, err, payout.ErrTooSmall)
	}
}

func TestFeeRoundsDown(t *testing.T) {
	t.Parallel()
	fee, err := payout.Fee(1999, money.MustDecimal("0.005"))
	require.NoError(t, err)
	require.EqualValues(t, 9, fee)
}

func TestMaskAddress(t *testing.T) {
	t.Parallel()
	require.Equal(t, "abcdef…uvwxyz", payout.MaskAddress("abcdefghijklmnopqrstuvwxyz"))
	require.Equal(t, "…", payout.MaskAddress("abc"))
}
