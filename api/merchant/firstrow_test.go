package merchant_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdkworker "go.temporal.io/sdk/worker"
	"google.golang.org/grpc"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/worker"
	"github.com/durapay/durapay/workflows"
	"github.com/durapay/durapay/workflows/dispatch"
)

// wakeupIDs returns the charges that still have a wakeup.
func (b *bench) wakeupIDs(t *testing.T) []string {
	t.Helper()
	return rowsOf[string](t, b, "SELECT id FROM wakeups ORDER BY id")
}

// runsOf returns the number of runs of a charge's workflow.
func runsOf(t *testing.T, c client.Client, chargeID string) (n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		list, err := c.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Query: "WorkflowId = '" + workflows.ChargeWorkflowID(chargeID) + "'"})
		require.NoError(t, err)
		n = len(list.GetExecutions())
		return n > 0
	}, maxWait, 50*time.Millisecond)
	return n
}

// followsCharges starts a worker for charges at a Temporal server.
func (b *bench) followsCharges(t *testing.T, c client.Client) {
	t.Helper()
	w := sdkworker.New(c, workflows.MerchantQueue, sdkworker.Options{})
	w.RegisterWorkflow(workflows.Charge)
	w.RegisterWorkflow(workflows.Delivery)
	w.RegisterActivity(&incoming.Charges{Charges: makesCharges(t, b.store, false)})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
}

// TestShopsGoOnSellingWhileTemporalIsAway creates charges of every kind while Temporal is
// unreachable. Each charge gets exactly one run afterwards, from any worker. This holds even if
// Temporal has lost its data and the reconciliation runs at the same time.
func TestShopsGoOnSellingWhileTemporalIsAway(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	require.Empty(t, b.wakeupIDs(t))
	var made []string
	for range 5 {
		made = append(made, b.send(t, http.MethodPost, "/api/charges", key(s.live), `{"amount":1}`).require(t, http.StatusOK).text(t, "id"))
	}
	b.send(t, http.MethodPost, "/api/charges/button", anonymous(), `{"merchant_id":"`+s.id+`","amount":2}`).require(t, http.StatusOK)
	b.send(t, http.MethodPost, "/api/v1/stores/"+s.id+"/invoices", as{"Authorization", "token " + s.live}, `{"amount":"3","currency":"USD"}`).require(t, http.StatusOK)
	require.Len(t, b.wakeupIDs(t), 7)
	b.send(t, http.MethodGet, "/pay/"+made[0], anonymous(), "").require(t, http.StatusOK)
	require.Equal(t, "pending", b.send(t, http.MethodGet, "/api/charges/"+made[0], key(s.live), "").text(t, "status"))

	back := stack.NewTemporal(t)
	b.followsCharges(t, back)
	all := b.wakeupIDs(t)
	b.exec(t, "UPDATE wakeups SET next_at = now()")
	sending, stop := context.WithCancel(t.Context())
	var side sync.WaitGroup
	for range 2 {
		side.Go(func() {
			outbox.NewLoop(b.store, dispatch.Dispatcher{Client: back, Eager: true}.Send, slog.New(slog.DiscardHandler)).Run(sending)
		})
	}
	side.Go(func() {
		if _, err := (worker.Reconciler{Store: b.store, Temporal: back, Clock: time.Now}).Run(t.Context()); err != nil {
			t.Error(err)
		}
	})
	require.Eventually(t, func() bool { return len(b.wakeupIDs(t)) == 0 }, maxWait, 20*time.Millisecond)
	stop()
	side.Wait()
	for _, id := range all {
		require.Equal(t, 1, runsOf(t, back, id), id)
	}
}

// TestAChargeIsStartedOnce checks that a charge gets one run, even if its run already exists:
// its wakeup was not deleted, a merchant's request started the run earlier, or the run has
// already ended.
func TestAChargeIsStartedOnce(t *testing.T) {
	t.Parallel()
	b := setupWithTemporal(t, func(d *merchant.Deps) { d.PublicURL = publicURL })
	s := b.signup(t)
	id := b.send(t, http.MethodPost, "/api/charges", key(s.live), `{"amount":1}`).require(t, http.StatusOK).text(t, "id")
	begin, row := dispatch.Dispatcher{Client: b.temporal}, outbox.NewCharge(id, s.id)
	for range 3 {
		require.NoError(t, begin.Send(t.Context(), row))
	}
	require.Equal(t, 1, runsOf(t, b.temporal, id))
	require.Eventually(t, func() bool { return len(b.wakeupIDs(t)) == 0 }, maxWait, 20*time.Millisecond)

	// The charge has no run yet when the merchant accepts the amount received.
	paid := b.charge(t, s, "live")
	b.receive(t, paid, money.OneXMR/1000)
	b.exec(t, "UPDATE received_payments SET mature = true, height = 1, mature_height = 2 WHERE charge_id = $1", paid)
	b.send(t, http.MethodPost, "/api/charges/"+paid+"/accept-underpaid", key(s.live), "").require(t, http.StatusOK)
	require.Eventually(t, func() bool {
		d, err := b.temporal.DescribeWorkflowExecution(t.Context(), workflows.ChargeWorkflowID(paid), "")
		return err == nil && d.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED
	}, maxWait, 50*time.Millisecond)
	require.NoError(t, begin.Send(t.Context(), outbox.NewCharge(paid, s.id)))
	require.Equal(t, 1, runsOf(t, b.temporal, paid))
}

// TestAWorkerDoesTheFirstTaskOfWhatItStarts checks that a worker gets the first task with the
// answer to its start. That task is in no queue of Temporal, so no other task waits behind it. A
// process without a worker leaves the task to the queue.
func TestAWorkerDoesTheFirstTaskOfWhatItStarts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	for _, eager := range []bool{true, false} {
		c := stack.NewTemporal(t)
		if eager {
			b.followsCharges(t, c)
		}
		id := b.send(t, http.MethodPost, "/api/charges", key(s.live), `{"amount":1}`).require(t, http.StatusOK).text(t, "id")
		begin := dispatch.Dispatcher{Client: c, Eager: true}
		for range 2 {
			require.NoError(t, begin.Send(t.Context(), outbox.NewCharge(id, s.id)))
		}
		require.Equal(t, 1, runsOf(t, c, id))
		first, err := c.GetWorkflowHistory(t.Context(), workflows.ChargeWorkflowID(id), "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT).Next()
		require.NoError(t, err)
		require.Equal(t, eager, first.GetWorkflowExecutionStartedEventAttributes().GetEagerExecutionAccepted())
	}
}

// TestAFirstTaskThatIsLostIsGivenOutAgain lets the process die with the answer to its start,
// which contains the first task. The next start finds the run. Temporal gives the task to
// another worker after it has waited ten seconds.
func TestAFirstTaskThatIsLostIsGivenOutAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	address, namespace := stack.TemporalAt(t)
	lost := false
	dial := func(answered func(any) error) client.Client {
		c, err := client.DialContext(t.Context(), client.Options{
			HostPort: address, Namespace: namespace, Logger: slog.New(slog.DiscardHandler),
			ConnectionOptions: client.ConnectionOptions{DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(
				func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, call grpc.UnaryInvoker, opts ...grpc.CallOption) error {
					return errors.Join(call(ctx, method, req, reply, cc, opts...), answered(reply))
				})}},
		})
		require.NoError(t, err)
		t.Cleanup(c.Close)
		return c
	}
	dies := dial(func(reply any) error {
		if res, ok := reply.(*workflowservice.StartWorkflowExecutionResponse); ok && res.GetEagerWorkflowTask() != nil {
			lost, res.EagerWorkflowTask = true, nil
		}
		return nil
	})
	survivor := dial(func(any) error { return nil })
	b.followsCharges(t, dies)
	b.followsCharges(t, survivor)
	id := b.send(t, http.MethodPost, "/api/charges", key(s.live), `{"amount":1}`).require(t, http.StatusOK).text(t, "id")
	for _, c := range []client.Client{dies, survivor} {
		begin := dispatch.Dispatcher{Client: c, Eager: true}
		require.NoError(t, begin.Send(t.Context(), outbox.NewCharge(id, s.id)))
	}
	require.True(t, lost)
	require.Equal(t, 1, runsOf(t, survivor, id))
	var seen []enumspb.EventType
	for all := survivor.GetWorkflowHistory(t.Context(), workflows.ChargeWorkflowID(id), "", true, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); all.HasNext(); {
		event, err := all.Next()
		require.NoError(t, err)
		if seen = append(seen, event.GetEventType()); event.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			break
		}
	}
	require.Contains(t, seen, enumspb.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT)
}

// TestTooMuchThatWaitsIsRefused checks that the answer is 503 with Retry-After, and that no row
// is inserted.
func TestTooMuchThatWaitsIsRefused(t *testing.T) {
	t.Parallel()
	var wakeups *outbox.Queue
	b := setup(t, func(d *merchant.Deps) {
		wakeups = outbox.NewQueue(outbox.Charges, d.Store, dispatch.Dispatcher{Client: d.Temporal}.Send, 2, d.Log)
		d.Wakeups = wakeups
	})
	s := b.signup(t)
	create := func() answer { return b.send(t, http.MethodPost, "/api/charges", key(s.live), `{"amount":1}`) }
	create().require(t, http.StatusOK)
	working(t, wakeups.Run)
	require.Eventually(t, func() bool { return wakeups.Full(s.id) }, maxWait, 10*time.Millisecond)
	before := b.digest(t)
	a := create().require(t, http.StatusServiceUnavailable)
	require.Equal(t, "30", a.header.Get("Retry-After"))
	require.Equal(t, before, b.digest(t))
	b.exec(t, "DELETE FROM wakeups")
	require.Eventually(t, func() bool { return !wakeups.Full(s.id) }, maxWait, 50*time.Millisecond)
	create().require(t, http.StatusOK)
}
