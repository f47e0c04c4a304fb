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

func TestMerchantsAreToldThreeTimes(t *testing.T) {
	t.Parallel()
	pauses, _ := pausesOf(webhook.PolicyOf(webhook.Merchant))
	require.Equal(t, []time.Duration{5 * time.Second, 10 * time.Second}, pauses)
}

func TestPartnersAreToldForADay(t *testing.T) {
	t.Parallel()
	pauses, took := pausesOf(webhook.PolicyOf(webhook.Partner))
	require.Equal(t, []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second}, pauses[:3])
	require.Equal(t, time.Hour, pauses[len(pauses)-1])
	require.Less(t, took, 24*time.Hour)
	require.GreaterOrEqual(t, took, 23*time.Hour)
}
