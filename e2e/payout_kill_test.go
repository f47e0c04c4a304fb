package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/internal/monero"
)

// TestKillOfWorkerThatBuildsAPayout kills the worker while the wallet builds: the
// payout is built again, and sent once.
func TestKillOfWorkerThatBuildsAPayout(t *testing.T) {
	t.Parallel()
	w := merchantStacks.take(t)
	s := openShop(t, w)
	s.payable(t, "0.2")
	sweep := s.killWhileBuilding(t)
	require.NoError(t, w.Stack.Resume("wallet-spend"))
	s.restart(t, "worker")
	sweep.outcome(t)
	s.requireOnePayout(t)
}

// TestKillOfWorkerBetweenBuildAndRelay kills the worker when the transaction is stored and
// the daemon does not have it.
func TestKillOfWorkerBetweenBuildAndRelay(t *testing.T) {
	t.Parallel()
	w := merchantStacks.take(t)
	s := openShop(t, w)
	s.payable(t, "0.2")
	held := w.daemon.holdBefore(relayPath)
	sweep := s.sweepUntil(t, held.reached)
	require.NoError(t, w.Stack.Kill("worker"))
	held.releaseAfterCallers(t)
	stored := s.onlyPayout(t)
	require.Equal(t, "building", stored.Status)
	s.requireState(t, stored, monero.Missed)
	s.restart(t, "worker")
	s.requireSame(t, stored, sweep.outcome(t))
}

// TestKillOfWorkerBetweenRelayAndRecord kills the worker when the daemon has the transaction
// and the database does not yet show it.
func TestKillOfWorkerBetweenRelayAndRecord(t *testing.T) {
	t.Parallel()
	s := openShop(t, merchantStacks.take(t))
	s.payable(t, "0.2")
	sweep, stored := s.relayedUnrecorded(t)
	s.requireState(t, stored, monero.InPool)
	s.restart(t, "worker")
	s.requireSame(t, stored, sweep.outcome(t))
}

// relayedUnrecorded sweeps, and kills the worker before it receives the answer that
// the daemon took the transaction.
func (s *shop) relayedUnrecorded(t *testing.T) (*sweeping, clients.Payout) {
	t.Helper()
	held := s.testbed.daemon.holdAfter(relayPath)
	sweep := s.sweepUntil(t, held.reached)
	require.NoError(t, s.testbed.Stack.Kill("worker"))
	close(held.release)
	stored := s.onlyPayout(t)
	require.Equal(t, "building", stored.Status)
	return sweep, stored
}

// onlyPayout returns the newest payout, which was built. Older ones have failed.
func (s *shop) onlyPayout(t *testing.T) clients.Payout {
	t.Helper()
	list, err := s.Payouts(within(t))
	require.NoError(t, err)
	require.NotEmpty(t, list)
	for _, p := range list[1:] {
		require.Equal(t, "failed", p.Status)
	}
	require.NotNil(t, list[0].TxHash)
	return list[0]
}

func (s *shop) requireState(t *testing.T, p clients.Payout, want monero.TxState) {
	t.Helper()
	found, err := s.testbed.Chain.Where(within(t), *p.TxHash)
	require.NoError(t, err)
	require.Equal(t, want, found.State)
}

// requireSame requires that the stored transaction is the one that was sent, and
// the only one.
func (s *shop) requireSame(t *testing.T, stored, sent clients.Payout) {
	t.Helper()
	require.Equal(t, *stored.TxHash, *sent.TxHash)
	require.Equal(t, stored.AmountXMR, sent.AmountXMR)
	s.requireOnePayout(t)
}

// TestDaemonRefusesAPayout lets the daemon refuse a transaction: the payout fails,
// its charges are released, and a later sweep pays them out.
func TestDaemonRefusesAPayout(t *testing.T) {
	t.Parallel()
	w := merchantStacks.take(t)
	s := openShop(t, w)
	s.payable(t, "0.2")
	before, err := s.Balance(within(t))
	require.NoError(t, err)
	w.daemon.refuse(relayPath, `{"status":"Failed","reason":"","double_spend":false,"fee_too_low":true,"not_relayed":false}`)
	_, err = s.trySweep(t)
	w.daemon.accept(relayPath)
	require.Error(t, err)
	require.NotZero(t, clients.Status(err))
	failed := s.onlyPayout(t)
	require.Equal(t, "failed", failed.Status)
	require.NotNil(t, failed.Error)
	after, err := s.Balance(within(t))
	require.NoError(t, err)
	require.Equal(t, before, after, "the charges are released")

	p := s.payOut(t)
	require.Equal(t, 1, p.ChargesPaid)
	require.NotEqual(t, *failed.TxHash, *p.TxHash)
	eventually(t, "the second payout is sent", func(ctx context.Context) error {
		now, err := s.payout(ctx, p.PayoutID)
		if err == nil && now.Status != "broadcast" {
			err = fmt.Errorf("it is %s", now.Status)
		}
		return err
	})
}
