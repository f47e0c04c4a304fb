package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	sdkworker "go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities"
	"github.com/durapay/durapay/deploy/dev/enginetest"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/overdue"
	"github.com/durapay/durapay/worker"
	"github.com/durapay/durapay/workflows"
)

// carried is a shop whose charges are carried by an engine of its own.
type carried struct {
	*shop

	engine  client.Client
	overdue *activities.Overdue
	again   worker.Reconciler
}

func openCarried(t *testing.T) *carried {
	t.Helper()
	c := &carried{shop: open(t, 10), engine: enginetest.New(t)}
	w := sdkworker.New(c.engine, workflows.MerchantQueue, sdkworker.Options{})
	w.RegisterWorkflow(workflows.Charge)
	w.RegisterActivity(c.charges)
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	c.again = worker.Reconciler{Store: c.store, Temporal: c.engine, Clock: time.Now}
	c.overdue = &activities.Overdue{Store: c.store, Wake: c.again.Wake, Grace: 2 * time.Hour, Clock: time.Now}
	return c
}

// waits runs the workflow of a new charge that lasts for an hour from now.
func (c *carried) waits(t *testing.T) string {
	t.Helper()
	in := c.request()
	in.Now = time.Now().UTC().Truncate(time.Millisecond)
	_, err := c.charges.CreateCharge(t.Context(), in)
	require.NoError(t, err)
	_, err = c.engine.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
		ID: workflows.ChargeWorkflowID(in.ChargeID), TaskQueue: workflows.MerchantQueue,
	}, workflows.Charge, workflows.ChargeInput{ChargeID: in.ChargeID, MerchantID: c.merchant, Resume: true})
	require.NoError(t, err)
	return in.ChargeID
}

// expired is a charge of long ago whose workflow has ended, or was lost.
func (c *carried) expired(t *testing.T) string {
	t.Helper()
	in := c.request()
	_, err := c.charges.CreateCharge(t.Context(), in)
	require.NoError(t, err)
	state, err := c.charges.AdvanceCharge(t.Context(), activities.AdvanceCharge{ChargeID: in.ChargeID, Now: start.Add(2 * time.Hour)})
	require.NoError(t, err)
	require.Equal(t, charge.Expired, state.Status)
	return in.ChargeID
}

// requireConfirmed waits for the end of the charge's run.
func (c *carried) requireConfirmed(t *testing.T, id string, late bool) {
	t.Helper()
	require.NoError(t, c.engine.GetWorkflow(t.Context(), workflows.ChargeWorkflowID(id), "").Get(t.Context(), nil))
	got, err := c.store.Charge(t.Context(), id, time.Now())
	require.NoError(t, err)
	require.Equal(t, charge.Confirmed, got.Charge.Status)
	require.Equal(t, late, got.Charge.Late)
}

// TestReconcileTellsWhatRunsToLookAgain loses the signals of a charge that waits
// and of one that has expired, as an engine does that comes back older than the
// database.
func TestReconcileTellsWhatRunsToLookAgain(t *testing.T) {
	t.Parallel()
	c := openCarried(t)
	waiting, late, short := c.waits(t), c.expired(t), c.expired(t)
	c.pay(t, waiting, 10_000_000_000, 100)
	c.pay(t, late, 10_000_000_000, 100)
	c.pay(t, short, 9_999_999_999, 100)
	c.mine(t, 120)
	for range 2 {
		_, err := c.again.Run(t.Context())
		require.NoError(t, err)
		c.requireConfirmed(t, waiting, false)
		c.requireConfirmed(t, late, true)
	}
	done, err := c.again.Run(t.Context())
	require.NoError(t, err)
	require.Empty(t, done.Started, "nothing is left, and too little money is no reason")
	require.Empty(t, done.Running)
	again := c.waits(t)
	done, err = c.again.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, worker.Reconciled{Started: map[string]int{}, Running: map[string]int{"charges": 1}}, done)
	require.NotEqual(t, again, waiting)
}

// TestWhatIsOverdueIsShownWokenAndForgotten has money that is mature for a charge
// that nobody carries: a look finds it, tells operators once, and wakes it.
func TestWhatIsOverdueIsShownWokenAndForgotten(t *testing.T) {
	t.Parallel()
	c := openCarried(t)
	found := func() int {
		n, err := c.overdue.CheckOverdue(t.Context())
		require.NoError(t, err)
		return n
	}
	desk := &operator.Desk{Store: c.store, Clock: time.Now}
	late := c.expired(t)
	c.pay(t, late, 10_000_000_000, 100)
	c.mine(t, 114)
	require.Zero(t, found(), "mature for four blocks: its signal may be on its way")
	c.mine(t, 115)
	stuck, err := desk.Stuck(t.Context())
	require.NoError(t, err)
	require.Len(t, stuck.Overdue, 1)
	require.Equal(t, late, stuck.Overdue[0].ID)
	require.Equal(t, overdue.Charge, stuck.Overdue[0].Kind)
	require.Equal(t, c.merchant, *stuck.Overdue[0].MerchantID)
	require.Equal(t, 1, found())
	c.requireConfirmed(t, late, true)
	open := c.openAlerts(t)
	require.Len(t, open, 1)
	require.Equal(t, alert.Overdue+" charges", open[0].Kind+" "+open[0].Subject)
	require.Contains(t, open[0].Detail, late)
	require.Zero(t, found())
	require.Empty(t, c.openAlerts(t), "it closes by itself")
	stuck, err = desk.Stuck(t.Context())
	require.NoError(t, err)
	require.Empty(t, stuck.Overdue)
}

// TestPendingChargeAfterItsTimeoutIsOverdue lost its workflow while it waited.
func TestPendingChargeAfterItsTimeoutIsOverdue(t *testing.T) {
	t.Parallel()
	c := openCarried(t)
	in := c.request()
	_, err := c.charges.CreateCharge(t.Context(), in)
	require.NoError(t, err)
	c.overdue.Clock = func() time.Time { return start.Add(time.Hour + 15*time.Minute) }
	n, err := c.overdue.CheckOverdue(t.Context())
	require.NoError(t, err)
	require.Zero(t, n, "it may be about to expire by itself")
	c.overdue.Clock = time.Now
	n, err = c.overdue.CheckOverdue(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.NoError(t, c.engine.GetWorkflow(t.Context(), workflows.ChargeWorkflowID(in.ChargeID), "").Get(t.Context(), nil))
	got, err := c.store.Charge(t.Context(), in.ChargeID, time.Now())
	require.NoError(t, err)
	require.Equal(t, charge.Expired, got.Charge.Status)
}

// TestTradesAfterTheirDeadlinesAreOverdue has nobody look at them.
func TestTradesAfterTheirDeadlinesAreOverdue(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	find := func(after time.Duration) (ids []string) {
		items, err := overdue.Find(t.Context(), b.store.Queries, overdue.Search{Now: start.Add(after), Grace: 2 * time.Hour, MaxRows: 10})
		require.NoError(t, err)
		for _, i := range items {
			require.Equal(t, overdue.Trade, i.Kind)
			ids = append(ids, i.ID)
		}
		return ids
	}
	waiting, pool, block, deep := b.create(t, b.request("1")), b.create(t, b.request("1")), b.create(t, b.request("1")), b.create(t, b.request("1"))
	b.deposit(pool, "pool", "1", 0)
	b.deposit(block, "block", "1", 1)
	b.deposit(deep, "deep", "1", 1)
	for _, row := range []string{pool.ID, block.ID, deep.ID} {
		b.advance(t, row)
	}
	b.deposit(deep, "deep", "1", 2)
	b.look(t)
	minutes := func(n int) time.Duration { return time.Duration(n)*time.Minute + time.Second }
	require.Empty(t, find(minutes(14)))
	require.ElementsMatch(t, []string{deep.ID}, find(minutes(15)))
	require.ElementsMatch(t, []string{deep.ID, waiting.ID}, find(minutes(75)))
	require.ElementsMatch(t, []string{deep.ID, waiting.ID, pool.ID}, find(minutes(195)))
	require.ElementsMatch(t, []string{deep.ID, waiting.ID, pool.ID, block.ID}, find(minutes(315)))
}
