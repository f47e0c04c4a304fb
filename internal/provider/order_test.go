package provider_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
)

// Each rule is exact to the nanosecond: the test checks the limit itself, and a
// nanosecond before and after it.
func TestRulesOfTime(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	from := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for name, rule := range map[string]struct {
		holds    func(from, now time.Time) bool
		after    time.Duration
		included bool
	}{
		"overdue": {provider.OrderOverdue, 7 * day, false},
		"quiet":   {provider.Quiet, 30 * day, false},
		"silent":  {provider.Silent, time.Hour, true},
		"steady":  {provider.Steady, time.Hour, false},
	} {
		require.False(t, rule.holds(from, from.Add(-day)), name)
		require.False(t, rule.holds(from, from.Add(rule.after-1)), name)
		require.Equal(t, rule.included, rule.holds(from, from.Add(rule.after)), name)
		require.True(t, rule.holds(from, from.Add(rule.after+1)), name)
	}
}

func TestLeastAmountIsExact(t *testing.T) {
	t.Parallel()
	for offered, least := range map[string]string{"0": "0", "2.86": "2.8314", "0.00000001": "0.0000000099", "100": "99"} {
		require.Equal(t, least, provider.LeastAmountTo(money.MustDecimal(offered)).String())
	}
}

// An order may exist unless its error proves that it does not.
func TestOnlyRefusalsSayThatThereIsNoOrder(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		provider.ErrPairUnsupported, provider.ErrUnavailable, provider.ErrRefused, &provider.LimitError{Kind: provider.ErrBelowMin},
		&provider.LimitError{Kind: provider.ErrAboveMax}, fmt.Errorf("call: %w", provider.ErrUnavailable),
	} {
		require.Equal(t, provider.Refused, provider.OrderStateAfter(err), err)
	}
	for _, err := range []error{provider.ErrUncertain, provider.ErrRateChanged, provider.ErrUnknownSwap, errors.New("EOF")} {
		require.Equal(t, provider.OutcomeUnknown, provider.OrderStateAfter(err), err)
	}
}

func TestTransactionsAreNotForgotten(t *testing.T) {
	t.Parallel()
	known := provider.Transactions{}.After(provider.Swap{DepositTx: "d"})
	known = known.After(provider.Swap{PayoutTx: "p"}).After(provider.Swap{PayoutTx: "q", RefundTx: "r"})
	require.Equal(t, provider.Transactions{Deposit: "d", Payout: "q", Refund: "r"}, known)
	require.Equal(t, known, known.After(provider.Swap{}))
}
