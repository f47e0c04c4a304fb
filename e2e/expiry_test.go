package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
)

// TestExpiry runs the API and the worker with a payment timeout of seconds: the API
// says when a charge expires, the worker waits for it. Its steps share the chain: more
// blocks than they make change nothing for them.
func TestExpiry(t *testing.T) {
	t.Parallel()
	w := merchantStacks.take(t)
	w.with(t, map[string]string{"CHARGE_TIMEOUT_MINUTES": "0.2"})
	for name, test := range map[string]func(*testing.T, *testbed){
		"underpayment": underpaymentExpires, "late payment": latePayment,
		"underpayment that is taken after the expiry": expiredUnderpaymentIsTaken,
		"payment at the moment of expiry":             paymentAtTheMomentOfExpiry,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, w)
		})
	}
}

func underpaymentExpires(t *testing.T, w *testbed) {
	s := openShop(t, w)
	c := s.charge(t, "0.2")
	s.payPart(t, c, "0.15", 1)
	s.mine(t, 3)
	expired := s.await(t, "charge.expired", c.ID)
	require.Equal(t, "expired", expired.Status)
	balance, err := s.Balance(within(t))
	require.NoError(t, err)
	require.Zero(t, balance.TotalXMR, "a part is not the price")

	s.payPart(t, c, "0.05", 1)
	done := s.mineUntil(t, "charge.late_confirmed", c.ID)
	require.Equal(t, "confirmed", done.Status)
	require.True(t, done.Late)
}

// expiredUnderpaymentIsTaken has the merchant ask when the charge's workflow
// has ended.
func expiredUnderpaymentIsTaken(t *testing.T, w *testbed) {
	s := openShop(t, w)
	c := s.charge(t, "0.2")
	s.payPart(t, c, "0.15", 1)
	s.mine(t, 3)
	s.await(t, "charge.expired", c.ID)
	// It may have expired before the payment was seen.
	var taken clients.Charge
	eventually(t, "the part can be taken", func(ctx context.Context) (err error) {
		taken, err = s.AcceptUnderpaid(ctx, c.ID)
		return err
	})
	require.Equal(t, "confirmed", taken.Status)
	require.True(t, taken.Late)
	require.Equal(t, "confirmed", s.await(t, "charge.late_confirmed", c.ID).Status)
	again := asked(t, "it is taken again", func(ctx context.Context) (clients.Charge, error) { return s.AcceptUnderpaid(ctx, c.ID) })
	require.Equal(t, taken.ConfirmedAt, again.ConfirmedAt)
}

func latePayment(t *testing.T, w *testbed) {
	s := openShop(t, w)
	c := s.charge(t, "0.2")
	s.await(t, "charge.expired", c.ID)
	_, err := s.PublicCharge(within(t), c.ID)
	require.NoError(t, err, "an expired charge stays readable")
	s.pay(t, c)
	done := s.mineUntil(t, "charge.late_confirmed", c.ID)
	require.True(t, done.Late)
	require.NotNil(t, done.ConfirmedAt)
	s.unlock(t)
	require.Equal(t, 1, s.payOut(t).ChargesPaid, "late money is swept like any other")
}

// paymentAtTheMomentOfExpiry pays charges that expire one after the other
// with one transaction in the middle of them: some in time, some too late,
// some at the very moment. Each must end confirmed, and in one way only.
func paymentAtTheMomentOfExpiry(t *testing.T, w *testbed) {
	s := openShop(t, w)
	const number = 8
	charges := make([]clients.Charge, number)
	every := time.NewTicker(400 * time.Millisecond)
	defer every.Stop()
	for i := range charges {
		charges[i] = s.charge(t, "0.01")
		<-every.C
	}
	s.await(t, "charge.expired", charges[number/4].ID)
	s.pay(t, charges...)
	s.mine(t, 3)
	for _, c := range charges {
		eventually(t, "the charge is confirmed", func(ctx context.Context) error {
			now, err := s.Charge(ctx, c.ID)
			if err == nil && now.Status != "confirmed" {
				err = fmt.Errorf("%s is %s", c.ID, now.Status)
			}
			return err
		})
	}
}
