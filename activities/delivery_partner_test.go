package activities_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/webhook"
)

// tradeEvent makes a partner's trade with its first event, and returns the number of that
// event.
func tradeEvent(t *testing.T, b *bureau, url string) string {
	t.Helper()
	in := b.request("1")
	key := partnerKeyID
	in.KeyID, in.WebhookURL = &key, &url
	row := b.create(t, in)
	b.deposit(row, "deposit", "1", 0)
	state := b.advance(t, row.ID)
	require.Len(t, state.Events, 1)
	return strconv.FormatInt(state.Events[0], 10)
}

// redeliver opens an event's delivery again, as an operator's command does.
func (b *bureau) redeliver(t *testing.T, id string) error {
	t.Helper()
	number, err := strconv.ParseInt(id, 10, 64)
	require.NoError(t, err)
	return b.store.Tx(t.Context(), func(q *db.Queries) error { return chargestore.RedeliverTradeEvent(t.Context(), q, number, b.now) })
}

func hooksOf(b *bureau, nets ...netip.Prefix) *deliveries.Handler {
	return &deliveries.Handler{
		Store: b.store, Secret: b.box, Clock: func() time.Time { return b.now },
		TradeFinished: func(outcome webhook.Status) { b.finished = append(b.finished, outcome) },
		Sender:        outbound.NewSender(outbound.SenderConfig{Policy: outbound.Policy{AllowedNets: nets}, Timeout: time.Minute}),
	}
}

func TestTradeEventIsSignedAndSentOnce(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	key := b.partner(t)
	var bodies []string
	var headers http.Header
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies, headers = append(bodies, string(body)), r.Header
	}))
	t.Cleanup(receiver.Close)
	hooks, id := hooksOf(b, netip.MustParsePrefix("127.0.0.0/8")), tradeEvent(t, b, receiver.URL)
	for range 2 {
		got, err := hooks.AttemptDelivery(t.Context(), deliveries.AttemptDelivery{Receiver: webhook.Partner, ID: id, Attempt: 1})
		require.NoError(t, err)
		require.Equal(t, webhook.Delivered, got.Status)
	}
	require.Len(t, bodies, 1, "an attempt that is recorded is not made again")
	require.Contains(t, bodies[0], `"status":"deposit_detected","prev_status":"awaiting_deposit"`)
	require.Equal(t, "swap.status_changed", headers.Get("X-SWAP-EVENT"))
	require.Equal(t, webhook.Sign(key, []byte(bodies[0])), headers.Get("X-SWAP-SIGNATURE"))
	require.Equal(t, "application/json", headers.Get("Content-Type"))

	require.NoError(t, b.redeliver(t, id))
	require.Equal(t, refusals.Delivery, reason(t, b.redeliver(t, id)), "it is being attempted")
	found, err := hooks.FindDelivery(t.Context(), deliveries.FindDelivery{Receiver: webhook.Partner, ID: id})
	require.NoError(t, err)
	require.True(t, found.Pending)
	require.Equal(t, 1, found.Attempts)
	got, err := hooks.AttemptDelivery(t.Context(), deliveries.AttemptDelivery{Receiver: webhook.Partner, ID: id, Attempt: 2})
	require.NoError(t, err)
	require.Equal(t, webhook.Delivered, got.Status)
	require.Equal(t, bodies[0], bodies[1], "the same bytes")
}

func TestTradeEventIsRetriedForADay(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	b.partner(t)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }))
	t.Cleanup(receiver.Close)
	hooks, id := hooksOf(b, netip.MustParsePrefix("127.0.0.0/8")), tradeEvent(t, b, receiver.URL)
	begun := b.now
	for n := 1; ; n++ {
		got, err := hooks.AttemptDelivery(t.Context(), deliveries.AttemptDelivery{Receiver: webhook.Partner, ID: id, Attempt: n})
		require.NoError(t, err)
		if n == 1 {
			require.Equal(t, begun.Add(10*time.Second), got.Next)
			again, err := hooks.AttemptDelivery(t.Context(), deliveries.AttemptDelivery{Receiver: webhook.Partner, ID: id, Attempt: n})
			require.NoError(t, err)
			require.Equal(t, got.Status, again.Status)
			require.WithinDuration(t, got.Next, again.Next, 0)
		}
		if got.Status == webhook.Failed {
			break
		}
		require.Equal(t, webhook.Pending, got.Status)
		b.now = got.Next
	}
	require.Greater(t, b.now.Sub(begun), 22*time.Hour)
	dead, err := b.store.DeadTradeEvents(t.Context(), db.DeadTradeEventsParams{Limit: 10})
	require.NoError(t, err)
	require.Len(t, dead, 1)
	require.Equal(t, id, strconv.FormatInt(dead[0].ID, 10))
	require.Equal(t, int32(http.StatusBadGateway), *dead[0].HttpStatus)

	require.NoError(t, b.redeliver(t, id))
	found, err := hooks.FindDelivery(t.Context(), deliveries.FindDelivery{Receiver: webhook.Partner, ID: id})
	require.NoError(t, err)
	again, err := hooks.AttemptDelivery(t.Context(), deliveries.AttemptDelivery{Receiver: webhook.Partner, ID: id, Attempt: found.Attempts + 1})
	require.NoError(t, err)
	require.Equal(t, b.now.Add(10*time.Second), again.Next, "another round begins with the first pause")
}

func TestTradeEventThatWasGivenUpTakesNothingBack(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		second, first int
		want          webhook.Status
	}{
		"a failure after the success": {200, 500, webhook.Delivered},
		"a success after the failure": {500, 200, webhook.Delivered},
		"a failure after the failure": {500, 503, webhook.Pending},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := bureauOf(t)
			b.partner(t)
			url, reached, answer := slowThenFast(t, of.first, of.second)
			hooks := hooksOf(b, netip.MustParsePrefix("127.0.0.0/8"))
			in := deliveries.AttemptDelivery{Receiver: webhook.Partner, ID: tradeEvent(t, b, url), Attempt: 1}
			var late deliveries.Attempt
			var lateErr error
			var wg sync.WaitGroup
			wg.Go(func() { late, lateErr = hooks.AttemptDelivery(t.Context(), in) })
			<-reached
			_, err := hooks.AttemptDelivery(t.Context(), in)
			require.NoError(t, err)
			close(answer)
			wg.Wait()
			require.NoError(t, lateErr)
			require.Equal(t, of.want, late.Status, "whoever asks hears what is recorded")
			number, err := strconv.ParseInt(in.ID, 10, 64)
			require.NoError(t, err)
			row, err := b.store.TradeEventForSending(t.Context(), number)
			require.NoError(t, err)
			require.Equal(t, string(of.want), row.Delivery)
			require.EqualValues(t, 1, row.Attempts)
			require.Equal(t, of.want == webhook.Pending, row.NextAttemptAt != nil)
			require.LessOrEqual(t, len(b.finished), 1, "one end is counted")
		})
	}
}

func TestTradeEventToAPrivateAddressIsDropped(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	b.partner(t)
	hooks, id := hooksOf(b), tradeEvent(t, b, "https://127.0.0.1/hook")
	got, err := hooks.AttemptDelivery(t.Context(), deliveries.AttemptDelivery{Receiver: webhook.Partner, ID: id, Attempt: 1})
	require.NoError(t, err)
	require.Equal(t, webhook.Dropped, got.Status)
}
