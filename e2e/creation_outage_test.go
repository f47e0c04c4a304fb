package e2e

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
)

// TestSalesWithoutTemporal makes charges while Temporal hangs, and while it is down. First the
// process that made a charge dies before Temporal has received its start: the worker alone
// starts the workflow. Then Temporal comes back empty, and all starters of workflows work at
// once: the process that made the charges, two workers and reconcile.
func TestSalesWithoutTemporal(t *testing.T) {
	t.Parallel()
	w := merchantStacks.take(t)
	s := openShop(t, w)
	look := w.database(t)
	require.NoError(t, w.Stack.Pause("temporal"))
	first := s.charge(t, "0.1")
	require.NoError(t, w.Stack.Kill("merchant-api"))
	require.NoError(t, w.Stack.Resume("temporal"))
	s.await(t, "charge.created", first.ID)
	s.restart(t, "merchant-api")
	s.requireStartedOnce(t, look, first.ID)

	require.NoError(t, w.Stack.Kill("temporal"))
	require.NoError(t, w.Stack.Lose("temporal"))
	made := []clients.Charge{first}
	for range 10 {
		made = append(made, s.charge(t, "0.1"))
	}
	// No worker gets a wakeup before all of them run.
	keeps, err := w.database(t).Begin(within(t))
	require.NoError(t, err)
	kept, err := keeps.Exec(within(t), "SELECT FROM wakeups WHERE owner = $1 FOR UPDATE", s.Account.Merchant.MerchantID)
	require.NoError(t, err)
	require.EqualValues(t, 10, kept.RowsAffected())
	s.restart(t, "temporal")
	second := w.another(t, "worker", nil)
	done := make(chan error, 1)
	go func() { done <- keeps.Commit(within(t)) }()
	w.reconcile(t)
	require.NoError(t, <-done)

	ids := make([]string, len(made))
	for i, c := range made {
		ids[i] = c.ID
	}
	s.requireStartedOnce(t, look, ids...)
	started, _ := w.reconcile(t)
	require.Zero(t, started["charges"], "%v", started)
	second.end(t, syscall.SIGTERM)
	s.pay(t, first, made[5])
	s.mineUntil(t, "charge.confirmed", made[5].ID)
	s.await(t, "charge.confirmed", first.ID)
}
