package money_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/durapay/durapay/internal/money"
)

func TestRoundingHasADirection(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := money.FromAtomic(rapid.Uint64().Draw(t, "a"), 12)
		b := money.FromAtomic(rapid.Uint64Range(1, math.MaxUint64).Draw(t, "b"), 8)
		n := rapid.Int32Range(0, 18).Draw(t, "n")
		unit := money.MustDecimal("1")
		for range n {
			unit = unit.Mul(money.MustDecimal("0.1"))
		}
		down, err := a.DivFloor(b, n)
		require.NoError(t, err)
		require.LessOrEqual(t, down.Mul(b).Cmp(a), 0)
		require.Positive(t, down.Add(unit).Mul(b).Cmp(a))
		require.LessOrEqual(t, a.Floor(n).Cmp(a), 0)
		require.GreaterOrEqual(t, a.Ceil(n).Cmp(a), 0)
	})
}
