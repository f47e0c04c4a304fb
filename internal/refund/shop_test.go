package refund_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/refund"
)

// TestAShopsPaymentIsFollowedUntilItIsFinal goes through what a chain can do to a payment.
func TestAShopsPaymentIsFollowedUntilItIsFinal(t *testing.T) {
	t.Parallel()
	height, later := int64(500), int64(503)
	mined := func(at *int64, depth int64) refund.Seen { return refund.Seen{Known: true, Height: at, Depth: depth} }
	pool, gone := refund.Seen{Known: true}, refund.Seen{}
	p, now := refund.ShopPayment{}, end
	for _, step := range []struct {
		name   string
		seen   refund.Seen
		after  time.Duration
		want   refund.Status
		height *int64
		drops  int32
		gone   bool
		ended  bool
	}{
		{"in the pool", pool, 0, refund.InProgress, nil, 0, false, false},
		{"in the highest block", mined(&height, 1), time.Minute, refund.InProgress, &height, 0, false, false},
		{"nine blocks", mined(&height, 9), time.Minute, refund.InProgress, &height, 0, false, false},
		{"ten blocks", mined(&height, 10), time.Minute, refund.Completed, &height, 0, false, false},
		{"taken back", gone, time.Minute, refund.AwaitingPayment, nil, 1, true, false},
		{"still gone", gone, time.Hour, refund.AwaitingPayment, nil, 1, true, false},
		{"in the pool again", pool, time.Hour, refund.InProgress, nil, 1, false, false},
		{"taken back again", gone, time.Hour, refund.AwaitingPayment, nil, 2, true, false},
		{"in another block", mined(&later, 59), time.Hour, refund.Completed, &later, 2, false, false},
		{"final", mined(&later, 60), time.Hour, refund.Completed, &later, 2, false, true},
	} {
		now = now.Add(step.after)
		next, status := p.Follow(step.seen, now)
		require.Equal(t, step.want, status, step.name)
		require.Equal(t, step.height, next.Height, step.name)
		require.Equal(t, step.drops, next.Drops, step.name)
		require.Equal(t, step.gone, next.VanishedAt != nil, step.name)
		require.Equal(t, step.ended, next.EndedAt != nil, step.name)
		again, status := next.Follow(step.seen, now)
		require.Equal(t, next, again, step.name)
		require.Equal(t, step.want, status, step.name)
		p = next
	}
	p = refund.ShopPayment{}
	p, _ = p.Follow(gone, end)
	p, _ = p.Follow(gone, end.Add(7*24*time.Hour-1))
	require.Nil(t, p.EndedAt)
	p, _ = p.Follow(gone, end.Add(7*24*time.Hour))
	require.NotNil(t, p.EndedAt, "nobody waits for ever")
}
