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
	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/deploy/dev/temporaltest"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/workflows"
)

// hanging is a receiver at an address that takes requests and answers none
// before the test ends.
type hanging struct {
	url          string
	begun, ended atomic.Int32
}

func hangAt(t *testing.T, address string) *hanging {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", net.JoinHostPort(address, "0"))
	require.NoError(t, err)
	h, over := &hanging{url: "http://" + listener.Addr().String()}, make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		h.begun.Add(1)
		<-over
		h.ended.Add(1)
	}))
	require.NoError(t, server.Listener.Close())
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(over) })
	return h
}

// TestHangingReceiversHoldNobodyElseUp has three accounts send themselves as many
// test events as they may, to receivers that hang, where a worker makes eight
// attempts at once: another merchant's event goes out while they hang.
func TestHangingReceiversHoldNobodyElseUp(t *testing.T) {
	t.Parallel()
	const attempts = 8
	workflowClient := temporaltest.New(t)
	b := setup(t, withTemporal(workflowClient), func(d *merchant.Deps) { d.Clock = func() time.Time { return time.Now().UTC() } }, withLimits)
	hooks := &deliveries.Handler{
		Store: b.store, Secret: b.box, Clock: time.Now, Finished: func(webhook.Status) {}, Slots: deliveries.NewSlots(attempts),
		Sender: outbound.NewSender(outbound.SenderConfig{
			Policy: outbound.Policy{AllowedNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, Timeout: 10 * time.Minute,
		}),
	}
	rounds := worker.New(workflowClient, workflows.MerchantQueue, worker.Options{})
	rounds.RegisterWorkflow(workflows.Delivery)
	rounds.RegisterActivity(hooks.CreatePing)
	sends := worker.New(workflowClient, workflows.WebhookQueue, worker.Options{
		DisableWorkflowWorker: true, MaxConcurrentActivityExecutionSize: attempts,
	})
	sends.RegisterActivity(hooks.AttemptDelivery)
	for _, running := range []worker.Worker{rounds, sends} {
		require.NoError(t, running.Start())
		t.Cleanup(running.Stop)
	}
	ping := func(s shop, url string) func() answer {
		id := b.webhook(t, s, `{"url":"`+url+`"}`).require(t, http.StatusOK).text(t, "id")
		return func() answer { return b.as(t, s, http.MethodPost, "/api/webhooks/"+id+"/test", "") }
	}
	held := []*hanging{hangAt(t, "127.0.5.1"), hangAt(t, "127.0.5.2"), hangAt(t, "127.0.5.3")}
	for _, h := range held {
		again := ping(b.signup(t), h.url)
		requireLimit(t, 10, http.StatusOK, func() int { return again().status })
	}
	sum := func(of func(*hanging) int32) (n int32) {
		for _, h := range held {
			n += of(h)
		}
		return n
	}
	require.Eventually(t, func() bool { return sum(func(h *hanging) int32 { return h.begun.Load() }) >= attempts/2 },
		patience, 10*time.Millisecond, "they hold what they can get")
	url, got := receiver(t, http.StatusNoContent)
	ping(b.signup(t), url)().require(t, http.StatusOK)
	await(t, got)
	require.Zero(t, sum(func(h *hanging) int32 { return h.ended.Load() }), "all of them hang")
	require.Less(t, sum(func(h *hanging) int32 { return h.begun.Load() }), int32(attempts))
}
