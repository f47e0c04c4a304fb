package paymentrequest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/paymentrequest"
)

func TestStatus(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	later, earlier := now.Add(time.Millisecond), now.Add(-time.Hour)
	for _, c := range []struct {
		request paymentrequest.Request
		want    paymentrequest.Status
	}{
		{paymentrequest.Request{Active: true}, paymentrequest.Active},
		{paymentrequest.Request{Active: true, ExpiresAt: &later}, paymentrequest.Active},
		{paymentrequest.Request{Active: true, ExpiresAt: &now}, paymentrequest.Expired},
		{paymentrequest.Request{ExpiresAt: &earlier}, paymentrequest.Inactive},
		{paymentrequest.Request{Active: true, SingleUse: true, CompletedPayments: 1, ConsumedAt: &earlier}, paymentrequest.Consumed},
		{paymentrequest.Request{SingleUse: true, CompletedPayments: 2, ConsumedAt: &earlier, ExpiresAt: &earlier}, paymentrequest.Consumed},
		{paymentrequest.Request{Active: true, CompletedPayments: 7}, paymentrequest.Active},
	} {
		require.Equal(t, c.want, c.request.StatusAt(now))
	}
}

func TestAsks(t *testing.T) {
	t.Parallel()
	r := paymentrequest.Request{Amount: money.MustDecimal("8.5"), Currency: money.EUR}
	same, other, eur, usd := money.MustDecimal("8.50"), money.MustDecimal("8.51"), "EUR", "USD"
	require.True(t, r.Asks(nil, nil))
	require.True(t, r.Asks(&same, &eur))
	require.False(t, r.Asks(&other, &eur))
	require.False(t, r.Asks(&same, &usd))
}
