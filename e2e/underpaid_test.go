package e2e

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/merchant"
)

// TestUnderpaidChargeIsTakenAndSwept lets a merchant be content with a part;
// what the customer pays later is the merchant's as well.
func TestUnderpaidChargeIsTakenAndSwept(t *testing.T) {
	t.Parallel()
	s := openShop(t, calm(t))
	c := s.charge(t, "0.2")
	_, err := s.AcceptUnderpaid(within(t), c.ID)
	require.Equal(t, 400, merchant.Status(err), "nothing has come: %v", err)
	s.payPart(t, c, "0.15", 1)
	s.await(t, "charge.pending", c.ID)
	_, err = s.AcceptUnderpaid(within(t), c.ID)
	require.Equal(t, 400, merchant.Status(err), "it has no confirmations: %v", err)
	s.mine(t, 3)
	var taken merchant.Charge
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
	p, err := s.Sweep(within(t))
	require.NoError(t, err)
	require.Equal(t, xmr("0.16"), p.AmountXMR+p.NetworkFeeXMR)
	s.requireEmptyBalance(t)
}
