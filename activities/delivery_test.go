package activities_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/webhook"
)

// received is the request of one attempt, as the receiver got it.
type received struct {
	body      string
	signature string
}

// receiver answers with the given statuses in turn.
func receiver(t *testing.T, statuses ...int) (url string, got *[]received) {
	t.Helper()
	got = &[]received{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*got = append(*got, received{string(body), r.Header.Get(webhook.SignatureHeader)})
		w.WriteHeader(statuses[len(*got)-1])
	}))
	t.Cleanup(server.Close)
	return server.URL, got
}

func (s *shop) webhooks(allowed ...netip.Prefix) *deliveries.Handler {
	return &deliveries.Handler{
		Store: s.store, Secret: s.box, Clock: func() time.Time { return start },
		Sender:   outbound.NewSender(outbound.SenderConfig{Policy: outbound.Policy{AllowedNets: allowed}, Timeout: time.Minute}),
		Finished: func(webhook.Status) {}, Reported: func(string, time.Duration) {},
	}
}

// attempt runs one attempt as Temporal would.
func attempt(t *testing.T, a *deliveries.Handler, in deliveries.AttemptDelivery) webhook.Status {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(a)
	value, err := env.ExecuteActivity(a.AttemptDelivery, in)
	require.NoError(t, err)
	var outcome deliveries.Attempt
	require.NoError(t, value.Get(&outcome))
	return outcome.Status
}

var loopback = netip.MustParsePrefix("127.0.0.0/8")

func TestAttemptsSendTheSameSignedBytes(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	url, got := receiver(t, 500, 204)
	key := s.webhook(t, url, charge.EventCreated)
	state := s.advance(t, s.create(t, s.request()).ID, start)
	id := state.Deliveries[0]
	a := s.webhooks(loopback)
	require.Equal(t, webhook.Pending, attempt(t, a, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: id, Attempt: 1}))
	require.Equal(t, webhook.Pending, attempt(t, a, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: id, Attempt: 1}),
		"an attempt that is recorded is not made again")
	require.Len(t, *got, 1)
	require.Equal(t, webhook.Delivered, attempt(t, a, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: id, Attempt: 2}))
	require.Equal(t, webhook.Delivered, attempt(t, a, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: id, Attempt: 3}))
	require.Len(t, *got, 2)
	require.Equal(t, (*got)[0], (*got)[1])
	require.Equal(t, webhook.Sign(key, []byte((*got)[0].body)), (*got)[0].signature)
	log, err := s.store.ListAttempts(t.Context(), id)
	require.NoError(t, err)
	require.Len(t, log, 2, "each attempt is in the log once")
	require.EqualValues(t, 204, *log[0].HttpStatus)
	require.EqualValues(t, 500, *log[1].HttpStatus)
	require.Contains(t, log[0].RequestHeaders, http.CanonicalHeaderKey(webhook.SignatureHeader)+": "+(*got)[1].signature)
	require.NotNil(t, log[1].Error)
}

// slowThenFast is a receiver that answers its first request when the test lets it, and
// the following requests at once.
func slowThenFast(t *testing.T, first, rest int) (url string, reached <-chan struct{}, answer chan<- struct{}) {
	t.Helper()
	arrived, release := make(chan struct{}), make(chan struct{})
	var calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) > 1 {
			w.WriteHeader(rest)
			return
		}
		close(arrived)
		<-release
		w.WriteHeader(first)
	}))
	t.Cleanup(server.Close)
	return server.URL, arrived, release
}

// Temporal gives up an attempt whose worker sends no heartbeat, and repeats it on another
// worker. A later outcome of the first run takes nothing back.
func TestAttemptThatWasGivenUpTakesNothingBack(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		second, first int
		want          webhook.Status
		attempts      int32
		logged        int32
	}{
		"a failure after the success": {200, 500, webhook.Delivered, 1, 200},
		"a success after the failure": {500, 200, webhook.Delivered, 1, 200},
		"a failure after the failure": {500, 503, webhook.Pending, 1, 500},
		"a success after the success": {204, 200, webhook.Delivered, 1, 204},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, 1)
			url, reached, answer := slowThenFast(t, of.first, of.second)
			s.webhook(t, url, charge.EventCreated)
			state := s.advance(t, s.create(t, s.request()).ID, start)
			a, finished := s.webhooks(loopback), atomic.Int32{}
			a.Finished = func(webhook.Status) { finished.Add(1) }
			in := deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: state.Deliveries[0], Attempt: 1}
			var late webhook.Status
			var wg sync.WaitGroup
			wg.Go(func() { late = attempt(t, a, in) })
			<-reached
			attempt(t, a, in)
			close(answer)
			wg.Wait()
			require.Equal(t, of.want, late, "whoever asks hears what is recorded")
			d, err := s.store.GetDeliveryForSending(t.Context(), in.ID)
			require.NoError(t, err)
			require.Equal(t, string(of.want), d.Status)
			require.Equal(t, of.attempts, d.Attempts)
			require.LessOrEqual(t, finished.Load(), int32(1), "one end is counted")
			log, err := s.store.ListAttempts(t.Context(), in.ID)
			require.NoError(t, err)
			require.Len(t, log, 1)
			require.Equal(t, of.logged, *log[0].HttpStatus, "the log has what is recorded")
		})
	}
}

// TestAnswersAreLoggedAsText has a receiver answer with bytes that no text column takes.
func TestAnswersAreLoggedAsText(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("no\x00 caf\xe9")) }))
	t.Cleanup(server.Close)
	s.webhook(t, server.URL, charge.EventCreated)
	id := s.advance(t, s.create(t, s.request()).ID, start).Deliveries[0]
	require.Equal(t, webhook.Delivered, attempt(t, s.webhooks(loopback), deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: id, Attempt: 1}))
	log, err := s.store.ListAttempts(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, "no\ufffd caf\ufffd", log[0].Answer)
}

func TestThirdFailureIsTheLast(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	url, got := receiver(t, 302, 400, 500)
	s.webhook(t, url, charge.EventCreated)
	state := s.advance(t, s.create(t, s.request()).ID, start)
	a := s.webhooks(loopback)
	for n, want := range []webhook.Status{webhook.Pending, webhook.Pending, webhook.Failed} {
		require.Equal(t, want, attempt(t, a, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: state.Deliveries[0], Attempt: n + 1}))
	}
	require.Len(t, *got, 3)
	d, err := s.store.GetDeliveryForSending(t.Context(), state.Deliveries[0])
	require.NoError(t, err)
	require.EqualValues(t, 3, d.Attempts)
}

// Temporal loses the run of a redelivery. Another run begins with the first attempt. It
// repeats no recorded attempt, and makes the remaining attempts of the round, with their
// pauses.
func TestRoundOfARedeliverySurvivesItsRun(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	url, got := receiver(t, 500, 500, 500, 500, 500, 500)
	s.webhook(t, url, charge.EventCreated)
	state := s.advance(t, s.create(t, s.request()).ID, start)
	id, a := state.Deliveries[0], s.webhooks(loopback)
	round := func(from int) (made []webhook.Status) {
		for n := from; n <= 6; n++ {
			status := attempt(t, a, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: id, Attempt: n})
			if made = append(made, status); status != webhook.Pending {
				break
			}
		}
		return made
	}
	require.Equal(t, []webhook.Status{webhook.Pending, webhook.Pending, webhook.Failed}, round(1))
	require.NoError(t, s.redeliver(t, id, start))
	require.Equal(t, webhook.Pending, attempt(t, a, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: id, Attempt: 4}))
	d, err := s.store.GetDeliveryForSending(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, start.Add(5*time.Second), d.NextAttemptAt.UTC())
	require.Equal(t, []webhook.Status{webhook.Pending, webhook.Pending, webhook.Pending, webhook.Pending, webhook.Pending, webhook.Failed}, round(1))
	require.Len(t, *got, 6)
}

func TestPrivateTargetIsDroppedUndialled(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	url, got := receiver(t, 200)
	s.webhook(t, url, charge.EventCreated)
	state := s.advance(t, s.create(t, s.request()).ID, start)
	require.Equal(t, webhook.Dropped, attempt(t, s.webhooks(), deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: state.Deliveries[0], Attempt: 1}))
	require.Empty(t, *got)
}

func TestDeletedWebhookDropsItsDeliveries(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	url, got := receiver(t, 200)
	s.webhook(t, url, charge.EventCreated)
	state := s.advance(t, s.create(t, s.request()).ID, start)
	_, err := s.store.Pool().Exec(t.Context(), "UPDATE webhooks SET deleted_at = now()")
	require.NoError(t, err)
	require.Equal(t, webhook.Dropped, attempt(t, s.webhooks(loopback), deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: state.Deliveries[0], Attempt: 1}))
	require.Empty(t, *got)
}

func TestReopenedDeliveryContinuesCounting(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	url, got := receiver(t, 200, 200)
	s.webhook(t, url, charge.EventCreated)
	state := s.advance(t, s.create(t, s.request()).ID, start)
	id, a := state.Deliveries[0], s.webhooks(loopback)
	find := func() deliveries.State {
		found, err := a.FindDelivery(t.Context(), deliveries.FindDelivery{Receiver: webhook.Merchant, ID: id})
		require.NoError(t, err)
		found.Next = found.Next.UTC()
		return found
	}
	require.Equal(t, deliveries.State{Pending: true, Next: start}, find())
	require.Equal(t, refusals.Delivery, reason(t, s.redeliver(t, id, start)), "it was not attempted yet")
	require.Empty(t, s.woken(t, "deliveries"))
	attempt(t, a, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: id, Attempt: 1})
	require.Equal(t, deliveries.State{Attempts: 1}, find())
	again := start.Add(time.Hour)
	require.NoError(t, s.redeliver(t, id, again))
	require.Equal(t, []string{id}, s.woken(t, "deliveries"))
	require.Equal(t, deliveries.State{Pending: true, Next: again, Attempts: 1}, find())
	require.Equal(t, refusals.Delivery, reason(t, s.redeliver(t, id, again)), "twice is once")
	require.Equal(t, webhook.Delivered, attempt(t, a, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: id, Attempt: 2}))
	require.Equal(t, (*got)[0].body, (*got)[1].body)
}

func TestPingIsOneSignedDelivery(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	url, got := receiver(t, 200)
	key := s.webhook(t, url, charge.EventExpired)
	var hook string
	require.NoError(t, s.store.Pool().QueryRow(t.Context(), "SELECT id FROM webhooks").Scan(&hook))
	a := s.webhooks(loopback)
	in := chargestore.Ping{DeliveryID: secret.NewID("whd_"), WebhookID: hook, MerchantID: s.merchant, At: start}
	ping := func(p chargestore.Ping) error {
		return s.change(t, func(q *db.Queries) error { return chargestore.RecordPing(t.Context(), q, p) })
	}
	require.NoError(t, ping(in))
	require.Equal(t, []string{in.DeliveryID}, s.woken(t, "deliveries"))
	for range 2 {
		require.Equal(t, webhook.Delivered, attempt(t, a, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: in.DeliveryID, Attempt: 1}))
	}
	require.Len(t, *got, 1)
	body := `{"event":"ping","data":{"id":"` + in.DeliveryID + `","webhook_id":"` + hook + `"},"timestamp":"2026-11-21T09:30:00.000Z"}`
	require.Equal(t, received{body, webhook.Sign(key, []byte(body))}, (*got)[0])

	foreign := in
	foreign.DeliveryID, foreign.MerchantID = secret.NewID("whd_"), secret.NewMerchantID()
	require.Equal(t, refusals.Webhook, reason(t, ping(foreign)))
	_, err := s.store.Pool().Exec(t.Context(), "UPDATE webhooks SET deleted_at = now()")
	require.NoError(t, err)
	in.DeliveryID = secret.NewID("whd_")
	require.Equal(t, refusals.Webhook, reason(t, ping(in)))
}
