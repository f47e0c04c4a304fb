package merchant_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres/db"
)

// TestTheLogShowsWhatAKeyMayView checks that the content of charge and refund events needs the
// permission to view charges and refunds, and that the content of payout events and the whole address
// of a webhook are only for the account's own keys.
func TestTheLogShowsWhatAKeyMayView(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	hook := b.as(t, s, http.MethodPost, "/api/webhooks", `{"url":"https://hooks.example:8443/T000/in-the-path?and=query","events":["charge.confirmed","refund.sent","payout.sent"]}`).require(t, http.StatusOK).text(t, "id")
	for typ, body := range map[string]string{
		"charge.confirmed": `{"event":"charge.confirmed","data":{"metadata":{"buyer_info":{"email":"anna@example.com"}}}}`,
		"refund.sent":      `{"event":"refund.sent","data":{"charge_id":"ch_refunded"}}`,
		"payout.sent":      `{"event":"payout.sent","data":{"amount_xmr":123456.75}}`,
	} {
		_, err := b.store.RecordEvent(t.Context(), db.RecordEventParams{MerchantID: s.id, Mode: "live", Type: typ, ResourceID: "r" + typ, CreatedAt: b.clock.Now(), Payload: body})
		require.NoError(t, err)
	}
	b.exec(t, `INSERT INTO delivery_attempts (delivery_id, attempt, at, http_status, request_headers, answer)
		SELECT id, 1, now(), 500, 'X-Merchant-Signature: of the body', 'the receiver''s answer' FROM deliveries`)
	for name, c := range map[string]struct {
		key                      string
		charge, refunds, payouts bool
	}{
		"webhooks alone":        {b.scoped(t, s, "x", permission.ModifyWebhooks), false, false, false},
		"webhooks and invoices": {b.scoped(t, s, "x", permission.ModifyWebhooks, permission.ViewInvoices), true, false, false},
		"webhooks and refunds":  {b.scoped(t, s, "x", permission.ModifyWebhooks, permission.ViewPullPayments), false, true, false},
		"the whole store":       {b.scoped(t, s, "x", permission.ModifyStoreSettings), true, true, false},
		"of the account":        {s.live, true, true, true},
	} {
		for _, path := range []string{"/api/webhooks/deliveries", "/api/webhooks/" + hook + "/deliveries"} {
			a := b.send(t, http.MethodGet, path, key(c.key), "").require(t, http.StatusOK)
			var log struct {
				Deliveries []struct {
					ID      string          `json:"id"`
					Event   string          `json:"event"`
					Payload json.RawMessage `json:"payload"`
				} `json:"deliveries"`
			}
			require.NoError(t, json.Unmarshal([]byte(a.body), &log))
			require.Len(t, log.Deliveries, 3)
			require.Equal(t, c.charge, strings.Contains(a.body, "anna@example.com"), "%s: %s", name, a.body)
			require.Equal(t, c.refunds, strings.Contains(a.body, "ch_refunded"), "%s: %s", name, a.body)
			require.Equal(t, c.payouts, strings.Contains(a.body, "123456.75"), "%s: %s", name, a.body)
			for _, d := range log.Deliveries {
				shown := map[string]bool{"charge.confirmed": c.charge, "refund.sent": c.refunds, "payout.sent": c.payouts}[d.Event]
				require.Equal(t, !shown, string(d.Payload) == "null", "%s: %s", name, d.Event)
				attempts := b.send(t, http.MethodGet, "/api/webhooks/deliveries/"+d.ID+"/attempts", key(c.key), "").require(t, http.StatusOK)
				require.Equal(t, shown, strings.Contains(attempts.body, "of the body"), "%s: %s", name, attempts.body)
				require.Equal(t, shown, strings.Contains(attempts.body, "the receiver's answer"), "%s: %s", name, attempts.body)
				address := map[bool]string{true: "https://hooks.example:8443/T000/in-the-path?and=query", false: "hooks.example:8443"}[c.key == s.live]
				require.Equal(t, address, attempts.text(t, "webhook_url"), name)
			}
		}
	}
}

// TestWhatAnInvoicesDeliverySendsIsForWhoMayViewInvoices checks that the log of a webhook
// without that permission only names the deliveries.
func TestWhatAnInvoicesDeliverySendsIsForWhoMayViewInvoices(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	hook, id := b.failedDelivery(t, s)
	path := "/api/v1/stores/" + s.id + "/webhooks/" + hook + "/deliveries/" + id
	alone := b.scoped(t, s, "x", permission.ModifyWebhooks)
	b.send(t, http.MethodGet, path, token(alone), "").require(t, http.StatusOK)
	refused := b.send(t, http.MethodGet, path+"/request", token(alone), "")
	require.Equal(t, http.StatusForbidden, refused.status, refused.body)
	require.Equal(t, "missing-permission", refused.text(t, "code"))
	require.Equal(t, string(permission.ViewInvoices), refused.text(t, "missingPermission"))
	both := b.scoped(t, s, "x", permission.ModifyWebhooks, permission.ViewInvoices)
	require.Equal(t, id, b.send(t, http.MethodGet, path+"/request", token(both), "").require(t, http.StatusOK).text(t, "deliveryId"))
}

// TestAKeyRedeliversWhatItMayView checks that a key which manages webhooks cannot read the
// invoices of the log by leading a webhook to a place of its own and sending them again.
func TestAKeyRedeliversWhatItMayView(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	hook, id := b.failedDelivery(t, s)
	hooks := "/api/v1/stores/" + s.id + "/webhooks/" + hook
	alone := b.scoped(t, s, "x", permission.ModifyWebhooks)
	b.send(t, http.MethodPut, hooks, token(alone), `{"url":"https://elsewhere.example"}`).require(t, http.StatusOK)
	again := func(k string) []answer {
		return []answer{
			b.send(t, http.MethodPost, hooks+"/deliveries/"+id+"/redeliver", token(k), ""),
			b.send(t, http.MethodPost, "/api/webhooks/deliveries/"+id+"/redeliver", key(k), ""),
		}
	}
	for _, refused := range again(alone) {
		require.Equal(t, http.StatusForbidden, refused.status, refused.body)
		require.Contains(t, refused.body, permission.ViewInvoices)
	}
	require.Equal(t, []int32{1}, rowsOf[int32](t, b, "SELECT rounds FROM deliveries WHERE id = '"+id+"'"))
	for i, sent := range again(b.scoped(t, s, "x", permission.ModifyWebhooks, permission.ViewInvoices)) {
		want := []int{http.StatusOK, http.StatusBadRequest}[i] // the second finds it pending
		require.Equal(t, want, sent.status, sent.body)
	}
}
