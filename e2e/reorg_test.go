package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/monero"
)

// reorg replaces the last blocks by one more that does not hold a transaction,
// which is forgotten altogether.
func (s *shop) reorg(t *testing.T, blocks int, without string) {
	t.Helper()
	require.NoError(t, s.testbed.Chain.Pop(within(t), blocks))
	require.NoError(t, s.testbed.Chain.Forget(within(t), without))
	s.mine(t, blocks+1)
	found, err := s.testbed.Chain.Where(within(t), without)
	require.NoError(t, err)
	require.Equal(t, monero.Missed, found.State)
}

func (s *shop) awaitReceived(t *testing.T, c clients.Charge, amount string) {
	t.Helper()
	eventually(t, "the charge shows what the chain shows", func(ctx context.Context) error {
		now, err := s.Charge(ctx, c.ID)
		if err == nil && now.AmountReceivedXMR != xmr(amount) {
			err = fmt.Errorf("%s XMR received", now.AmountReceivedXMR)
		}
		return err
	})
}

// sendAgain brings a forgotten payment back into a block.
func (s *shop) sendAgain(t *testing.T, tx fixture.Sent) {
	t.Helper()
	require.NoError(t, s.testbed.Chain.Send(within(t), tx.Blob))
	require.NoError(t, s.testbed.Chain.MineInto(within(t), tx.Hash))
}

func TestReorgBeforeConfirmation(t *testing.T) {
	t.Parallel()
	w := merchantStacks.take(t)
	s := openShop(t, w)
	c := s.charge(t, "0.2")
	tx := s.pay(t, c)
	s.await(t, "charge.pending", c.ID)
	require.NoError(t, w.Chain.MineInto(within(t), tx.Hash))
	eventually(t, "the payment is in a block", func(ctx context.Context) error {
		now, err := s.Charge(ctx, c.ID)
		if err == nil && now.Confirmations == 0 {
			err = fmt.Errorf("%s", now.Status)
		}
		return err
	})
	s.reorg(t, 1, tx.Hash)
	s.awaitReceived(t, c, "0")
	now, err := s.Charge(within(t), c.ID)
	require.NoError(t, err)
	require.Equal(t, "pending", now.Status)
	require.Equal(t, "unpaid", now.PaymentState)

	// The wallet does not list in the pool what it has seen there before; the
	// daemon does.
	require.NoError(t, w.Chain.Send(within(t), tx.Blob))
	s.awaitReceived(t, c, "0.2")
	require.NoError(t, w.Chain.MineInto(within(t), tx.Hash))
	done := s.mineUntil(t, "charge.confirmed", c.ID)
	require.Equal(t, tx.Hash, done.Payments[0].TxHash)
}

// TestReorgAfterConfirmation takes the money of one of two confirmed charges away:
// that one is left out of sweeps until its money is back.
func TestReorgAfterConfirmation(t *testing.T) {
	t.Parallel()
	w := merchantStacks.take(t)
	s := openShop(t, w)
	lost, kept := s.charge(t, "0.2"), s.charge(t, "0.3")
	tx := s.pay(t, lost)
	s.pay(t, kept)
	before, err := w.Chain.Height(within(t))
	require.NoError(t, err)
	s.mineUntil(t, "charge.confirmed", lost.ID)
	s.mineUntil(t, "charge.confirmed", kept.ID)
	after, err := w.Chain.Height(within(t))
	require.NoError(t, err)
	s.reorg(t, int(after-before), tx.Hash)
	s.awaitReceived(t, lost, "0")
	s.unlock(t)
	s.requireSweep(t, kept)
	now, err := s.Charge(within(t), lost.ID)
	require.NoError(t, err)
	require.Equal(t, "confirmed", now.Status)
	require.Nil(t, now.PayoutID)

	s.sendAgain(t, tx)
	s.awaitReceived(t, lost, "0.2")
	s.unlock(t)
	s.requireSweep(t, lost)
}

// requireSweep sweeps until it pays out this charge, and nothing else.
func (s *shop) requireSweep(t *testing.T, c clients.Charge) {
	t.Helper()
	eventually(t, "the charge can be swept", func(context.Context) error {
		p, err := s.trySweep(t)
		if err == nil {
			require.Equal(t, 1, p.ChargesPaid)
			require.Equal(t, c.AmountXMR, p.AmountXMR+p.FeeXMR+p.NetworkFeeXMR)
		}
		return err
	})
	s.requireEmptyBalance(t)
}

// TestReorgOfAPayout drops a payout that was in a block: the worker relays the same bytes again.
func TestReorgOfAPayout(t *testing.T) {
	t.Parallel()
	w := merchantStacks.take(t)
	s := openShop(t, w)
	s.payable(t, "0.2")
	p := s.payOut(t)
	require.NoError(t, w.Chain.MineInto(within(t), *p.TxHash))
	// The worker must not send it again while the chain is being rewritten.
	require.NoError(t, w.Stack.Pause("worker"))
	s.reorg(t, 1, *p.TxHash)
	require.NoError(t, w.Stack.Resume("worker"))
	eventually(t, "the payout is sent again", func(ctx context.Context) error {
		found, err := w.Chain.Where(ctx, *p.TxHash)
		if err == nil && found.State == monero.Missed {
			err = fmt.Errorf("the daemon does not know it")
		}
		return err
	})
	s.awaitConfirmedPayout(t, p.PayoutID)
	s.requireOnePayout(t)
}
