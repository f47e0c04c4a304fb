package charge_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
)

func TestRequestStatus(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	later, earlier := now.Add(time.Millisecond), now.Add(-time.Hour)
	for _, c := range []struct {
		request charge.Request
		want    charge.RequestStatus
	}{
		{charge.Request{Active: true}, charge.RequestActive},
		{charge.Request{Active: true, ExpiresAt: &later}, charge.RequestActive},
		{charge.Request{Active: true, ExpiresAt: &now}, charge.RequestExpired},
		{charge.Request{ExpiresAt: &earlier}, charge.RequestInactive},
		{charge.Request{Active: true, SingleUse: true, CompletedPayments: 1, ConsumedAt: &earlier}, charge.RequestConsumed},
		{charge.Request{SingleUse: true, CompletedPayments: 2, ConsumedAt: &earlier, ExpiresAt: &earlier}, charge.RequestConsumed},
		{charge.Request{Active: true, CompletedPayments: 7}, charge.RequestActive},
	} {
		require.Equal(t, c.want, c.request.StatusAt(now))
	}
}

func TestRequestAsks(t *testing.T) {
	t.Parallel()
	r := charge.Request{Amount: money.MustDecimal("8.5"), Currency: money.EUR}
	same, other, eur, usd := money.MustDecimal("8.50"), money.MustDecimal("8.51"), "EUR", "USD"
	require.True(t, r.Asks(nil, nil))
	require.True(t, r.Asks(&same, &eur))
	require.False(t, r.Asks(&other, &eur))
	require.False(t, r.Asks(&same, &usd))
}
