package e2e

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/internal/money"
)

func TestLockedOutputsWait(t *testing.T) {
	t.Parallel()
	s := openShop(t, merchantStacks.take(t))
	c := s.charge(t, "0.2")
	s.pay(t, c)
	s.mine(t, 3)
	s.await(t, "charge.confirmed", c.ID)
	balance, err := s.Balance(within(t))
	require.NoError(t, err)
	require.Equal(t, c.AmountXMR, balance.TotalXMR)
	require.Equal(t, c.AmountXMR, balance.LockedXMR)
	s.requireNoSweep(t, "the outputs are locked")
	s.unlock(t)
	s.payOut(t)
}

// payOut sweeps, and returns the payout once it is sent.
func (s *shop) payOut(t *testing.T) clients.Payout {
	t.Helper()
	p, err := s.trySweep(t)
	require.NoError(t, err)
	return p
}

// trySweep sweeps. If the service answers that it may work later, trySweep waits
// for the payout in the list, and sweeps again if there is none.
func (s *shop) trySweep(t *testing.T) (p clients.Payout, err error) {
	t.Helper()
	before, err := s.Payouts(within(t))
	require.NoError(t, err)
	if p, err = s.Sweep(within(t)); !later(err) {
		return p, err
	}
	eventually(t, "the payout is sent", func(ctx context.Context) error {
		list, listErr := s.Payouts(ctx)
		switch {
		case listErr != nil:
			return listErr
		case len(list) == len(before): // nothing was begun, as far as is seen
			_, err = s.Sweep(ctx)
			return errors.Join(errors.New("asked again"), err)
		case list[0].Status == "building":
			return errors.New("building")
		}
		p = list[0]
		return nil
	})
	if p.Status != "failed" {
		err = nil
	}
	return p, err
}

// requireNoSweep requires that the service refuses a sweep in words.
func (s *shop) requireNoSweep(t *testing.T, why string) {
	t.Helper()
	requireRefused(t, why, func(ctx context.Context) error {
		_, err := s.Sweep(ctx)
		return err
	})
}

// requireRefused requires that a request is answered with 400. While the service
// answers that it may work later, requireRefused repeats the request.
func requireRefused(t *testing.T, why string, ask func(context.Context) error) {
	t.Helper()
	eventually(t, why, func(ctx context.Context) error {
		err := ask(ctx)
		if later(err) {
			return err
		}
		require.Equal(t, 400, clients.Status(err), "%s: %v", why, err)
		return nil
	})
}

// TestMoreMoneyForTheSameCharge pays a confirmed charge two more times: locked
// outputs are not paid out yet, and each part is paid out once.
func TestMoreMoneyForTheSameCharge(t *testing.T) {
	t.Parallel()
	s := openShop(t, merchantStacks.take(t))
	c := s.payable(t, "0.2")[0]
	s.payPart(t, c, "0.05", 1)
	s.mine(t, 3)
	s.awaitBalance(t, "0.25", "0.05")
	first := s.payOut(t)
	require.Equal(t, xmr("0.2"), first.AmountXMR+first.NetworkFeeXMR)
	s.payPart(t, c, "0.01", 1)
	s.mine(t, 3)
	s.unlock(t)
	s.awaitBalance(t, "0.06", "0")
	second := s.payOut(t)
	require.Equal(t, xmr("0.06"), second.AmountXMR+second.NetworkFeeXMR)
}

func (s *shop) awaitBalance(t *testing.T, total, locked string) {
	t.Helper()
	eventually(t, "the balance is right", func(ctx context.Context) error {
		b, err := s.Balance(ctx)
		if err == nil && (b.TotalXMR != xmr(total) || b.LockedXMR != xmr(locked)) {
			err = fmt.Errorf("%s XMR, of which %s XMR are locked", b.TotalXMR, b.LockedXMR)
		}
		return err
	})
}

// TestMoreOutputsThanATransactionHolds owes a merchant 150 outputs: 146 go
// into the first payout, the rest into the next.
func TestMoreOutputsThanATransactionHolds(t *testing.T) {
	t.Parallel()
	s := openShop(t, merchantStacks.take(t))
	outputs := []int{15, 15, 15, 15, 15, 15, 15, 15, 15, 11, 4}
	charges := make([]clients.Charge, len(outputs))
	for i, n := range outputs {
		amount := money.Piconero(n) * xmr("0.01")
		charges[i] = s.charge(t, amount.String())
		s.payPart(t, charges[i], amount.String(), n)
	}
	for _, c := range charges {
		s.mineUntil(t, "charge.confirmed", c.ID)
	}
	s.unlock(t)
	balance, err := s.Balance(within(t))
	require.NoError(t, err)
	require.Equal(t, xmr("1.5"), balance.TotalXMR)

	first := s.payOut(t)
	require.Less(t, first.ChargesPaid, len(outputs))
	s.awaitConfirmedPayout(t, first.PayoutID)
	second := s.payOut(t)
	require.Equal(t, len(outputs), first.ChargesPaid+second.ChargesPaid)
	sum, err := money.Sum(first.AmountXMR, first.NetworkFeeXMR, second.AmountXMR, second.NetworkFeeXMR)
	require.NoError(t, err)
	require.Equal(t, xmr("1.5"), sum)
	s.requireEmptyBalance(t)
}

func (s *shop) requireEmptyBalance(t *testing.T) {
	t.Helper()
	eventually(t, "nothing is owed any more", func(ctx context.Context) error {
		b, err := s.Balance(ctx)
		if err == nil && b.UnpaidCharges > 0 {
			err = fmt.Errorf("%d charges of %s XMR", b.UnpaidCharges, b.TotalXMR)
		}
		return err
	})
}
