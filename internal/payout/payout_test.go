package payout_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
)

func TestSelectTakesWholeSubaddressesThatFit(t *testing.T) {
	t.Parallel()
	var candidates []payout.Candidate
	for i := range 150 {
		candidates = append(candidates, payout.Candidate{TransferID: int64(i), SubaddressIndex: int32(i + 1), Amount: 10, Outputs: 1})
	}
	s, err := payout.Select(candidates)
	require.NoError(t, err)
	require.EqualValues(t, payout.MaxInputs, s.Outputs)
	require.EqualValues(t, payout.MaxInputs, s.Charges)
	require.EqualValues(t, 1460, s.Gross)
	require.EqualValues(t, 0, s.TransferIDs[0], "the oldest first")
}

func TestSelectNeverSplitsASubaddress(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var candidates []payout.Candidate
		perIndex := map[int32]int32{}
		for i := range rapid.IntRange(0, 300).Draw(t, "n") {
			c := payout.Candidate{
				TransferID: int64(i), SubaddressIndex: rapid.Int32Range(1, 60).Draw(t, "index"),
				Amount: money.Piconero(rapid.Uint64Range(1, 1000).Draw(t, "amount")), Outputs: rapid.Int32Range(1, 20).Draw(t, "outputs"),
			}
			perIndex[c.SubaddressIndex] += c.Outputs
			candidates = append(candidates, c)
		}
		s, err := payout.Select(candidates)
		require.NoError(t, err)
		require.LessOrEqual(t, s.Outputs, int32(payout.MaxInputs))
		var want int32
		for _, i := range s.Indices {
			want += perIndex[int32(i)]
		}
		require.Equal(t, want, s.Outputs)
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
