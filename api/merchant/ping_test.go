package merchant_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/webhook"
)

// hook is a delivery as its receiver got it.
type hook struct{ body, signature string }

// receiver starts a server at the address to which deliveries may go.
func receiver(t *testing.T, status int) (url string, got <-chan hook) {
	t.Helper()
	hooks := make(chan hook, 10)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", net.JoinHostPort(reachable().String(), "0"))
	require.NoError(t, err)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		hooks <- hook{string(body), r.Header.Get(webhook.SignatureHeader)}
		w.WriteHeader(status)
	}))
	require.NoError(t, server.Listener.Close())
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	return server.URL, hooks
}

func await[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(maxWait):
		require.Fail(t, "nothing came")
		panic("not reached")
	}
}

func testPing(t *testing.T, b *bench) {
	s, other := b.signup(t), b.signup(t)
	url, got := receiver(t, http.StatusNoContent)
	made := b.webhook(t, s, `{"url":"`+url+`","events":["payout.sent"]}`).require(t, http.StatusOK)
	id := made.text(t, "id")
	ping := func(id string, who as) answer {
		return b.send(t, http.MethodPost, "/api/webhooks/"+id+"/test", who, "")
	}
	seen := map[string]bool{}
	for range 2 {
		sent := ping(id, session(s.token)).require(t, http.StatusOK)
		require.Equal(t, "ping", sent.text(t, "event"))
		require.Equal(t, id, sent.text(t, "webhook_id"))
		require.Equal(t, id, sent.text(t, "payload.data.webhook_id"))
		require.Equal(t, sent.text(t, "id"), sent.text(t, "payload.data.id"))
		seen[sent.text(t, "id")] = true
		h := await(t, got)
		for !strings.Contains(h.body, sent.text(t, "id")) { // the previous delivery may arrive twice, if its answer was lost
			h = await(t, got)
		}
		require.Contains(t, sent.body, `"payload":`+h.body)
		require.Equal(t, webhook.Sign(made.text(t, "secret"), []byte(h.body)), h.signature)
		require.Equal(t, sent.text(t, "id"), b.awaitDelivery(t, s, "delivered").ID)
	}
	require.Len(t, seen, 2, "each test is an event of its own")
	log := b.send(t, http.MethodGet, "/api/webhooks/"+id+"/deliveries", key(s.live), "").require(t, http.StatusOK)
	require.Len(t, log.field(t, "deliveries"), 2)
	ping(id, session(other.token)).require(t, http.StatusNotFound)
	for _, unknown := range []string{"wh_x", "x", "%00", "%ff"} {
		ping(unknown, session(s.token)).require(t, http.StatusNotFound, unknown)
	}
	b.send(t, http.MethodDelete, "/api/webhooks/"+id, session(s.token), "").require(t, http.StatusOK)
	ping(id, session(s.token)).require(t, http.StatusNotFound)
}
