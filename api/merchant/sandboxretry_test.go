package merchant_test

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/workflows"
)

// testDeliveriesAreRetried uses a receiver that is down, and pauses between attempts that add up
// to an hour. Each retry makes one attempt now, even if Temporal has lost the delivery's
// workflow.
func testDeliveriesAreRetried(t *testing.T, b *bench) {
	s := b.signup(t)
	var back atomic.Bool
	b.webhook(t, s, `{"url":"`+away(t, &back)+`","events":["charge.created"],"retries":"long","mode":"sandbox"}`).require(t, http.StatusOK)
	id := b.send(t, http.MethodPost, "/api/charges", key(s.test), `{"amount":2,"currency":"XMR"}`).require(t, http.StatusOK).text(t, "id")
	var delivery string
	attempted := func(status string, atLeast int64) (attempts int64) {
		t.Helper()
		require.Eventually(t, func() bool {
			a := b.send(t, http.MethodGet, "/api/webhooks/deliveries?resource_id="+id, key(s.test), "").require(t, http.StatusOK)
			found := a.field(t, "deliveries").([]any)[0].(map[string]any)
			delivery = found["id"].(string)
			var err error
			attempts, err = found["attempts"].(json.Number).Int64()
			return err == nil && found["status"] == status && attempts >= atLeast
		}, maxWait, 20*time.Millisecond, "%s, at least %d attempts", status, atLeast)
		return attempts
	}
	retry := func() []any {
		t.Helper()
		return b.test(t, s, id, "retry-deliveries", "").require(t, http.StatusOK).field(t, "deliveries").([]any)
	}
	made := attempted("pending", 1)
	v := b.enterShop(t, s, "").inSandbox(t)
	require.Contains(t, v.page(t, "/charges/"+id), "Retry webhooks now")
	v.post(t, "/charges/"+id+"/retry-deliveries", nil).leads(t, "/charges/"+id+"?done=1")
	for range 7 {
		made = attempted("pending", made+1)
		require.Equal(t, []any{delivery}, retry())
	}
	made = attempted("pending", made+1)
	require.NoError(t, b.temporal.TerminateWorkflow(t.Context(), workflows.DeliveryToMerchant(delivery).WorkflowID(), "", "lost"))
	back.Store(true)
	require.Equal(t, []any{delivery}, retry())
	made = attempted("delivered", made+1)
	require.Empty(t, retry(), "what has arrived is not sent again")
	require.Equal(t, made, attempted("delivered", made))
	require.NotContains(t, v.page(t, "/charges/"+id), "Retry webhooks now")
}

// away returns the address of a receiver that refuses requests until it is back.
func away(t *testing.T, back *atomic.Bool) (url string) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", net.JoinHostPort(reachable().String(), "0"))
	require.NoError(t, err)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !back.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	require.NoError(t, server.Listener.Close())
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}
