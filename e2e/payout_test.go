package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/merchant"
	"github.com/durapay/durapay/e2e/regtest"
	"github.com/durapay/durapay/internal/money"
)

func TestNothingToSweep(t *testing.T) {
	t.Parallel()
	s := openShop(t, calm(t))
	_, err := s.Sweep(within(t))
	require.Equal(t, 400, merchant.Status(err))
	payouts, err := s.Payouts(within(t))
	require.NoError(t, err)
	require.Empty(t, payouts)
}

func TestLockedOutputsWait(t *testing.T) {
	t.Parallel()
	s := openShop(t, calm(t))
	ctx := within(t)
	c := s.charge(t, "0.2")
	s.world.chain.Alone(func(chain regtest.Miner) {
		s.pay(t, c)
		require.NoError(t, chain.Mine(ctx, 3))
		s.await(t, "charge.confirmed", c.ID)
		balance, err := s.Balance(ctx)
		require.NoError(t, err)
		require.Equal(t, c.AmountXMR, balance.TotalXMR)
		require.Equal(t, c.AmountXMR, balance.LockedXMR)
		_, err = s.Sweep(ctx)
		require.Equal(t, 400, merchant.Status(err))
	})
	s.unlock(t)
	_, err := s.Sweep(within(t))
	require.NoError(t, err)
}

// TestMoreMoneyForTheSameCharge pays a confirmed charge twice again: what is
// locked stays behind, and each part is paid out once.
func TestMoreMoneyForTheSameCharge(t *testing.T) {
	t.Parallel()
	s := openShop(t, calm(t))
	ctx := within(t)
	c := s.payable(t, "0.2")[0]
	s.world.chain.Alone(func(chain regtest.Miner) {
		s.payPart(t, c, "0.05", 1)
		require.NoError(t, chain.Mine(ctx, 3))
		s.awaitBalance(t, "0.25", "0.05")
		first, err := s.Sweep(ctx)
		require.NoError(t, err)
		require.Equal(t, xmr("0.2"), first.AmountXMR+first.NetworkFeeXMR)
	})
	s.payPart(t, c, "0.01", 1)
	s.mine(t, 3)
	s.unlock(t)
	s.awaitBalance(t, "0.06", "0")
	second, err := s.Sweep(ctx)
	require.NoError(t, err)
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

func TestTwoSweepsAtOnce(t *testing.T) {
	t.Parallel()
	s := openShop(t, calm(t))
	s.payable(t, "0.1", "0.2")
	const sweeps = 4
	results := make(chan error, sweeps)
	for range sweeps {
		go func() {
			_, err := s.Sweep(within(t))
			results <- err
		}()
	}
	paid := 0
	for range sweeps {
		if err := <-results; err == nil {
			paid++
		} else {
			require.Equal(t, 400, merchant.Status(err), "%v", err)
		}
	}
	require.Equal(t, 1, paid)
	payouts, err := s.Payouts(within(t))
	require.NoError(t, err)
	require.Len(t, payouts, 1)
	require.Equal(t, 2, payouts[0].ChargesPaid)
}

// TestMoreOutputsThanATransactionHolds owes a merchant 150 outputs: 146 go
// into the first payout, the rest into the next.
func TestMoreOutputsThanATransactionHolds(t *testing.T) {
	t.Parallel()
	s := openShop(t, calm(t))
	outputs := []int{15, 15, 15, 15, 15, 15, 15, 15, 15, 11, 4}
	charges := make([]merchant.Charge, len(outputs))
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

	first, err := s.Sweep(within(t))
	require.NoError(t, err)
	require.Less(t, first.ChargesPaid, len(outputs))
	s.awaitConfirmedPayout(t, first.PayoutID)
	second, err := s.Sweep(within(t))
	require.NoError(t, err)
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
