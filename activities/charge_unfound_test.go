package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/refusals"
)

// TestAChargeIsNotConfirmedWithoutAScan has a payment with its payer's lock become
// deep. The chain loses it while the watcher cannot scan. Then its unlock time passes,
// and the charge's own timer fires, or the merchant accepts the underpayment.
func TestAChargeIsNotConfirmedWithoutAScan(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]bool{"lost": true, "still there": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := tillOf(t, 120)
			c := a.create(t, a.request())
			a.mineBlocks(1)
			a.show(c, "paid", 120)
			a.listed[0].unlock = a.now.Add(20 * time.Minute).Unix()
			require.NoError(t, a.scan(t.Context()))
			a.mineBlocks(20)
			require.NoError(t, a.scan(t.Context()))
			require.Equal(t, charge.Pending, a.advance(t, c.ID).Status)
			if lost {
				a.blocks = a.blocks[:100]
				delete(a.placed, txHash("paid"))
				a.listed = nil
			}
			a.now = a.now.Add(25 * time.Minute)
			require.Equal(t, charge.Pending, a.advance(t, c.ID).Status, "nobody has looked")
			err := a.accept(t, c.ID, a.now)
			require.Equal(t, refusals.Accept, reason(t, err))

			a.mineBlocks(50)
			for range 3 {
				require.NoError(t, a.scan(t.Context()))
			}
			want := charge.Confirmed
			if lost {
				want = charge.Pending
			}
			require.Equal(t, want, a.advance(t, c.ID).Status)
		})
	}
}
