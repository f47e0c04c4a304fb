package merchant_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

func (b *bench) webhook(t *testing.T, s shop, body string) answer {
	t.Helper()
	return b.send(t, http.MethodPost, "/api/webhooks", session(s.token), body)
}

func TestWebhooks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, other := b.signup(t), b.signup(t)
	a := b.webhook(t, s, `{"url":"https://shop.example.com/h?a=1&b=2"}`).require(t, http.StatusOK)
	id := a.text(t, "id")
	require.Regexp(t, `^wh_[0-9a-f]{24}$`, id)
	require.Regexp(t, `^[0-9a-f]{64}$`, a.text(t, "secret"))
	require.Contains(t, a.body, `"url":"https://shop.example.com/h?a=1&b=2"`)
	require.Contains(t, a.body, `"events":["charge.confirmed","charge.expired"]`)
	require.Contains(t, a.body, `"status":"active"`)
	require.Contains(t, a.body, `"use_tor":0`)
	sealed, err := b.store.GetWebhook(t.Context(), db.GetWebhookParams{ID: id, MerchantID: s.id})
	require.NoError(t, err)
	plain, err := b.box.Unseal(sealed.SecretSealed, secret.AD{Table: "webhooks", Column: "secret", ID: id})
	require.NoError(t, err)
	require.Equal(t, a.text(t, "secret"), string(plain))

	tor := b.webhook(t, s, `{"url":"http://`+strings.Repeat("a", 56)+`.onion/","use_tor":true,"events":["payout.sent","charge.created","payout.sent"]}`).require(t, http.StatusOK)
	require.Contains(t, tor.body, `"use_tor":1`)
	require.Contains(t, tor.body, `"events":["payout.sent","charge.created"]`)

	list := b.send(t, http.MethodGet, "/api/webhooks", session(s.token), "").require(t, http.StatusOK)
	require.NotContains(t, list.body, "secret")
	require.Len(t, list.field(t, "webhooks"), 2)
	require.Equal(t, `{"webhooks":[]}`, strings.TrimSpace(b.send(t, http.MethodGet, "/api/webhooks", session(other.token), "").body))

	b.send(t, http.MethodDelete, "/api/webhooks/"+id, session(other.token), "").require(t, http.StatusNotFound)
	gone := b.send(t, http.MethodDelete, "/api/webhooks/"+id, session(s.token), "").require(t, http.StatusOK)
	require.Equal(t, id, gone.text(t, "id"))
	require.Equal(t, true, gone.field(t, "deleted"))
	for _, unknown := range []string{id, "wh_x", "deliveries", "%00", "wh_%ff", "wh_" + strings.Repeat("a", 500)} {
		b.send(t, http.MethodDelete, "/api/webhooks/"+unknown, session(s.token), "").require(t, http.StatusNotFound, unknown)
	}
}

func TestWrongWebhooksAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	for _, body := range []string{
		`{}`, `{"url":null}`, `{"url":1}`, `{"url":""}`, `{"url":"ftp://example.com"}`, `{"url":"example.com"}`, `{"url":"http://"}`,
		`{"url":"http://a.onion/\u0000"}`, `{"url":"http://` + strings.Repeat("a", 56) + `.onion/"}`,
		`{"url":"https://example.com","events":[]}`, `{"url":"https://example.com","events":["nothing"]}`,
		`{"url":"https://example.com","events":"charge.created"}`, `{"url":"https://example.com","events":[1]}`,
		`{"url":"https://example.com","events":["ping"]}`, `{"url":"https://example.com","use_tor":1}`, `{"url":"https://example.com","use_tor":"true"}`,
	} {
		b.webhook(t, s, body).require(t, http.StatusBadRequest, body)
	}
	b.webhook(t, s, `{"url":"https://example.com","events":null,"use_tor":null}`).require(t, http.StatusOK)
}

func TestAtMostTenWebhooksEvenAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	var mu sync.Mutex
	statuses := map[int]int{}
	var wg sync.WaitGroup
	for range 15 {
		wg.Go(func() {
			status := b.webhook(t, s, `{"url":"https://example.com"}`).status
			mu.Lock()
			defer mu.Unlock()
			statuses[status]++
		})
	}
	wg.Wait()
	require.Equal(t, map[int]int{http.StatusOK: 10, http.StatusBadRequest: 5}, statuses)

	for range 10 {
		b.webhook(t, s, `{"url":"https://example.com","mode":"sandbox"}`).require(t, http.StatusOK)
	}
	b.webhook(t, s, `{"url":"https://example.com","mode":"sandbox"}`).require(t, http.StatusBadRequest)
}

// TestAWebhookReceivesEventsOfOneMode checks that a receiver of live events gets no events of the
// sandbox, and the other way round. A key sees only the log of its mode.
func TestAWebhookReceivesEventsOfOneMode(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	for _, body := range []string{`"both"`, `""`, `1`, `"Live"`, `["live"]`} {
		b.webhook(t, s, `{"url":"https://example.com","mode":`+body+`}`).require(t, http.StatusBadRequest, body)
	}
	live := b.webhook(t, s, `{"url":"https://example.com/a","mode":null}`).require(t, http.StatusOK)
	require.Equal(t, "live", live.text(t, "mode"))
	sandbox := b.webhook(t, s, `{"url":"https://example.com/a","mode":"sandbox"}`).require(t, http.StatusOK)
	require.NotEqual(t, live.text(t, "secret"), sandbox.text(t, "secret"))

	hooks := map[string]string{"live": live.text(t, "id"), "sandbox": sandbox.text(t, "id")}
	keys := map[string]string{"live": s.live, "sandbox": s.test}
	for mode, hook := range hooks {
		id, err := b.store.RecordEvent(t.Context(), db.RecordEventParams{
			MerchantID: s.id, Mode: mode, Type: "charge.confirmed", ResourceID: secret.NewID("ch_"), CreatedAt: b.clock.Now(), Payload: "{}",
		})
		require.NoError(t, err)
		require.Len(t, id, 1, mode)
		require.Equal(t, []string{hook}, rowsOf[string](t, b, "SELECT webhook_id FROM deliveries WHERE id = '"+id[0]+"'"))
		for other, k := range keys {
			log := b.send(t, http.MethodGet, "/api/webhooks/"+hook+"/deliveries", key(k), "").require(t, http.StatusOK)
			again := http.StatusBadRequest // it is pending
			if other != mode {
				again = http.StatusNotFound
			}
			require.Equal(t, other == mode, strings.Contains(log.body, id[0]), "%s with a key of %s", mode, other)
			b.send(t, http.MethodPost, "/api/webhooks/deliveries/"+id[0]+"/redeliver", key(k), "").require(t, again)
		}
	}
}

// TestTheDesksOfTwoModesHaveTheirWebhooks checks that a webhook created in the sandbox receives
// only its events, and that each mode lists its own webhooks. Pages and forms about real money
// do not exist in the sandbox.
func TestTheDesksOfTwoModesHaveTheirWebhooks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	live := b.enterShop(t, b.signup(t), "")
	sandbox := live.inSandbox(t)
	live.post(t, "/webhooks", url.Values{"url": {"https://live.example/"}, "events": {"charge.confirmed"}})
	sandbox.post(t, "/webhooks", url.Values{"url": {"https://sandbox.example/"}, "events": {"charge.confirmed"}})
	require.Equal(t, []string{"https://live.example/ live", "https://sandbox.example/ sandbox"},
		rowsOf[string](t, b, "SELECT url || ' ' || mode FROM webhooks ORDER BY url"))
	require.NotContains(t, live.page(t, "/webhooks"), "sandbox.example")
	require.NotContains(t, sandbox.page(t, "/webhooks"), "live.example")
	require.Contains(t, live.page(t, "/"), `"/swaps"`)

	for _, path := range []string{"/", "/settings", "/webhooks"} {
		for _, other := range []string{"/swaps", "/payouts", "/settings/payout"} {
			require.NotContains(t, sandbox.page(t, path), `"`+other+`"`, path)
		}
	}
	before := b.digest(t)
	for _, path := range []string{"/swaps", "/swaps/auto", "/payouts/sweep", "/settings/payout"} {
		a := sandbox.post(t, path, url.Values{"to": {"btc"}, "amount": {"1"}, "address": {"x"}})
		require.Equal(t, http.StatusNotFound, a.status, path)
		require.Contains(t, a.body, "Not available in the sandbox", path)
	}
	require.Equal(t, before, b.digest(t))
}

// TestACashierHasNoSandbox checks this, because a simulated payment at the till must not look
// like a real one.
func TestACashierHasNoSandbox(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, person := b.signup(t), b.signup(t)
	b.employ(t, s, person, permission.Owner)
	v := b.worksFor(t, person, s)
	looks := v.inSandbox(t)
	require.Equal(t, http.StatusOK, looks.send(t, http.MethodGet, "/charges", nil).status)

	b.exec(t, "UPDATE staff SET role = 'cashier'")
	require.NotContains(t, v.page(t, "/"), "Switch to sandbox")
	require.Equal(t, http.StatusForbidden, v.postFrom(t, "/", "/mode", url.Values{"mode": {"sandbox"}}).status)
	require.Equal(t, http.StatusForbidden, looks.send(t, http.MethodGet, "/charges", nil).status)
	ask := url.Values{"amount": {"1"}, "currency": {"XMR"}}
	require.Equal(t, http.StatusForbidden, looks.postFrom(t, "/shops", "/ask", ask).status)
	back := looks.postFrom(t, "/shops", "/mode", url.Values{"mode": {"live"}})
	looks.cookie = deskCookie(t, back).Value
	require.Equal(t, http.StatusOK, looks.send(t, http.MethodGet, "/charges", nil).status)
}

// deliver inserts an event and its delivery to the webhook.
func (b *bench) deliver(t *testing.T, s shop, resource string) string {
	t.Helper()
	at := b.clock.Now()
	ids, err := b.store.RecordEvent(t.Context(), db.RecordEventParams{
		MerchantID: s.id, Mode: "live", Type: "charge.confirmed", ResourceID: resource, CreatedAt: at,
		Payload: `{"event":"charge.confirmed","data":{"id":"` + resource + `","amount":1.10},"timestamp":"2026-11-21T09:30:00.123Z"}`,
	})
	require.NoError(t, err)
	require.Len(t, ids, 1)
	return ids[0]
}

func TestDeliveryLogs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, other := b.signup(t), b.signup(t)
	hook := b.webhook(t, s, `{"url":"https://example.com"}`).text(t, "id")
	for i := range 205 {
		b.clock.advance(time.Millisecond)
		b.deliver(t, s, fmt.Sprintf("ch_%024d", i))
	}
	paths := map[string]int{"/api/webhooks/deliveries": 205, "/api/webhooks/" + hook + "/deliveries": 200}
	for path, most := range paths {
		get := func(query string) answer { return b.send(t, http.MethodGet, path+query, key(s.live), "") }
		first := get("?limit=1").require(t, http.StatusOK)
		require.Contains(t, first.body, `"payload":{"event":"charge.confirmed","data":{"id":"ch_000000000000000000000204","amount":1.10}`)
		for _, name := range []string{"http_status", "error", "last_attempt_at", "delivered_at"} {
			require.Contains(t, first.body, `"`+name+`":null`)
		}
		for query, want := range map[string]int{
			"": 50, "?limit=2": 2, "?limit=007": 7, "?limit=200": 200, "?limit=99999999999999999999": most, "?limit=501": most, "?Limit=x": 50,
		} {
			require.Len(t, get(query).require(t, http.StatusOK).field(t, "deliveries"), want, query)
		}
		for _, query := range []string{"?limit=", "?limit=0", "?limit=-1", "?limit=1.5", "?limit=x", "?limit=+5", "?limit=1e2", "?limit=%ff", "?limit=%00"} {
			get(query).require(t, http.StatusBadRequest, query)
		}
	}
	empty := b.send(t, http.MethodGet, "/api/webhooks/deliveries", key(s.test), "").require(t, http.StatusOK)
	require.Equal(t, `{"deliveries":[]}`, strings.TrimSpace(empty.body))
	b.send(t, http.MethodGet, "/api/webhooks/"+hook+"/deliveries", key(other.live), "").require(t, http.StatusNotFound)
	b.send(t, http.MethodGet, "/api/webhooks/wh_x/deliveries", key(s.live), "").require(t, http.StatusNotFound)
}

func TestRedeliveryOfForeignUnknownAndPendingDeliveries(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, other := b.signup(t), b.signup(t)
	b.webhook(t, s, `{"url":"https://example.com"}`).require(t, http.StatusOK)
	id := b.deliver(t, s, "ch_0123456789abcdef01234567")
	path := func(id string) string { return "/api/webhooks/deliveries/" + id + "/redeliver" }
	b.send(t, http.MethodPost, path(id), key(s.live), "").require(t, http.StatusBadRequest)
	b.send(t, http.MethodPost, path(id), key(s.test), "").require(t, http.StatusNotFound)
	b.send(t, http.MethodPost, path(id), key(other.live), "").require(t, http.StatusNotFound)
	for _, unknown := range []string{"whd_x", "x", "%00", "%ff"} {
		b.send(t, http.MethodPost, path(unknown), key(s.live), "").require(t, http.StatusNotFound, unknown)
	}
}
