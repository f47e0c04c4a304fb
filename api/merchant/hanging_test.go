package merchant_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities"
	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/workflows"
)

// hanging is a receiver that accepts requests at an address and answers none before the test
// ends.
type hanging struct {
	url          string
	begun, ended atomic.Int32
}

func hangAt(t *testing.T, address string) *hanging {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", net.JoinHostPort(address, "0"))
	require.NoError(t, err)
	h, over := &hanging{url: "http://" + listener.Addr().String()}, make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		h.begun.Add(1)
		select {
		case <-over:
		case <-r.Context().Done(): // Temporal gave the attempt up, and repeats it
		}
		h.ended.Add(1)
	}))
	require.NoError(t, server.Listener.Close())
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(over) })
	return h
}

// pings starts a worker that creates test events. The function that it returns starts the worker
// that sends them, with the given number of simultaneous attempts.
func (b *bench) pings(t *testing.T, attempts int) (send func()) {
	t.Helper()
	hooks := &deliveries.Handler{
		Store: b.store, Secret: b.box, Clock: time.Now, Finished: func(webhook.Status) {}, Slots: deliveries.NewSlots(max(attempts, 8)),
		Sender: outbound.NewSender(outbound.SenderConfig{
			Policy: outbound.Policy{AllowedNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, Timeout: 10 * time.Minute,
		}),
	}
	rounds := worker.New(b.temporal, workflows.MerchantQueue, worker.Options{})
	rounds.RegisterWorkflow(workflows.Delivery)
	rounds.RegisterActivity(hooks.FindDelivery)
	sends := worker.New(b.temporal, workflows.WebhookQueue, worker.Options{
		DisableWorkflowWorker: true, MaxConcurrentActivityExecutionSize: attempts,
		Interceptors: []interceptor.WorkerInterceptor{&activities.Heartbeats{}},
	})
	sends.RegisterActivity(hooks.AttemptDelivery)
	b.sendsWakeups(t, b.temporal)
	start := func(w worker.Worker) {
		require.NoError(t, w.Start())
		t.Cleanup(w.Stop)
	}
	start(rounds)
	return func() { start(sends) }
}

// pingTo returns a function that creates a webhook of a shop. That function returns another one,
// which sends the webhook's test event.
func (b *bench) pingTo(t *testing.T) func(s shop, url string) func() answer {
	t.Helper()
	return func(s shop, url string) func() answer {
		id := b.webhook(t, s, `{"url":"`+url+`"}`).require(t, http.StatusOK).text(t, "id")
		return func() answer { return b.as(t, s, http.MethodPost, "/api/webhooks/"+id+"/test", "") }
	}
}

// TestManyEventsOfOneAccountDelayNoOtherAccountsEvent lets one account have 100 events waiting when
// another account's event arrives. The worker makes one attempt at a time, and sends the other
// account's event among the first.
func TestManyEventsOfOneAccountDelayNoOtherAccountsEvent(t *testing.T) {
	t.Parallel()
	const waiting = 100
	b := setup(t, withTemporal(stack.NewTemporal(t)), func(d *merchant.Deps) { d.Clock = func() time.Time { return time.Now().UTC() } })
	send, ping := b.pings(t, 1), b.pingTo(t)
	var sent atomic.Int32
	before := make(chan int32, 1)
	theirs := answering(t, func() { sent.Add(1) })
	ours := answering(t, func() {
		select {
		case before <- sent.Load(): // however late the test looks
		default: // the attempt is repeated
		}
	})
	again := ping(b.signup(t), theirs)
	for range waiting {
		again().require(t, http.StatusOK)
	}
	b.awaitWakeups(t)
	ping(b.signup(t), ours)().require(t, http.StatusOK)
	b.awaitAttempts(t)
	send()
	require.Less(t, await(t, before), int32(waiting/10))
}

// answering starts a receiver that accepts every event, and returns its address.
func answering(t *testing.T, received func()) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		received()
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// awaitAttempts returns when the attempts of all events wait in Temporal for a worker.
func (b *bench) awaitAttempts(t *testing.T) {
	t.Helper()
	b.awaitWakeups(t)
	for _, id := range rowsOf[string](t, b, "SELECT id FROM deliveries") {
		require.Eventually(t, func() bool {
			run, err := b.temporal.DescribeWorkflowExecution(t.Context(), workflows.DeliveryToMerchant(id).WorkflowID(), "")
			return err == nil && len(run.GetPendingActivities()) == 1
		}, maxWait, 20*time.Millisecond)
	}
}

// TestHangingReceiversDelayNoOtherMerchant lets three accounts send the maximum number of test
// events to receivers that hang, while a worker makes eight attempts at a time. Another
// merchant's event must be sent while they hang.
func TestHangingReceiversDelayNoOtherMerchant(t *testing.T) {
	t.Parallel()
	const attempts = 8
	b := setup(t, withTemporal(stack.NewTemporal(t)), func(d *merchant.Deps) { d.Clock = func() time.Time { return time.Now().UTC() } }, withLimits)
	b.pings(t, attempts)()
	ping := b.pingTo(t)
	held := []*hanging{hangAt(t, "127.0.5.1"), hangAt(t, "127.0.5.2"), hangAt(t, "127.0.5.3")}
	for _, h := range held {
		again := ping(b.signup(t), h.url)
		requireLimit(t, 60, http.StatusOK, func() int { return again().status })
	}
	sum := func(of func(*hanging) int32) (n int32) {
		for _, h := range held {
			n += of(h)
		}
		return n
	}
	hangs := func(h *hanging) int32 { return h.begun.Load() - h.ended.Load() }
	require.Eventually(t, func() bool { return sum(hangs) >= attempts/2 }, maxWait, 10*time.Millisecond, "they hold what they can get")
	url, got := receiver(t, http.StatusNoContent)
	ping(b.signup(t), url)().require(t, http.StatusOK)
	await(t, got)
	require.Positive(t, sum(hangs), "they hang")
	require.Less(t, sum(hangs), int32(attempts))
}
