package activities_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/webhook"
)

// request is a request that a receiver got.
type request struct {
	body   []byte
	header http.Header
}

// keeping is a receiver that keeps whole requests; it answers with the status.
func keeping(t *testing.T, status int) (url string, got *[]request) {
	t.Helper()
	got = &[]request{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*got = append(*got, request{body, r.Header})
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	return server.URL, got
}

// speak has all webhooks speak BTCPay's shape, with a policy.
func (s *shop) speak(t *testing.T, retries webhook.Retries) {
	t.Helper()
	_, err := s.store.Pool().Exec(t.Context(), "UPDATE webhooks SET dialect = 'btcpay', mode = 'live', retries = $1", string(retries))
	require.NoError(t, err)
}

// invoiceEvents returns the number of events in BTCPay's format so far, by type, with their
// payments.
func (s *shop) invoiceEvents(t *testing.T) map[string]int {
	t.Helper()
	rows, err := s.store.Pool().Query(t.Context(), "SELECT type FROM events WHERE type LIKE 'Invoice%'")
	require.NoError(t, err)
	defer rows.Close()
	types := map[string]int{}
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		types[name]++
	}
	require.NoError(t, rows.Err())
	return types
}

// enable switches all webhooks on or off.
func (s *shop) enable(t *testing.T, on bool) {
	t.Helper()
	_, err := s.store.Pool().Exec(t.Context(), "UPDATE webhooks SET enabled = $1", on)
	require.NoError(t, err)
}

// advanced advances the charge twice: the second time adds no event.
func (s *shop) advanced(t *testing.T, id string, at time.Time) map[string]int {
	t.Helper()
	var events map[string]int
	for range 2 {
		_, err := s.activity().AdvanceCharge(t.Context(), incoming.AdvanceCharge{ChargeID: id, Now: at})
		require.NoError(t, err)
		if events != nil {
			require.Equal(t, events, s.invoiceEvents(t))
		}
		events = s.invoiceEvents(t)
	}
	return events
}

func TestEachInvoiceStepHasOneEvent(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	s.webhook(t, "https://shop.example/hook", webhook.BTCPayEvents()...)
	s.speak(t, webhook.AsBTCPay)
	in := s.request()
	for range 2 {
		s.create(t, in)
		require.Len(t, s.advance(t, in.ChargeID, start).Deliveries, 1, "the workflow sends it")
	}
	require.Equal(t, map[string]int{webhook.InvoiceCreated: 1}, s.invoiceEvents(t))

	s.pay(t, in.ChargeID, money.OneXMR/200, 0)
	require.Equal(t, map[string]int{webhook.InvoiceCreated: 1, webhook.InvoiceReceivedPayment: 1}, s.advanced(t, in.ChargeID, start.Add(2*time.Minute)))
	s.pay(t, in.ChargeID, money.OneXMR/100, 100)
	s.mine(t, 105)
	require.Equal(t, map[string]int{webhook.InvoiceCreated: 1, webhook.InvoiceReceivedPayment: 2, webhook.InvoiceProcessing: 1},
		s.advanced(t, in.ChargeID, start.Add(3*time.Minute)))
	s.mine(t, 110)
	require.Equal(t, map[string]int{
		webhook.InvoiceCreated: 1, webhook.InvoiceReceivedPayment: 2, webhook.InvoiceProcessing: 1, webhook.InvoicePaymentSettled: 1, webhook.InvoiceSettled: 1,
	}, s.advanced(t, in.ChargeID, start.Add(4*time.Minute)))

	var body map[string]any
	var payload string
	require.NoError(t, s.store.Pool().QueryRow(t.Context(), "SELECT payload FROM events WHERE type = 'InvoiceSettled'").Scan(&payload))
	require.NoError(t, json.Unmarshal([]byte(payload), &body))
	require.Equal(t, true, body["overPaid"])
	require.Equal(t, false, body["manuallyMarked"])
	require.Equal(t, s.merchant, body["storeId"])
	require.Equal(t, in.ChargeID, body["invoiceId"])
	require.NotContains(t, payload, "metadata", "what may name the buyer lies in the charge alone")
}

// A reorganization that removes a payment and brings it back causes no second event.
func TestInvoicePaymentThatComesBackHasOneEvent(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	s.webhook(t, "https://shop.example/hook", webhook.BTCPayEvents()...)
	s.speak(t, webhook.AsBTCPay)
	in := s.request()
	s.create(t, in)
	s.pay(t, in.ChargeID, money.OneXMR/100, 100)
	s.mine(t, 110)
	settled := s.advanced(t, in.ChargeID, start.Add(2*time.Minute))
	require.Equal(t, 1, settled[webhook.InvoiceSettled])
	for _, sql := range []string{
		"UPDATE received_payments SET height = NULL, mature_height = NULL, mature = false, vanished_at = now()",
		"UPDATE received_payments SET vanished_at = NULL, height = 101, mature_height = 111, mature = true",
	} {
		_, err := s.store.Pool().Exec(t.Context(), sql)
		require.NoError(t, err)
		require.Equal(t, settled, s.advanced(t, in.ChargeID, start.Add(3*time.Minute)))
	}
}

func TestInvoiceThatExpiresAndIsPaidLate(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	s.webhook(t, "https://shop.example/hook", webhook.BTCPayEvents()...)
	s.speak(t, webhook.AsBTCPay)
	in := s.request()
	made := s.create(t, in)
	late := made.ExpiresAt.Add(time.Minute)
	require.Equal(t, map[string]int{webhook.InvoiceCreated: 1, webhook.InvoiceExpired: 1}, s.advanced(t, in.ChargeID, late))
	s.pay(t, in.ChargeID, money.OneXMR/100, 100)
	_, err := s.store.Pool().Exec(t.Context(), "UPDATE received_payments SET first_seen_at = $1", late)
	require.NoError(t, err)
	s.mine(t, 110)
	require.Equal(t, map[string]int{
		webhook.InvoiceCreated: 1, webhook.InvoiceExpired: 1, webhook.InvoiceReceivedPayment: 1, webhook.InvoicePaymentSettled: 1,
		webhook.InvoicePaidAfterExpiration: 1,
	}, s.advanced(t, in.ChargeID, late.Add(time.Minute)), "the shop has a mapping of its own for late orders")
	var payload string
	require.NoError(t, s.store.Pool().QueryRow(t.Context(), "SELECT payload FROM events WHERE type = 'InvoicePaymentSettled'").Scan(&payload))
	require.Contains(t, payload, `"afterExpiration":true`)
	require.Contains(t, payload, `"value":"0.01"`)
}

// TestInvoiceThatExpiresWithAPartOfItsMoney sends two events, because shops subscribe to
// either.
func TestInvoiceThatExpiresWithAPartOfItsMoney(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	s.webhook(t, "https://shop.example/hook", webhook.BTCPayEvents()...)
	s.speak(t, webhook.AsBTCPay)
	in := s.request()
	made := s.create(t, in)
	s.pay(t, in.ChargeID, money.OneXMR/200, 100)
	s.mine(t, 110)
	require.Equal(t, map[string]int{
		webhook.InvoiceCreated: 1, webhook.InvoiceReceivedPayment: 1, webhook.InvoicePaymentSettled: 1, webhook.InvoiceExpired: 1,
		webhook.InvoiceExpiredPaidPartial: 1,
	}, s.advanced(t, in.ChargeID, made.ExpiresAt.Add(time.Minute)))
}

// A merchant without a webhook in that format causes no work and gets no event.
func TestInvoiceEventsAreForSubscribers(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	s.webhook(t, "https://shop.example/hook", charge.EventCreated)
	s.create(t, s.request())
	require.Empty(t, s.invoiceEvents(t))
	s.webhook(t, "https://shop.example/hook", webhook.InvoiceSettled)
	s.speak(t, webhook.AsBTCPay)
	_, err := s.store.Pool().Exec(t.Context(), "UPDATE webhooks SET enabled = false")
	require.NoError(t, err)
	require.Empty(t, s.invoiceEvents(t))
}

func TestBTCPayDeliverySendsTheSameSignedBytes(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	url, got := keeping(t, http.StatusInternalServerError)
	key := s.webhook(t, url, webhook.InvoiceCreated)
	s.speak(t, webhook.AsBTCPay)
	made := s.advance(t, s.create(t, s.request()).ID, start)
	id, a := made.Deliveries[0], s.webhooks(loopback)
	for n := 1; n <= 9; n++ {
		want := webhook.Pending
		if n == 9 {
			want = webhook.Failed
		}
		require.Equal(t, want, attempt(t, a, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: id, Attempt: n}), "attempt %d", n)
	}
	require.Len(t, *got, 9)
	for _, r := range *got {
		require.Equal(t, (*got)[0].body, r.body)
		require.Equal(t, "sha256="+webhook.Sign(key, r.body), r.header.Get("BTCPay-Sig"))
		require.Empty(t, r.header.Get(webhook.SignatureHeader))
	}
	first := map[string]any{}
	require.NoError(t, json.Unmarshal((*got)[0].body, &first))
	require.Equal(t, id, first["deliveryId"])
	require.Equal(t, id, first["originalDeliveryId"])
	require.Equal(t, false, first["isRedelivery"])
	require.Contains(t, string((*got)[0].body), `"metadata":{"n":1.10}`)

	require.NoError(t, s.redeliver(t, id, start))
	require.Equal(t, webhook.Pending, attempt(t, a, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: id, Attempt: 10}))
	again := map[string]any{}
	require.NoError(t, json.Unmarshal((*got)[9].body, &again))
	require.Equal(t, id+"-2", again["deliveryId"])
	require.Equal(t, id, again["originalDeliveryId"])
	require.Equal(t, true, again["isRedelivery"])

	s.enable(t, false)
	require.Equal(t, webhook.Dropped, attempt(t, a, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: id, Attempt: 11}))
	require.Len(t, *got, 10, "one that is switched off is sent nothing")
	s.enable(t, true)
	require.NoError(t, s.redeliver(t, id, start))
	attempt(t, a, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: id, Attempt: 12})
	require.Contains(t, string((*got)[10].body), `"deliveryId":"`+id+`-3"`, "a round of which nothing was sent is one too")
}

// A public library verifies deliveries with the secret as it is shown.
func TestStandardWebhooksVerifiesDeliveries(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	url, got := keeping(t, http.StatusInternalServerError)
	key := s.webhook(t, url, charge.EventCreated)
	made := s.advance(t, s.create(t, s.request()).ID, start)
	a := s.webhooks(loopback)
	a.Clock = time.Now // the library refuses old times
	for n := 1; n <= 2; n++ {
		attempt(t, a, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: made.Deliveries[0], Attempt: n})
	}
	require.Len(t, *got, 2)
	for _, secret := range []string{key, "whsec_" + key} {
		verifier, err := standardwebhooks.NewWebhook(secret)
		require.NoError(t, err)
		for _, r := range *got {
			require.NoError(t, verifier.Verify(r.body, r.header))
			require.Equal(t, made.Deliveries[0], r.header.Get(standardwebhooks.HeaderWebhookID), "the same for each attempt")
			require.Error(t, verifier.Verify(append([]byte(" "), r.body...), r.header))
		}
	}
	other, err := standardwebhooks.NewWebhook(strings.Repeat("ab", 32))
	require.NoError(t, err)
	require.Error(t, other.Verify((*got)[0].body, (*got)[0].header))
}

// A webhook with long retries is tried for a day.
func TestLongRetries(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	url, got := keeping(t, http.StatusInternalServerError)
	s.webhook(t, url, charge.EventCreated)
	_, err := s.store.Pool().Exec(t.Context(), "UPDATE webhooks SET retries = 'long'")
	require.NoError(t, err)
	made := s.advance(t, s.create(t, s.request()).ID, start)
	a := s.webhooks(loopback)
	n := 1
	for ; attempt(t, a, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: made.Deliveries[0], Attempt: n}) == webhook.Pending; n++ {
		require.Less(t, n, 100)
	}
	require.Equal(t, 32, n)
	require.Len(t, *got, 32)
}
