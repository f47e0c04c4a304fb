package merchant_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/worker"
	"github.com/durapay/durapay/workflows"
)

// clockedShop is a shop of the sandbox with a test clock that shows clockTime at first.
type clockedShop struct {
	*bench

	shop  shop
	clock string
}

func (b *bench) clockedShop(t *testing.T) clockedShop {
	t.Helper()
	s := b.signup(t)
	clock := b.clockForm(t, clocksPath, s.test, "", at(clockTime)).require(t, http.StatusOK).text(t, "id")
	return clockedShop{bench: b, shop: s, clock: clock}
}

// ask makes a charge of 2 XMR that is bound to the clock.
func (s clockedShop) ask(t *testing.T) string {
	t.Helper()
	body := `{"amount":2,"currency":"XMR","test_clock":"` + s.clock + `"}`
	return s.send(t, http.MethodPost, "/api/charges", key(s.shop.test), body).require(t, http.StatusOK).text(t, "id")
}

// clockAfter is the time of the clock that is so long after its first one.
func clockAfter(after time.Duration) string {
	return time.Unix(clockTime, 0).UTC().Add(after).Format("2006-01-02T15:04:05.000Z")
}

// begin advances the clock to so long after its first time, and does not wait.
func (s clockedShop) begin(t *testing.T, after time.Duration) answer {
	t.Helper()
	return s.clockForm(t, clocksPath+"/"+s.clock+"/advance", s.shop.test, "", at(clockTime+int64(after.Seconds())))
}

// arrives waits until the clock stands at so long after its first time.
func (s clockedShop) arrives(t *testing.T, after time.Duration) {
	t.Helper()
	want := fmt.Sprintf(`"frozen_time":%d`, clockTime+int64(after.Seconds()))
	require.Eventually(t, func() bool {
		a := s.send(t, http.MethodGet, clocksPath+"/"+s.clock, session(s.shop.test), "").require(t, http.StatusOK)
		return a.text(t, "status") == "ready" && strings.Contains(a.body, want)
	}, 2*time.Minute, 20*time.Millisecond)
}

func (s clockedShop) move(t *testing.T, after time.Duration) {
	t.Helper()
	s.begin(t, after).require(t, http.StatusOK)
	s.arrives(t, after)
}

func (s clockedShop) get(t *testing.T, id string) answer {
	t.Helper()
	return s.send(t, http.MethodGet, "/api/charges/"+id, key(s.shop.test), "").require(t, http.StatusOK)
}

// seenAt is when the first payment was seen.
func seenAt(t *testing.T, a answer) string {
	t.Helper()
	return a.field(t, "payments").([]any)[0].(map[string]any)["first_seen_at"].(string)
}

// TestAChargeOfATestClockIsPaid pays charges while their clock is moved.
func TestAChargeOfATestClockIsPaid(t *testing.T) {
	t.Parallel()
	b := setupWithTemporal(t)
	t.Run("moved before, between and after confirmations", func(t *testing.T) {
		t.Parallel()
		s := b.clockedShop(t)
		id := s.ask(t)
		s.move(t, 10*time.Minute)
		a := b.test(t, s.shop, id, "pay", `{"confirmations":2}`).require(t, http.StatusOK)
		require.Equal(t, clockAfter(10*time.Minute), seenAt(t, a))
		require.Equal(t, clockAfter(3*time.Hour), a.text(t, "expires_at"), "paid in time, it waits two hours longer")
		s.move(t, 2*time.Hour)
		a = s.get(t, id)
		require.Equal(t, "pending", a.text(t, "status"))
		require.Equal(t, json.Number("2"), a.field(t, "confirmations"), "no clock makes blocks")
		b.test(t, s.shop, id, "confirm", `{"confirmations":4}`).require(t, http.StatusOK)
		s.move(t, 150*time.Minute)
		b.test(t, s.shop, id, "confirm", `{}`).require(t, http.StatusOK)
		a = b.sandboxBecomes(t, s.shop, id, "status", "confirmed")
		require.Equal(t, clockAfter(150*time.Minute), a.text(t, "confirmed_at"))
		require.Equal(t, false, a.field(t, "late"))
		s.move(t, 48*time.Hour)
		require.Equal(t, a.body, s.get(t, id).body, "nothing is left to happen")
		require.Equal(t, []string{"charge.created", "charge.pending", "charge.confirmed"}, b.heardOf(t, s.shop, id))
	})
	t.Run("not confirmed in time", func(t *testing.T) {
		t.Parallel()
		s := b.clockedShop(t)
		id := s.ask(t)
		b.test(t, s.shop, id, "pay", `{"confirmations":2}`).require(t, http.StatusOK)
		s.move(t, 24*time.Hour)
		a := s.get(t, id)
		require.Equal(t, "expired", a.text(t, "status"))
		require.Equal(t, clockAfter(3*time.Hour), a.text(t, "expires_at"))
		b.test(t, s.shop, id, "confirm", `{}`).require(t, http.StatusOK)
		a = b.sandboxBecomes(t, s.shop, id, "status", "confirmed")
		require.Equal(t, true, a.field(t, "late"))
		require.Equal(t, clockAfter(24*time.Hour), a.text(t, "confirmed_at"))
		require.Equal(t, []string{"charge.created", "charge.pending", "charge.expired", "charge.late_confirmed"}, b.heardOf(t, s.shop, id))
	})
	t.Run("paid in parts, one of them late", func(t *testing.T) {
		t.Parallel()
		s := b.clockedShop(t)
		id := s.ask(t)
		b.test(t, s.shop, id, "pay", `{"part":0.5,"confirmations":10}`).require(t, http.StatusOK)
		s.move(t, 2*time.Hour)
		require.Equal(t, clockAfter(time.Hour), s.get(t, id).text(t, "expires_at"), "half of it makes it wait no longer")
		require.Equal(t, "expired", s.get(t, id).text(t, "status"))
		b.test(t, s.shop, id, "pay", `{"confirmations":10}`).require(t, http.StatusOK)
		a := b.sandboxBecomes(t, s.shop, id, "status", "confirmed")
		require.Equal(t, true, a.field(t, "late"))
		require.Contains(t, a.body, clockAfter(2*time.Hour), "the second is seen when the clock stands there")
	})
	t.Run("reorganized after an advance", func(t *testing.T) {
		t.Parallel()
		s := b.clockedShop(t)
		open, done := s.ask(t), s.ask(t)
		b.test(t, s.shop, open, "pay", `{"confirmations":2}`).require(t, http.StatusOK)
		b.test(t, s.shop, done, "pay", `{"confirmations":10}`).require(t, http.StatusOK)
		b.sandboxBecomes(t, s.shop, done, "status", "confirmed")
		s.move(t, 90*time.Minute)
		a := b.test(t, s.shop, open, "reorg", `{}`).require(t, http.StatusOK)
		require.Equal(t, json.Number("0"), a.field(t, "confirmations"))
		require.Equal(t, clockAfter(0), seenAt(t, a), "it was seen before")
		a = b.test(t, s.shop, open, "reorg", `{"drop":true}`).require(t, http.StatusOK)
		require.Equal(t, "unpaid", a.text(t, "payment_state"))
		s.move(t, 24*time.Hour)
		require.Equal(t, "expired", s.get(t, open).text(t, "status"))
		b.test(t, s.shop, done, "reorg", `{}`).require(t, http.StatusOK)
		a = b.test(t, s.shop, done, "confirm", `{"confirmations":12}`).require(t, http.StatusOK)
		require.Equal(t, "confirmed", a.text(t, "status"))
		require.Equal(t, clockAfter(0), a.text(t, "confirmed_at"), "a confirmed charge stays what it is")
		require.Equal(t, []string{"charge.created", "charge.pending", "charge.confirmed"}, b.heardOf(t, s.shop, done))
	})
	t.Run("two advances and a payment at once", func(t *testing.T) {
		t.Parallel()
		s := b.clockedShop(t)
		from := time.Duration(0)
		for range 4 {
			id := s.ask(t)
			var all sync.WaitGroup
			statuses := make([]int, 3)
			for i := range 2 {
				all.Go(func() { statuses[i] = s.begin(t, from+time.Duration(i+4)*time.Hour).status })
			}
			all.Go(func() {
				statuses[2] = b.statusOf(t.Context(), "/api/test/charges/"+id+"/pay", key(s.shop.test), `{"confirmations":10}`)
			})
			all.Wait()
			require.Equal(t, http.StatusOK, statuses[2])
			b.sandboxBecomes(t, s.shop, id, "status", "confirmed")
			won := slices.Index(statuses[:2], http.StatusOK)
			require.NotEqual(t, -1, won)
			if statuses[0] == statuses[1] {
				won = 1 // the longer one came when the shorter one was over
			}
			from += time.Duration(won+4) * time.Hour
			s.arrives(t, from)
			a := s.get(t, id)
			ended := map[bool]string{false: "charge.confirmed", true: "charge.late_confirmed"}[a.field(t, "late") == true]
			require.Contains(t, b.heardOf(t, s.shop, id), ended)
			require.LessOrEqual(t, seenAt(t, a), clockAfter(from))
		}
	})
	t.Run("told in BTCPay's shape", func(t *testing.T) { t.Parallel(); testBTCPayByAClock(t, b.clockedShop(t)) })
}

// testBTCPayByAClock: a receiver that takes nothing at its first attempts hears by the
// clock, each event once in the end.
func testBTCPayByAClock(t *testing.T, s clockedShop) {
	got := s.hears(t, func(attempt int) int {
		if attempt < 3 {
			return http.StatusInternalServerError
		}
		return http.StatusNoContent
	})
	id := s.ask(t)
	s.simulate(t, id, "pay", `{"part":0.5,"confirmations":10}`)
	s.move(t, 2*time.Hour)
	s.simulate(t, id, "pay", `{"confirmations":10}`)
	s.sandboxBecomes(t, s.shop, id, "status", "confirmed")
	require.Equal(t, "pending", s.statusOfLast(t), "attempts wait for the clock")
	s.move(t, 4*time.Hour)
	heard := got()
	for kind, want := range map[string]int{
		webhook.InvoiceCreated: 1, webhook.InvoiceReceivedPayment: 2, webhook.InvoicePaymentSettled: 2, webhook.InvoiceExpired: 1, webhook.InvoiceSettled: 1,
	} {
		require.Len(t, heard[kind], want, kind)
	}
	expired := heard[webhook.InvoiceExpired][0]
	require.Equal(t, true, expired.field(t, "partiallyPaid"))
	require.Equal(t, id, expired.text(t, "invoiceId"))
	sent, err := expired.field(t, "timestamp").(json.Number).Int64()
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), time.Unix(sent, 0), 5*time.Minute, "events are told in real time")
	var late []string
	for _, e := range heard[webhook.InvoiceReceivedPayment] {
		late = append(late, fmt.Sprint(e.field(t, "afterExpiration"))+" "+fmt.Sprint(e.field(t, "payment.receivedDate")))
	}
	require.ElementsMatch(t, []string{
		"false " + strconv.Itoa(clockTime), "true " + strconv.Itoa(clockTime+2*3600),
	}, late)
	require.Empty(t, rowsOf[string](t, s.bench, "SELECT id FROM deliveries WHERE merchant_id = '"+s.shop.id+"' AND (status <> 'delivered' OR attempts <> 3)"))
}

// simulate makes a request of the sandbox that is taken.
func (s clockedShop) simulate(t *testing.T, id, what, body string) {
	t.Helper()
	s.bench.test(t, s.shop, id, what, body).require(t, http.StatusOK)
}

// statusOfLast is that of the newest delivery.
func (s clockedShop) statusOfLast(t *testing.T) string {
	t.Helper()
	return rowsOf[string](t, s.bench, "SELECT status FROM deliveries WHERE merchant_id = '"+s.shop.id+"' ORDER BY created_at DESC LIMIT 1")[0]
}

// hears gives the shop a webhook of the sandbox in BTCPay's shape, whose receiver
// answers the n-th attempt of a delivery as it is told. What was taken comes out by
// the type of the event.
func (s clockedShop) hears(t *testing.T, status func(attempt int) int) func() map[string][]answer {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", net.JoinHostPort(reachable().String(), "0"))
	require.NoError(t, err)
	var mu sync.Mutex
	attempts, taken := map[string]int{}, map[string][]answer{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		var told struct {
			Type       string `json:"type"`
			DeliveryID string `json:"deliveryId"`
		}
		_ = json.Unmarshal(raw, &told)
		mu.Lock()
		defer mu.Unlock()
		attempts[told.DeliveryID]++
		code := status(attempts[told.DeliveryID])
		if code < http.StatusMultipleChoices {
			taken[told.Type] = append(taken[told.Type], answer{body: string(raw)})
		}
		w.WriteHeader(code)
	}))
	require.NoError(t, server.Listener.Close())
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	id, mode := secret.NewID("wh_"), "sandbox"
	sealed, err := s.box.Seal([]byte("its own"), secret.WebhookPlace(id))
	require.NoError(t, err)
	_, err = s.store.InsertWebhook(t.Context(), db.InsertWebhookParams{
		ID: id, MerchantID: s.shop.id, Url: server.URL, Events: webhook.BTCPayEvents(), SecretSealed: sealed,
		Dialect: "btcpay", Mode: &mode, Retries: "btcpay", Enabled: true, CreatedAt: time.Now(),
	})
	require.NoError(t, err)
	return func() map[string][]answer {
		mu.Lock()
		defer mu.Unlock()
		return taken
	}
}

// TestAnAdvanceOutlivesItsWorker: the worker stops in the middle of an advance, and
// another one goes on with it. Each charge expires once.
func TestAnAdvanceOutlivesItsWorker(t *testing.T) {
	t.Parallel()
	b := setupWithTemporal(t)
	s := b.clockedShop(t)
	held := make(chan struct{})
	var first sync.Once
	reached := make(chan struct{})
	got := s.hears(t, func(int) int {
		first.Do(func() { close(reached) })
		<-held
		return http.StatusNoContent
	})
	var ids []string
	for range 20 {
		ids = append(ids, s.ask(t))
	}
	<-reached
	s.begin(t, 2*time.Hour).require(t, http.StatusOK)
	require.Equal(t, "advancing", b.send(t, http.MethodGet, clocksPath+"/"+s.clock, session(s.shop.test), "").text(t, "status"), "what waits for the receiver is not over")
	b.stopWorker()
	close(held)
	t.Cleanup(b.startWorker())
	s.arrives(t, 2*time.Hour)
	for _, id := range ids {
		require.Equal(t, "expired", s.get(t, id).text(t, "status"))
		require.Equal(t, []string{"charge.created", "charge.expired"}, b.heardOf(t, s.shop, id))
	}
	heard := map[string]bool{}
	for _, e := range got()[webhook.InvoiceExpired] {
		heard[e.text(t, "invoiceId")] = true
	}
	require.Len(t, heard, len(ids))
	require.Empty(t, rowsOf[string](t, b, "SELECT id FROM deliveries WHERE status <> 'delivered'"))
}

// TestAnAdvanceOutlivesTemporalsMemory: the runs of a clock and of what is bound to it
// are gone, and reconcile goes on with the advance.
func TestAnAdvanceOutlivesTemporalsMemory(t *testing.T) {
	t.Parallel()
	b := setupWithTemporal(t)
	s := b.clockedShop(t)
	id, paid := s.ask(t), s.ask(t)
	s.simulate(t, paid, "pay", `{"confirmations":2}`)
	b.stopWorker()
	// What BeginAdvance writes, and nobody carries on.
	b.exec(t, "UPDATE test_clocks SET status = 'advancing', target_time = to_timestamp($2) WHERE id = $1", s.clock, clockTime+86400)
	for _, workflowID := range []string{workflows.ChargeWorkflowID(id), workflows.ChargeWorkflowID(paid)} {
		require.NoError(t, b.temporal.TerminateWorkflow(t.Context(), workflowID, "", "lost"))
	}
	t.Cleanup(b.startWorker())
	again := worker.Reconciler{Store: b.store, Temporal: b.temporal, Clock: time.Now}
	done, err := again.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, done.Started["test_clocks"])
	require.Equal(t, 2, done.Started["charges"])
	s.arrives(t, 24*time.Hour)
	for _, id := range []string{id, paid} {
		require.Equal(t, "expired", s.get(t, id).text(t, "status"))
	}
	require.Equal(t, clockAfter(time.Hour), s.get(t, id).text(t, "expires_at"))
	s.simulate(t, paid, "confirm", `{}`)
	b.sandboxBecomes(t, s.shop, paid, "status", "confirmed")
	s.move(t, 25*time.Hour)
}
