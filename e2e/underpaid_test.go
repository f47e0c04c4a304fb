package e2e

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
)

// TestUnderpaidChargeIsTakenAndSwept lets a merchant accept a part. The merchant
// also gets the customer's later payments.
func TestUnderpaidChargeIsTakenAndSwept(t *testing.T) {
	t.Parallel()
	s := openShop(t, merchantStacks.take(t))
	c := s.charge(t, "0.2")
	accept := func(ctx context.Context) error {
		_, err := s.AcceptUnderpaid(ctx, c.ID)
		return err
	}
	requireRefused(t, "nothing has come", accept)
	s.payPart(t, c, "0.15", 1)
	s.await(t, "charge.pending", c.ID)
	requireRefused(t, "it has no confirmations", accept)
	s.mine(t, 3)
	var taken clients.Charge
	eventually(t, "the part can be taken", func(ctx context.Context) (err error) {
		taken, err = s.AcceptUnderpaid(ctx, c.ID)
		return err
	})
	require.Equal(t, "confirmed", taken.Status)
	require.False(t, taken.Late)
	require.Equal(t, xmr("0.05"), taken.AmountDueXMR)
	require.Equal(t, "confirmed", s.await(t, "charge.confirmed", c.ID).Status)

	s.payPart(t, c, "0.01", 1)
	s.mine(t, 3)
	s.unlock(t)
	s.awaitBalance(t, "0.16", "0")
	p := s.payOut(t)
	require.Equal(t, xmr("0.16"), p.AmountXMR+p.NetworkFeeXMR)
	s.requireEmptyBalance(t)
}
