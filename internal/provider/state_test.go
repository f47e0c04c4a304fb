package provider_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
)

func TestStatesAsTheMerchantSeesThem(t *testing.T) {
	t.Parallel()
	for state, want := range map[provider.State]string{
		provider.Waiting: "waiting", provider.Confirming: "confirming", provider.Exchanging: "exchanging",
		provider.Verifying: "exchanging", provider.Sending: "sending", provider.Finished: "finished",
		provider.Refunding: "exchanging", provider.Refunded: "refunded", provider.Failed: "failed",
		provider.Expired: "failed", provider.Halted: "failed", provider.Unknown: "failed",
	} {
		require.Equal(t, want, state.Merchant(), state)
	}
	for _, state := range []provider.State{provider.Finished, provider.Refunded, provider.Failed, provider.Expired} {
		require.True(t, state.Final(), state)
	}
	for _, state := range []provider.State{provider.Waiting, provider.Halted, provider.Verifying, provider.Refunding, provider.Unknown} {
		require.False(t, state.Final(), "%s is polled again", state)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	low, high := money.MustDecimal("0.1"), money.MustDecimal("10")
	for text, want := range map[string]error{"0.1": nil, "10": nil, "0.09999999": provider.ErrBelowMin, "10.00000001": provider.ErrAboveMax} {
		err := provider.CheckLimits(money.MustDecimal(text), &low, &high)
		require.ErrorIs(t, err, want, text)
		require.NoError(t, provider.CheckLimits(money.MustDecimal(text), nil, nil))
	}
	var limit *provider.LimitError
	require.ErrorAs(t, provider.CheckLimits(money.MustDecimal("11"), &low, &high), &limit)
	require.Equal(t, "10", limit.Limit.String())
	require.EqualError(t, limit, "the amount is above the provider's maximum of 10")
	require.EqualError(t, &provider.LimitError{Kind: provider.ErrBelowMin}, "the amount is below the provider's minimum")
}
