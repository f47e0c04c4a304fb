package invoice_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/webhook"
)

// Dust does not cause an unlimited number of deliveries, in any order of the payments.
func TestEventsAreOfTheFirstPayments(t *testing.T) {
	t.Parallel()
	begun := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	c := charge.Charge{Status: charge.Pending, AmountXMR: 1_000_000, ConfirmFrom: 1_000_000, ExpiresAt: begun.Add(time.Hour)}
	var f charge.Facts
	for n := range 1000 {
		f.Payments = append(f.Payments, charge.Payment{TxHash: fmt.Sprint(n), Amount: 1, FirstSeenAt: begun.Add(time.Duration(1000-n) * time.Second)})
	}
	events := invoice.Events(c, c, f)
	require.Len(t, events, 100)
	require.Equal(t, "999", events[0].Part)
	for _, e := range events {
		require.Equal(t, webhook.InvoiceReceivedPayment, e.Type)
	}
}
