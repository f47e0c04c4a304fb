package webhook_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/webhook"
)

// pausesOf are the pauses of a round in which every attempt fails at once, and
// how long it takes.
func pausesOf(p webhook.Policy) (pauses []time.Duration, took time.Duration) {
	begun := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	at := begun
	for n := 1; ; n++ {
		next, again := p.Next(begun, at, n)
		if !again {
			return pauses, at.Sub(begun)
		}
		pauses = append(pauses, next.Sub(at))
		at = next
	}
}

func policyOf(t *testing.T, r webhook.Retries) webhook.Policy {
	t.Helper()
	p, known := webhook.PolicyOf(r)
	require.True(t, known)
	return p
}

func TestMerchantDeliveriesAreTriedThreeTimes(t *testing.T) {
	t.Parallel()
	pauses, _ := pausesOf(policyOf(t, webhook.Short))
	require.Equal(t, []time.Duration{5 * time.Second, 10 * time.Second}, pauses)
}

func TestMerchantDeliveriesMayBeTriedForADay(t *testing.T) {
	t.Parallel()
	pauses, took := pausesOf(policyOf(t, webhook.Long))
	require.Equal(t, []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second}, pauses[:3])
	require.Equal(t, time.Hour, pauses[len(pauses)-1])
	require.Less(t, took, 24*time.Hour)
	require.GreaterOrEqual(t, took, 23*time.Hour)
}

func TestBTCPayTriesForAnHour(t *testing.T) {
	t.Parallel()
	pauses, took := pausesOf(policyOf(t, webhook.AsBTCPay))
	require.Len(t, pauses, 8)
	require.Equal(t, []time.Duration{10 * time.Second, time.Minute, 10 * time.Minute}, pauses[:3])
	require.Equal(t, time.Hour+70*time.Second, took)
	pauses, _ = pausesOf(policyOf(t, webhook.Once))
	require.Empty(t, pauses)
	_, known := webhook.PolicyOf("forever")
	require.False(t, known)
}

func TestPartnerDeliveriesAreTriedForADay(t *testing.T) {
	t.Parallel()
	pauses, took := pausesOf(webhook.PolicyOfPartners())
	require.Equal(t, []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second}, pauses[:3])
	require.Equal(t, time.Hour, pauses[len(pauses)-1])
	require.Less(t, took, 24*time.Hour)
	require.GreaterOrEqual(t, took, 23*time.Hour)
}
