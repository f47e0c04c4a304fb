package worker_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	sdkworker "go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/activities/upkeep"
	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/witness/witnesstest"
	"github.com/durapay/durapay/worker"
	"github.com/durapay/durapay/workflows"
)

const walletID = "live-1"

var start = time.Now().UTC().Truncate(time.Millisecond).AddDate(0, 0, -1)

// chargeFixture is a merchant whose charges have workflows on a Temporal of its own.
type chargeFixture struct {
	store          *postgres.Store
	charges        *chargestore.Charges
	merchant       string
	workflowClient client.Client
	overdue        *upkeep.Overdue
	again          worker.Reconciler
}

func openChargeFixture(t *testing.T) *chargeFixture {
	t.Helper()
	c := &chargeFixture{store: pgtest.New(t), merchant: secret.NewMerchantID(), workflowClient: stack.NewTemporal(t)}
	ctx := t.Context()
	for id, mode := range map[string]string{walletID: "live", "sandbox-1": "sandbox"} {
		require.NoError(t, c.store.UpsertWallet(ctx, db.UpsertWalletParams{ID: id, ChainID: "xmr-" + mode, Mode: mode, PrimaryAddress: "primary of " + id}))
	}
	require.NoError(t, c.store.PublishAddresses(ctx, db.PublishAddressesParams{
		WalletID: walletID, Indices: []int32{1, 2, 3, 4}, Addresses: []string{"a", "b", "c", "d"},
	}))
	witnesstest.Open(t, c.store, walletID)
	_, err := c.store.InsertMerchant(ctx, db.InsertMerchantParams{
		MerchantID: c.merchant, EmailSealed: []byte{1}, EmailIndex: []byte(c.merchant), BusinessName: "Shop",
		PasswordHash: "x", LiveWalletID: walletID, SandboxWalletID: "sandbox-1",
	})
	require.NoError(t, err)
	c.charges = &chargestore.Charges{Store: c.store, ChargeTimeout: time.Hour, ConfirmationsRequired: 10, PublicURL: "https://pay.example"}
	w := sdkworker.New(c.workflowClient, workflows.MerchantQueue, sdkworker.Options{})
	w.RegisterWorkflow(workflows.Charge)
	w.RegisterActivity(c.activity())
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	c.again = worker.Reconciler{Store: c.store, Temporal: c.workflowClient, Clock: time.Now}
	c.overdue = &upkeep.Overdue{Store: c.store, Wake: c.again.Wake, Grace: 2 * time.Hour, Clock: time.Now}
	return c
}

func (c *chargeFixture) activity() *incoming.Charges { return &incoming.Charges{Charges: c.charges} }

// request is a charge of 0.01 XMR.
func (c *chargeFixture) request() chargestore.New {
	return chargestore.New{
		ChargeID: secret.NewID("ch_"), MerchantID: c.merchant, Mode: config.Live, Source: charge.FromAPI,
		Amount: money.MustDecimal("0.01"), Currency: money.XMR, Metadata: `{}`, Now: start,
	}
}

// create makes a charge as the API does.
func (c *chargeFixture) create(t *testing.T, in chargestore.New) {
	t.Helper()
	_, err := c.charges.Create(t.Context(), in)
	require.NoError(t, err)
}

// pay inserts a payment to the charge as the watcher would, and sends no signal.
func (c *chargeFixture) pay(t *testing.T, chargeID string, amount money.Piconero, height int64) {
	t.Helper()
	paid, err := c.store.Charge(context.Background(), chargeID, start)
	require.NoError(t, err)
	mature := charge.MatureHeight(height, paid.Charge.ConfirmationsRequired, 0)
	require.NoError(t, c.store.InsertReceivedPayment(t.Context(), db.InsertReceivedPaymentParams{
		WalletID: walletID, TxHash: secret.NewSecret(), SubaddressIndex: paid.Charge.SubaddressIndex, ChargeID: &chargeID,
		MerchantID: &c.merchant, Amount: amount, Outputs: 1, FirstSeenAt: start.Add(time.Minute), Height: &height, MatureHeight: &mature,
	}))
}

// mine sets the chain's height.
func (c *chargeFixture) mine(t *testing.T, height int64) {
	t.Helper()
	pgtest.SetChain(t, c.store, walletID, height)
}

// openAlerts are the alerts that wait for an operator.
func (c *chargeFixture) openAlerts(t *testing.T) []db.Alert {
	t.Helper()
	alerts, err := c.store.ListAlerts(t.Context(), db.ListAlertsParams{Before: math.MaxInt64, MaxRows: 10})
	require.NoError(t, err)
	return alerts
}

// waits runs the workflow of a new charge that lasts for an hour from now.
func (c *chargeFixture) waits(t *testing.T) string {
	t.Helper()
	in := c.request()
	in.Now = time.Now().UTC().Truncate(time.Millisecond)
	c.create(t, in)
	_, err := c.workflowClient.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
		ID: workflows.ChargeWorkflowID(in.ChargeID), TaskQueue: workflows.MerchantQueue,
	}, workflows.Charge, workflows.ChargeInput{ChargeID: in.ChargeID})
	require.NoError(t, err)
	return in.ChargeID
}

// expired is a charge of long ago whose workflow has ended, or was lost.
func (c *chargeFixture) expired(t *testing.T) string {
	t.Helper()
	in := c.request()
	c.create(t, in)
	state, err := c.activity().AdvanceCharge(t.Context(), incoming.AdvanceCharge{ChargeID: in.ChargeID, Now: start.Add(2 * time.Hour)})
	require.NoError(t, err)
	require.Equal(t, charge.Expired, state.Status)
	return in.ChargeID
}

// requireConfirmed waits for the end of the charge's run.
func (c *chargeFixture) requireConfirmed(t *testing.T, id string, late bool) {
	t.Helper()
	require.NoError(t, c.workflowClient.GetWorkflow(t.Context(), workflows.ChargeWorkflowID(id), "").Get(t.Context(), nil))
	got, err := c.store.Charge(t.Context(), id, time.Now())
	require.NoError(t, err)
	require.Equal(t, charge.Confirmed, got.Charge.Status)
	require.Equal(t, late, got.Charge.Late)
}

// TestReconcileSignalsWhatRuns loses the signals of a charge that waits
// and of one that has expired, as a Temporal does that comes back older than the
// database.
func TestReconcileSignalsWhatRuns(t *testing.T) {
	t.Parallel()
	c := openChargeFixture(t)
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

// TestWhatIsOverdueIsShownWokenAndForgotten has mature money for a charge that has no
// workflow. A search finds the charge, alerts operators once, and starts its workflow.
func TestWhatIsOverdueIsShownWokenAndForgotten(t *testing.T) {
	t.Parallel()
	c := openChargeFixture(t)
	found := func() int {
		n, err := c.overdue.CheckOverdue(t.Context())
		require.NoError(t, err)
		return n
	}
	quotes := &operator.Admin{Store: c.store, Clock: time.Now}
	late := c.expired(t)
	c.pay(t, late, 10_000_000_000, 100)
	c.mine(t, 114)
	require.Zero(t, found(), "mature for four blocks: its signal may be on its way")
	c.mine(t, 115)
	stuck, err := quotes.Stuck(t.Context())
	require.NoError(t, err)
	require.Len(t, stuck.Overdue, 1)
	require.Equal(t, late, stuck.Overdue[0].ID)
	require.Equal(t, outbox.Charges, stuck.Overdue[0].Kind)
	require.Equal(t, c.merchant, *stuck.Overdue[0].MerchantID)
	require.Equal(t, 1, found())
	c.requireConfirmed(t, late, true)
	open := c.openAlerts(t)
	require.Len(t, open, 1)
	require.Equal(t, alert.Overdue+" charges", open[0].Kind+" "+open[0].Subject)
	require.Contains(t, open[0].Detail, late)
	require.Zero(t, found())
	require.Empty(t, c.openAlerts(t), "it closes by itself")
	stuck, err = quotes.Stuck(t.Context())
	require.NoError(t, err)
	require.Empty(t, stuck.Overdue)
}

// TestPendingChargeAfterItsTimeoutIsOverdue lost its workflow while it waited.
func TestPendingChargeAfterItsTimeoutIsOverdue(t *testing.T) {
	t.Parallel()
	c := openChargeFixture(t)
	in := c.request()
	c.create(t, in)
	c.overdue.Clock = func() time.Time { return start.Add(time.Hour + 15*time.Minute) }
	n, err := c.overdue.CheckOverdue(t.Context())
	require.NoError(t, err)
	require.Zero(t, n, "it may be about to expire by itself")
	c.overdue.Clock = time.Now
	n, err = c.overdue.CheckOverdue(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.NoError(t, c.workflowClient.GetWorkflow(t.Context(), workflows.ChargeWorkflowID(in.ChargeID), "").Get(t.Context(), nil))
	got, err := c.store.Charge(t.Context(), in.ChargeID, time.Now())
	require.NoError(t, err)
	require.Equal(t, charge.Expired, got.Charge.Status)
}
