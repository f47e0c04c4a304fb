package merchant_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/greenfield"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/webhook"
)

// failedDelivery replaces the shop's webhooks by one in BTCPay's dialect, with a delivery that has failed.
func (b *bench) failedDelivery(t *testing.T, s shop) (hook, delivery string) {
	t.Helper()
	b.exec(t, "UPDATE webhooks SET deleted_at = now() WHERE merchant_id = $1", s.id)
	hook = secret.NewID("wh_")
	sealed, err := b.box.Seal([]byte("its own"), secret.WebhookPlace.Of(hook))
	require.NoError(t, err)
	_, err = b.store.InsertWebhook(t.Context(), db.InsertWebhookParams{
		ID: hook, MerchantID: s.id, Url: "https://shop.example/hook", Events: webhook.BTCPayEvents(), SecretSealed: sealed,
		Dialect: "btcpay", Mode: "live", Retries: "btcpay", Enabled: true, CreatedAt: b.clock.Now(),
	})
	require.NoError(t, err)
	ids, err := b.store.RecordInvoiceEvents(t.Context(), db.RecordInvoiceEventsParams{
		MerchantID: s.id, Mode: "live", ResourceID: secret.NewID("ch_"), CreatedAt: b.clock.Now(), Types: []string{webhook.InvoiceCreated},
		Parts: []string{""}, Payloads: []string{`{"type":"InvoiceCreated"}`},
	})
	require.NoError(t, err)
	require.Len(t, ids, 1)
	b.exec(t, "UPDATE deliveries SET status = 'failed', attempts = 9, http_status = 500, error = 'it answered 500', next_attempt_at = NULL WHERE id = $1", ids[0])
	return hook, ids[0]
}

func TestGreenfieldWebhooks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, other := b.signup(t), b.signup(t)
	k := b.scoped(t, s, "PrestaShop", permission.ModifyWebhooks)
	path := "/api/v1/stores/" + s.id + "/webhooks"
	post := func(body string) answer { return b.send(t, http.MethodPost, path, token(k), body) }
	ok := func(a answer) answer {
		t.Helper()
		require.Equal(t, http.StatusOK, a.status, a.body)
		return a
	}

	for body, field := range map[string]string{
		`{}`: "url", `{"url":null}`: "url", `{"url":"shop.example"}`: "url", `{"url":"ftp://shop.example"}`: "url", `{"url":1}`: "url",
		`{"url":"https://shop.example","enabled":"yes"}`:                                            "enabled",
		`{"url":"https://shop.example","secret":"` + strings.Repeat("x", 201) + `"}`:                "secret",
		`{"url":"https://shop.example","authorizedEvents":{"specificEvents":["InvoiceConfirmed"]}}`: "authorizedEvents.specificEvents",
		`{"url":"https://shop.example","authorizedEvents":{"everything":1,"specificEvents":["x"]}}`: "authorizedEvents.everything",
	} {
		a := post(body)
		require.Equal(t, http.StatusUnprocessableEntity, a.status, "%s: %s", body, a.body)
		var fields []greenfield.Field
		require.NoError(t, json.Unmarshal([]byte(a.body), &fields), a.body)
		require.Equal(t, field, fields[0].Path, body)
	}

	alone := ok(post(`{"url":"https://shopware.example/hook"}`))
	require.Equal(t, true, alone.field(t, "enabled"))
	require.Equal(t, true, alone.field(t, "automaticRedelivery"))
	require.Contains(t, alone.body, `"everything":true`)
	require.Len(t, alone.text(t, "secret"), 64)

	own := ok(post(`{"url":"https://shop.example/hook","secret":"` + strings.Repeat("s", 200) + `","enabled":null,"automaticRedelivery":false,
		"authorizedEvents":{"everything":false,"specificEvents":["InvoiceSettled","InvoicePaidInFull","InvoiceSettled"]}}`))
	require.Equal(t, strings.Repeat("s", 200), own.text(t, "secret"), "the caller's own comes back unchanged")
	require.Contains(t, own.body, `"specificEvents":["InvoiceSettled","InvoicePaidInFull"]`)
	hookPath := path + "/" + own.text(t, "id")
	shown := ok(b.send(t, http.MethodGet, hookPath, token(k), ""))
	require.NotContains(t, shown.body, "secret")
	require.Equal(t, false, shown.field(t, "automaticRedelivery"))
	list := ok(b.send(t, http.MethodGet, path, token(k), `{}`))
	require.Contains(t, list.body, own.text(t, "id"))
	require.Contains(t, list.body, alone.text(t, "id"))

	inOurShape := b.as(t, s, http.MethodPost, "/api/webhooks", `{"url":"https://shop.example/ours","events":["charge.confirmed"]}`).require(t, http.StatusOK).text(t, "id")
	require.NotContains(t, ok(b.send(t, http.MethodGet, path, token(k), "")).body, inOurShape)
	for _, request := range [][2]string{
		{http.MethodGet, ""}, {http.MethodGet, "/deliveries"}, {http.MethodPut, ""}, {http.MethodDelete, ""},
	} {
		a := b.send(t, request[0], path+"/"+inOurShape+request[1], token(k), `{"url":"https://elsewhere.example"}`)
		require.Equal(t, http.StatusNotFound, a.status, "%s: %s", request, a.body)
	}
	b.as(t, s, http.MethodDelete, "/api/webhooks/"+inOurShape, "").require(t, http.StatusOK)

	sealed := func() []byte {
		w, err := b.store.GetWebhook(t.Context(), db.GetWebhookParams{ID: own.text(t, "id"), MerchantID: s.id})
		require.NoError(t, err)
		return w.SecretSealed
	}
	before := sealed()
	kept := ok(b.send(t, http.MethodPut, hookPath, token(k), `{"url":"https://shop.example/new","enabled":false,"secret":null}`))
	require.Equal(t, false, kept.field(t, "enabled"))
	require.Equal(t, "https://shop.example/new", kept.text(t, "url"))
	require.True(t, slices.Equal(before, sealed()), "a secret that is null stays")
	ok(b.send(t, http.MethodPut, hookPath, token(k), `{"url":"https://shop.example/new","secret":"another"}`))
	require.False(t, slices.Equal(before, sealed()))

	ours := b.send(t, http.MethodGet, "/api/webhooks", session(s.token), "").require(t, http.StatusOK)
	require.Contains(t, ours.body, `"dialect":"btcpay"`)
	strange := b.scoped(t, other, "other", permission.ModifyWebhooks)
	require.Equal(t, http.StatusNotFound, b.send(t, http.MethodGet, "/api/v1/stores/"+other.id+"/webhooks/"+own.text(t, "id"), token(strange), "").status)

	gone := ok(b.send(t, http.MethodDelete, hookPath, token(k), ""))
	require.Empty(t, gone.body)
	require.Equal(t, http.StatusNotFound, b.send(t, http.MethodDelete, hookPath, token(k), "").status)
	require.Equal(t, http.StatusNotFound, b.send(t, http.MethodGet, path+"/wh_x", token(k), "").status)
	for n := range 9 {
		ok(post(`{"url":"https://shop.example/hook/` + strconv.Itoa(n) + `"}`))
	}
	require.Equal(t, http.StatusUnprocessableEntity, post(`{"url":"https://shop.example/hook"}`).status, "ten are the most")
}

// TestAShopThatIsConnectedAgainLeavesNoWebhookBehind connects a shop repeatedly. The newest
// secret signs every delivery, also those that were still pending. Webhooks stay if they have
// another URL, another mode or additional events, or if they are in our own dialect.
func TestAShopThatIsConnectedAgainLeavesNoWebhookBehind(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	k, sandbox := b.scoped(t, s, "WooCommerce", permission.ModifyWebhooks), b.grant(t, s, "sandbox", permission.ModifyWebhooks).text(t, "key")
	makes := func(key, body string) string {
		t.Helper()
		a := b.send(t, http.MethodPost, "/api/v1/stores/"+s.id+"/webhooks", token(key), body)
		require.Equal(t, http.StatusOK, a.status, a.body)
		return a.text(t, "id")
	}
	const all, two = `"authorizedEvents":{"everything":true}`, `"authorizedEvents":{"specificEvents":["InvoiceSettled","InvoiceExpired"]}`
	stays := []string{
		makes(k, `{"url":"https://shop.example/other",`+all+`}`), makes(sandbox, `{"url":"https://shop.example/hook",`+all+`}`),
	}
	b.as(t, s, http.MethodPost, "/api/webhooks", `{"url":"https://shop.example/hook","events":["charge.confirmed"]}`).require(t, http.StatusOK)
	former := makes(k, `{"url":"https://shop.example/hook",`+two+`}`)
	for n := range 2 { // a pending delivery, and a finished one
		b.exec(t, `WITH e AS (INSERT INTO events (merchant_id, mode, type, resource_id, part, payload, created_at)
				VALUES ($1, 'live', 'InvoiceSettled', 'ch_1', $3, '{}', now()) RETURNING id)
			INSERT INTO deliveries (id, webhook_id, merchant_id, mode, event_id, created_at, next_attempt_at) SELECT 'whd_' || $3, $2, $1, 'live', e.id, now(), now() FROM e`,
			s.id, former, strconv.Itoa(n))
	}
	b.exec(t, "UPDATE deliveries SET status = 'failed' WHERE id = 'whd_1'")
	var last string
	for n := range 15 {
		last = makes(k, `{"url":"https://shop.example/hook","secret":"`+strconv.Itoa(n)+`",`+all+`}`)
	}
	less := makes(k, `{"url":"https://shop.example/hook",`+two+`}`)
	require.ElementsMatch(t, append(stays, last, less), rowsOf[string](t, b, "SELECT id FROM webhooks WHERE deleted_at IS NULL AND dialect = 'btcpay'"))
	require.Equal(t, []string{last}, rowsOf[string](t, b, "SELECT webhook_id FROM deliveries WHERE id = 'whd_0'"))
	require.Equal(t, []string{former}, rowsOf[string](t, b, "SELECT webhook_id FROM deliveries WHERE id = 'whd_1'"), "what is over stays where it was")
	require.Len(t, rowsOf[string](t, b, "SELECT id FROM webhooks WHERE deleted_at IS NULL AND dialect = 'durapay'"), 1)
}

func TestGreenfieldDeliveries(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	k := b.scoped(t, s, "Magento", permission.ModifyWebhooks, permission.ViewInvoices)
	hook, id := b.failedDelivery(t, s)
	path := "/api/v1/stores/" + s.id + "/webhooks/" + hook + "/deliveries"
	get := func(at string) answer { return b.send(t, http.MethodGet, at, token(k), "") }
	logged := get(path+"/"+id).require(t, http.StatusOK)
	require.Equal(t, id, logged.text(t, "id"))
	require.Equal(t, "HttpError", logged.text(t, "status"))
	require.Equal(t, "it answered 500", logged.text(t, "errorMessage"))
	require.JSONEq(t, "["+logged.body+"]", get(path+"?count=1").body)
	require.Equal(t, http.StatusUnprocessableEntity, get(path+"?count=0").status)
	require.Equal(t, http.StatusUnprocessableEntity, get(path+"?count=201").status)
	require.Equal(t, http.StatusNotFound, get(path+"/whd_000000000000000000000000").status)
	require.Equal(t, http.StatusNotFound, get(path+"/nothing").status)
	sent := get(path+"/"+id+"/request").require(t, http.StatusOK)
	require.Equal(t, id, sent.text(t, "deliveryId"))
	require.Equal(t, hook, sent.text(t, "webhookId"))
	b.exec(t, "UPDATE deliveries SET status = 'pending', rounds = 2 WHERE id = $1", id)
	again := get(path+"/"+id+"-2").require(t, http.StatusOK)
	require.Equal(t, id+"-2", again.text(t, "id"))
	require.Equal(t, "Pending", again.text(t, "status"))
	for _, other := range []string{id + "-3", id + "-1", id + "-x", id + "-02"} {
		require.Equal(t, http.StatusNotFound, get(path+"/"+other).status, other)
	}
	require.Equal(t, http.StatusUnprocessableEntity, b.send(t, http.MethodPost, path+"/"+id+"/redeliver", token(k), "").status)
}

func testGreenfieldRedelivery(t *testing.T, b *bench) {
	s := b.signup(t)
	k := b.scoped(t, s, "Magento", permission.ModifyWebhooks, permission.ViewInvoices)
	hook, id := b.failedDelivery(t, s)
	a := b.send(t, http.MethodPost, "/api/v1/stores/"+s.id+"/webhooks/"+hook+"/deliveries/"+id+"/redeliver", token(k), "")
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.JSONEq(t, `"`+id+`-2"`, a.body)
}
