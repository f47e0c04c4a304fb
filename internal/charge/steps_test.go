package charge_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
)

func TestStepsGiveBlocksByValue(t *testing.T) {
	t.Parallel()
	var s charge.Steps
	require.NoError(t, s.UnmarshalText([]byte("20:2, 200.5:5,*:10")))
	for value, blocks := range map[string]int32{
		"0.01": 2, "20": 2, "20.01": 5, "200.5": 5, "200.51": 10, "10000000": 10,
	} {
		v := money.MustDecimal(value)
		require.Equal(t, blocks, s.For(&v), value)
	}
	require.EqualValues(t, 10, s.For(nil))
	require.NoError(t, s.UnmarshalText([]byte("*:1000")))
	require.EqualValues(t, 1000, s.For(nil))
	require.NoError(t, s.UnmarshalText(nil))
	require.Empty(t, s)
}

func TestStepsThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"10", "20:2", "*", "*:", ":5", "*:0", "*:1001", "*:-1", "*:1.5", "*:10,", ",*:10", "20:2,20:5,*:10", "200:2,20:5,*:10",
		"20:5,200:2,*:10", "20:5,*:2", "*:10,20:2", "*:10,*:10", "0:1,*:2", "-1:1,*:2", "x:1,*:2", "20:2;*:10", "1e400000:1,*:2",
	} {
		var s charge.Steps
		require.ErrorIs(t, s.UnmarshalText([]byte(text)), charge.ErrSteps, text)
		require.Empty(t, s)
	}
}
