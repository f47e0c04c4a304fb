package activities_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/activities/upkeep"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/webhook"
)

// settledInvoice returns an invoice that has every event at one look, as after an hour in
// which no worker ran.
func (s *shop) settledInvoice(t *testing.T) (id string) {
	t.Helper()
	in := s.request()
	s.create(t, in)
	s.pay(t, in.ChargeID, money.OneXMR/100, 0)
	s.advance(t, in.ChargeID, start.Add(time.Minute))
	s.exec(t, "UPDATE received_payments SET height = 100, mature_height = 110")
	s.mine(t, 110)
	s.advance(t, in.ChargeID, start.Add(2*time.Minute))
	return in.ChargeID
}

func (s *shop) deliveryOf(t *testing.T, event string) (id string) {
	t.Helper()
	require.NoError(t, s.store.Pool().QueryRow(t.Context(),
		"SELECT d.id FROM deliveries d JOIN events e ON e.id = d.event_id WHERE e.type = $1", event).Scan(&id))
	return id
}

// wakes returns how many charges have a wakeup, and deletes the wakeups.
func (s *shop) wakes(t *testing.T) (n int) {
	t.Helper()
	n = s.number(t, "SELECT count(*) FROM wakeups WHERE version > 0")
	s.exec(t, "DELETE FROM wakeups")
	return n
}

func typesOf(t *testing.T, got []request) (types []string) {
	t.Helper()
	for _, r := range got {
		var body struct {
			Type string `json:"type"`
		}
		require.NoError(t, json.Unmarshal(r.body, &body))
		types = append(types, body.Type)
	}
	return types
}

// TestInvoiceEventsAreSentInOrder: the next event is sent when the previous one has arrived, or
// was given up, and each end wakes the charge. No run attempts a waiting delivery, and it
// is not overdue. Every attempt is made twice.
func TestInvoiceEventsAreSentInOrder(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]int{"they arrive": http.StatusOK, "they are given up": http.StatusInternalServerError} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, 1)
			url, got := keeping(t, status)
			s.webhook(t, url, webhook.BTCPayEvents()...)
			s.speak(t, webhook.AsBTCPay)
			id, a := s.settledInvoice(t), s.webhooks(loopback)
			var order []string
			rows, err := s.store.Pool().Query(t.Context(), "SELECT type FROM events WHERE type LIKE 'Invoice%' ORDER BY id")
			require.NoError(t, err)
			order, err = pgx.CollectRows(rows, pgx.RowTo[string])
			require.NoError(t, err)
			require.Equal(t, []string{
				webhook.InvoiceCreated, webhook.InvoiceReceivedPayment, webhook.InvoiceProcessing, webhook.InvoicePaymentSettled, webhook.InvoiceSettled,
			}, order)
			s.wakes(t)
			for i, event := range order {
				due := s.advance(t, id, start.Add(time.Hour)).Deliveries
				require.Equal(t, []string{s.deliveryOf(t, event)}, due)
				n := 1
				for attempt(t, a, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: due[0], Attempt: n}) == webhook.Pending {
					require.Empty(t, s.advance(t, id, start.Add(time.Hour)).Deliveries, "what comes after waits for the retry")
					require.Zero(t, s.wakes(t))
					n++
				}
				again := s.wakes(t)
				attempt(t, a, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: due[0], Attempt: n})
				require.Zero(t, s.wakes(t), "a second run of an attempt releases nothing more")
				require.Equal(t, i < len(order)-1, again == 1, "the end of %s wakes the charge if something follows", event)
			}
			require.Equal(t, order, slices.Compact(typesOf(t, *got)))
			require.Empty(t, s.advance(t, id, start.Add(time.Hour)).Deliveries)
		})
	}
}

// TestWhatWaitsForAnotherDeliveryIsNotOverdue, and no search after Temporal lost its memory
// starts it.
func TestWhatWaitsForAnotherDeliveryIsNotOverdue(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	url, _ := keeping(t, http.StatusInternalServerError)
	s.webhook(t, url, webhook.BTCPayEvents()...)
	s.speak(t, webhook.AsBTCPay)
	id := s.settledInvoice(t)
	first := s.deliveryOf(t, webhook.InvoiceCreated)
	require.Equal(t, webhook.Pending, attempt(t, s.webhooks(loopback), deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: first, Attempt: 1}))
	pending, err := s.store.PendingDeliveries(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{first}, pending)
	charges, err := s.store.OpenCharges(t.Context())
	require.NoError(t, err)
	require.NotContains(t, charges, id)
	var found []string
	require.NoError(t, outbox.EachOverdue(t.Context(), s.store.Queries, outbox.OverdueSearch{Now: start.Add(48 * time.Hour), MaxRows: 100}, func(page []outbox.Overdue) {
		for _, i := range page {
			found = append(found, i.ID)
		}
	}))
	require.Contains(t, found, first)
	require.NotContains(t, found, id)
}

// TestRedeliveryWaitsForNoOtherDelivery, and no other delivery waits for it.
func TestRedeliveryWaitsForNoOtherDelivery(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	url, got := keeping(t, http.StatusInternalServerError)
	s.webhook(t, url, webhook.BTCPayEvents()...)
	s.speak(t, webhook.Once)
	id, a := s.settledInvoice(t), s.webhooks(loopback)
	last := s.deliveryOf(t, webhook.InvoiceSettled)
	_, err := s.store.Pool().Exec(t.Context(), "UPDATE deliveries SET status = 'dropped' WHERE id = $1", last)
	require.NoError(t, err)
	require.NoError(t, s.redeliver(t, last, start))
	require.Equal(t, []string{s.deliveryOf(t, webhook.InvoiceCreated)}, s.advance(t, id, start).Deliveries, "it is the run's that sends it")
	s.wakes(t)
	require.Equal(t, webhook.Failed, attempt(t, a, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: last, Attempt: 1}))
	require.Zero(t, s.wakes(t), "another is on its way: what waits for that goes on waiting")
	for _, event := range []string{webhook.InvoiceCreated, webhook.InvoiceReceivedPayment, webhook.InvoiceProcessing, webhook.InvoicePaymentSettled} {
		require.Equal(t, []string{s.deliveryOf(t, event)}, s.advance(t, id, start).Deliveries)
		attempt(t, a, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: s.deliveryOf(t, event), Attempt: 1})
	}
	require.Empty(t, s.advance(t, id, start).Deliveries)
	require.Len(t, *got, 5)
}

// TestWebhooksAndChargesWaitForTheirOwn: an event to another webhook, of another charge, or
// in our own shape waits for nothing.
func TestWebhooksAndChargesWaitForTheirOwn(t *testing.T) {
	t.Parallel()
	s := open(t, 2)
	for range 2 {
		s.webhook(t, "https://shop.example/hook", webhook.BTCPayEvents()...)
	}
	s.speak(t, webhook.AsBTCPay)
	one, other := s.request(), s.request()
	s.create(t, one)
	s.create(t, other)
	require.Len(t, s.advance(t, one.ChargeID, start).Deliveries, 2, "two webhooks")
	require.Len(t, s.advance(t, other.ChargeID, start).Deliveries, 2, "another charge")
}

// TestTheEndOfADeliveryMeetsTheNextEvent: an attempt ends while the event after it is
// being written. In either order, the event is sent.
func TestTheEndOfADeliveryMeetsTheNextEvent(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	url, _ := keeping(t, http.StatusOK)
	s.webhook(t, url, webhook.BTCPayEvents()...)
	s.speak(t, webhook.AsBTCPay)
	due := func(event string) bool {
		t.Helper()
		return s.number(t, "SELECT count(*) FROM deliveries WHERE id = '"+s.deliveryOf(t, event)+"' AND next_attempt_at IS NOT NULL") == 1
	}
	in := s.request()
	s.create(t, in)
	created := s.deliveryOf(t, webhook.InvoiceCreated)

	// The attempt has recorded its outcome and has not committed.
	ends, err := s.store.Pool().Begin(t.Context())
	require.NoError(t, err)
	_, err = ends.Exec(t.Context(), "UPDATE deliveries SET status = 'delivered', delivered_at = now(), next_attempt_at = NULL, attempts = 1 WHERE id = $1", created)
	require.NoError(t, err)
	s.pay(t, in.ChargeID, money.OneXMR/200, 0)
	var running sync.WaitGroup
	running.Go(func() { s.advance(t, in.ChargeID, start.Add(time.Minute)) })
	pgtest.AwaitBlocked(t, s.store, ends, 1)
	require.NoError(t, ends.Commit(t.Context()))
	running.Wait()
	require.True(t, due(webhook.InvoiceReceivedPayment), "nothing is before it any more")

	// The event is written and not committed.
	writes, err := s.store.Pool().Begin(t.Context())
	require.NoError(t, err)
	_, err = writes.Exec(t.Context(), "SELECT FROM deliveries WHERE id = $1 FOR NO KEY UPDATE", s.deliveryOf(t, webhook.InvoiceReceivedPayment))
	require.NoError(t, err)
	_, err = writes.Exec(t.Context(), `WITH e AS (
			INSERT INTO events (merchant_id, mode, type, resource_id, payload, created_at) VALUES ($1, 'live', 'InvoiceProcessing', $2, '{}', now()) RETURNING id)
		INSERT INTO deliveries (id, webhook_id, merchant_id, mode, event_id, created_at)
		SELECT 'whd_next', w.id, $1, 'live', e.id, now() FROM e, webhooks w`, s.merchant, in.ChargeID)
	require.NoError(t, err)
	running.Go(func() {
		assert.Equal(t, webhook.Delivered, attempt(t, s.webhooks(loopback),
			deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: s.deliveryOf(t, webhook.InvoiceReceivedPayment), Attempt: 1}))
	})
	pgtest.AwaitBlocked(t, s.store, writes, 1)
	require.NoError(t, writes.Commit(t.Context()))
	running.Wait()
	require.True(t, due(webhook.InvoiceProcessing), "the end has seen it")
}

// TestAWebhookIsReplacedWhileAnEventIsWritten: the event goes to one that is not ended.
func TestAWebhookIsReplacedWhileAnEventIsWritten(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	s.webhook(t, "https://shop.example/hook", webhook.BTCPayEvents()...)
	s.speak(t, webhook.AsBTCPay)
	in := s.request()
	s.create(t, in)
	replaces, err := s.store.Pool().Begin(t.Context())
	require.NoError(t, err)
	_, err = replaces.Exec(t.Context(), "UPDATE webhooks SET deleted_at = now()")
	require.NoError(t, err)
	_, err = replaces.Exec(t.Context(), `INSERT INTO webhooks (id, merchant_id, url, events, secret_sealed, use_tor, dialect, retries, enabled, mode, created_at)
		SELECT 'wh_new', merchant_id, url, events, secret_sealed, use_tor, dialect, retries, enabled, mode, now() FROM webhooks`)
	require.NoError(t, err)
	_, err = replaces.Exec(t.Context(), "UPDATE deliveries SET webhook_id = 'wh_new'")
	require.NoError(t, err)
	s.pay(t, in.ChargeID, money.OneXMR/200, 0)
	var running sync.WaitGroup
	running.Go(func() { s.advance(t, in.ChargeID, start.Add(time.Minute)) })
	pgtest.AwaitBlocked(t, s.store, replaces, 1)
	require.NoError(t, replaces.Commit(t.Context()))
	running.Wait()
	require.Equal(t, 2, s.number(t, "SELECT count(*) FROM deliveries WHERE webhook_id = 'wh_new'"))
	require.Equal(t, 1, s.number(t, "SELECT count(*) FROM deliveries WHERE next_attempt_at IS NULL"), "the second waits for the first")
}

// TestHeldDeliveriesAreReleased, whatever held them, and only where nothing is before them.
func TestHeldDeliveriesAreReleased(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	s.webhook(t, "https://shop.example/hook", webhook.BTCPayEvents()...)
	s.speak(t, webhook.AsBTCPay)
	id := s.settledInvoice(t)
	look := upkeep.Overdue{
		Store: s.store, Clock: func() time.Time { return start.Add(time.Hour) }, Wake: func(context.Context, []outbox.Overdue) error { return nil },
	}
	search := func() {
		t.Helper()
		for range 2 {
			_, err := look.CheckOverdue(t.Context())
			require.NoError(t, err)
		}
	}
	s.wakes(t)
	search()
	require.Zero(t, s.wakes(t), "the first is on its way")
	s.exec(t, "UPDATE deliveries SET status = 'dropped', next_attempt_at = NULL WHERE next_attempt_at IS NOT NULL")
	require.Empty(t, s.advance(t, id, start).Deliveries)
	search()
	require.Equal(t, 1, s.wakes(t))
	require.Equal(t, []string{s.deliveryOf(t, webhook.InvoiceReceivedPayment)}, s.advance(t, id, start).Deliveries)
}
