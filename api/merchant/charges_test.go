package merchant_test

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
)

func TestChargesBelongToTheirMerchantAndMode(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine, other := b.signup(t), b.signup(t)
	id := b.charge(t, mine, config.Live)
	for _, path := range []string{"", "/qr", "/toggle-active"} {
		method := http.MethodGet
		if path == "/toggle-active" {
			method = http.MethodPost
		}
		b.send(t, method, "/api/charges/"+id+path, key(mine.live), "").require(t, http.StatusOK)
		b.send(t, method, "/api/charges/"+id+path, key(mine.test), "").require(t, http.StatusNotFound)
		b.send(t, method, "/api/charges/"+id+path, key(other.live), "").require(t, http.StatusNotFound)
		for _, bad := range []string{"ch_0123456789abcdef01234567", "ch_x", "%00", "%ff", "..", "ch_0123456789ABCDEF01234567", "'"} {
			b.send(t, method, "/api/charges/"+bad+path, key(mine.live), "").require(t, http.StatusNotFound, bad)
		}
	}
	require.Contains(t, b.send(t, http.MethodGet, "/api/charges", key(mine.live), "").body, id)
	require.Equal(t, `{"charges":[]}`, strings.TrimSpace(b.send(t, http.MethodGet, "/api/charges", key(mine.test), "").body))
	require.Equal(t, `{"charges":[]}`, strings.TrimSpace(b.send(t, http.MethodGet, "/api/charges", key(other.live), "").body))
}

func TestChargeShowsEveryField(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	id := b.charge(t, s, config.Live)
	a := b.send(t, http.MethodGet, "/api/charges/"+id, key(s.live), "").require(t, http.StatusOK)
	require.Contains(t, a.body, `"amount":1.5,`)
	require.Contains(t, a.body, `"amount_xmr":0.01,`)
	require.Contains(t, a.body, `"metadata":{"n":1.10}`)
	require.Equal(t, publicURL+"/pay/"+id, a.text(t, "payment_url"))
	for _, null := range []string{"confirmed_at", "link_expires_at", "payout_id", "payment_request_id", "description", "return_url"} {
		require.Nil(t, a.field(t, null))
	}
	require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, a.text(t, "created_at"))
	p := b.send(t, http.MethodGet, "/api/charges/"+id+"/public", anonymous(), "").require(t, http.StatusOK)
	for _, hidden := range []string{"merchant_id", "metadata", "subaddress_index", "payments", "payout_id", "source"} {
		require.NotContains(t, p.body, `"`+hidden+`"`)
	}
}

func TestListIsNewestFirstAndFiltered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	var ids []string
	for _, order := range []string{"A", "B", "A"} {
		b.clock.advance(time.Second)
		ids = append(ids, b.charge(t, s, config.Live, func(r *db.InsertChargeParams) { r.OrderID = &order }))
	}
	all := b.send(t, http.MethodGet, "/api/charges?unknown=1", key(s.live), "").require(t, http.StatusOK).body
	require.Less(t, strings.Index(all, ids[2]), strings.Index(all, ids[1]))
	require.Less(t, strings.Index(all, ids[1]), strings.Index(all, ids[0]))
	some := b.send(t, http.MethodGet, "/api/charges?order_id=A", key(s.live), "").require(t, http.StatusOK).body
	require.Contains(t, some, ids[0])
	require.NotContains(t, some, ids[1])
	for _, order := range []string{"", "a", "%00", strings.Repeat("x", 5000), "'"} {
		a := b.send(t, http.MethodGet, "/api/charges?order_id="+order, key(s.live), "").require(t, http.StatusOK)
		require.Equal(t, `{"charges":[]}`, strings.TrimSpace(a.body), order)
	}
	b.send(t, http.MethodGet, "/api/charges?order_id=%ff", key(s.live), "").require(t, http.StatusBadRequest)
}

// TestListsEnd creates one item more of each kind than a list shows. The newest come first.
func TestListsEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	var charges, requests []string
	for i := range 201 {
		b.clock.advance(time.Millisecond)
		requests = append(requests, b.requested(t, s.live, `{"amount":1}`))
		if i >= 100 {
			charges = append(charges, b.charge(t, s, config.Live))
		}
	}
	slices.Reverse(charges)
	slices.Reverse(requests)
	for _, c := range []struct {
		path, list string
		want       []string
	}{
		{"/api/charges", "charges", charges[:100]},
		{"/api/payment-requests", "payment_requests", requests[:50]},
		{"/api/payment-requests?limit=3", "payment_requests", requests[:3]},
		{"/api/payment-requests?limit=200", "payment_requests", requests[:200]},
		{"/api/payment-requests?limit=201", "payment_requests", requests[:200]},
	} {
		var got []string
		for _, row := range b.send(t, http.MethodGet, c.path, key(s.live), "").require(t, http.StatusOK).field(t, c.list).([]any) {
			got = append(got, row.(map[string]any)["id"].(string))
		}
		require.Equal(t, c.want, got, c.path)
	}
}

func TestLinkIsGoneUntilAPaymentIsSeen(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	soon := b.clock.Now().Add(time.Minute)
	id := b.charge(t, s, config.Live, func(r *db.InsertChargeParams) { r.LinkExpiresAt = &soon })
	public := func() answer { return b.send(t, http.MethodGet, "/api/charges/"+id+"/public", anonymous(), "") }
	page := func() int { return b.send(t, http.MethodGet, "/pay/"+id, anonymous(), "").status }
	toggle := func() answer { return b.send(t, http.MethodPost, "/api/charges/"+id+"/toggle-active", key(s.live), "") }

	require.Equal(t, "active", public().require(t, http.StatusOK).text(t, "link_state"))
	require.Equal(t, http.StatusOK, page())
	a := toggle().require(t, http.StatusOK)
	require.Equal(t, "inactive", a.text(t, "link_state"))
	require.Equal(t, false, a.field(t, "active"))
	public().require(t, http.StatusGone)
	require.Equal(t, http.StatusGone, page())
	require.Equal(t, "active", toggle().require(t, http.StatusOK).text(t, "link_state"))
	public().require(t, http.StatusOK)

	b.clock.advance(time.Minute)
	public().require(t, http.StatusGone)
	require.Equal(t, "expired", b.send(t, http.MethodGet, "/api/charges/"+id, key(s.live), "").text(t, "link_state"))

	require.NoError(t, b.store.InsertReceivedPayment(t.Context(), db.InsertReceivedPaymentParams{
		WalletID: "live-1", TxHash: "t", SubaddressIndex: 1, ChargeID: &id, MerchantID: &s.id, Amount: money.Piconero(1), Outputs: 1,
		FirstSeenAt: b.clock.Now(),
	}))
	public().require(t, http.StatusOK)
	require.Equal(t, http.StatusOK, page())
	b.send(t, http.MethodGet, "/api/charges/ch_0123456789abcdef01234567/public", anonymous(), "").require(t, http.StatusNotFound)
}

func TestQRCode(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	path := "/api/charges/" + b.charge(t, s, config.Live) + "/qr"
	png := b.send(t, http.MethodGet, path+"?format=png", key(s.live), "").require(t, http.StatusOK)
	require.Equal(t, "image/png", png.header.Get("Content-Type"))
	require.True(t, strings.HasPrefix(png.body, "\x89PNG"))
	for _, query := range []string{"", "?format=dataurl", "?other=1"} {
		link := b.send(t, http.MethodGet, path+query, key(s.live), "").require(t, http.StatusOK).text(t, "dataurl")
		require.Equal(t, "data:image/png;base64,"+base64.StdEncoding.EncodeToString([]byte(png.body)), link)
	}
	for _, query := range []string{"?format=", "?format=PNG", "?format=svg", "?format=%00", "?format=%ff"} {
		b.send(t, http.MethodGet, path+query, key(s.live), "").require(t, http.StatusBadRequest, query)
	}
}

func TestWrongChargesAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	for _, body := range []string{
		`{}`, `{"amount":null}`, `{"amount":"1"}`, `{"amount":0}`, `{"amount":0.009}`, `{"amount":-1}`, `{"amount":10000000.01}`,
		`{"amount":1e999}`, `{"amount":1e-3}`, `{"amount":0.001}`, `{"amount":[1]}`, `{"amount":true}`, `{"Amount":1}`,
		`{"amount":1.0000000000001,"currency":"XMR"}`, `{"amount":1,"currency":"GBP"}`, `{"amount":1,"currency":"usd"}`,
		`{"amount":1,"currency":""}`, `{"amount":1,"currency":1}`, `{"amount":1,"metadata":[]}`, `{"amount":1,"metadata":"x"}`,
		`{"amount":1,"metadata":1}`, `{"amount":1,"expires_at":"tomorrow"}`, `{"amount":1,"expires_at":1}`, `{"amount":1,"expires_at":""}`,
		`{"amount":1,"expires_at":"2020-01-01T00:00:00Z"}`, `{"amount":1,"expires_at":"2999-01-01T00:00:00Z"}`,
		`{"amount":1,"expires_at":"2026-01-01"}`, `{"amount":1,"expires_in":0}`, `{"amount":1,"expires_in":-1}`,
		`{"amount":1,"expires_in":"1"}`, `{"amount":1,"expires_in":8785}`, `{"amount":1,"expires_in":1e50}`, `{"amount":1,"expires_in":1e-12}`,
		`{"amount":1,"expires_in":1,"expires_at":"2999-01-01T00:00:00Z"}`,
	} {
		b.send(t, http.MethodPost, "/api/charges", key(s.live), body).require(t, http.StatusBadRequest, body)
	}
	both := `{"amount":1,"expires_in":1,"expires_at":"` + b.clock.Now().Add(time.Hour).Format(time.RFC3339) + `"}`
	b.send(t, http.MethodPost, "/api/charges", key(s.live), both).require(t, http.StatusBadRequest, "each alone would do")
}

func TestTemporalAwayAnswers500WithAPause(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	a := b.send(t, http.MethodPost, "/api/payouts/sweep", session(s.token), "").require(t, http.StatusInternalServerError)
	require.NotEmpty(t, a.header.Get("Retry-After"))
	require.Equal(t, "internal error", a.text(t, "error"))
}

// TestWhatNeedsNoWalletNeedsNoTemporal uses an unreachable Temporal.
func TestWhatNeedsNoWalletNeedsNoTemporal(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	send := func(path, body string) answer {
		return b.send(t, http.MethodPost, path, key(s.live), body).require(t, http.StatusOK)
	}
	underpaid := b.charge(t, s.shop, "live")
	b.receive(t, underpaid, money.OneXMR/1000)
	b.exec(t, "UPDATE received_payments SET mature = true, height = 1, mature_height = 2 WHERE charge_id = $1", underpaid)
	require.Equal(t, "confirmed", send("/api/charges/"+underpaid+"/accept-underpaid", "").text(t, "status"))
	refund := send("/api/charges/"+underpaid+"/refunds", `{"variant":"RateThen"}`).text(t, "id")
	require.Equal(t, "cancelled", send("/api/refunds/"+refund+"/cancel", "{}").text(t, "status"))
	redelivered := send("/api/webhooks/deliveries/"+s.delivery+"/redeliver", "").text(t, "id")
	ping := b.as(t, s.shop, http.MethodPost, "/api/webhooks/"+s.webhook+"/test", "").require(t, http.StatusOK).text(t, "id")
	require.ElementsMatch(t, []string{underpaid, refund, redelivered, ping}, rowsOf[string](t, b, "SELECT id FROM wakeups WHERE version > 0"))
}

func TestDatabaseAwayAnswers500WithAPause(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	_, err := b.store.Pool().Exec(t.Context(), "ALTER TABLE charges RENAME TO away")
	require.NoError(t, err)
	for path, who := range map[string]as{"/api/charges": key(s.live), "/api/charges/ch_0123456789abcdef01234567/public": anonymous()} {
		a := b.send(t, http.MethodGet, path, who, "").require(t, http.StatusInternalServerError)
		require.NotEmpty(t, a.header.Get("Retry-After"))
		require.Equal(t, "internal error", a.text(t, "error"))
	}
}

func TestPrice(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for query, want := range map[string]string{"": "160", "?currency=USD": "160", "?currency=EUR": "150"} {
		a := b.send(t, http.MethodGet, "/api/price/xmr"+query, anonymous(), "").require(t, http.StatusOK)
		require.Contains(t, a.body, `"price":`+want)
		for _, name := range []string{"changePercent24h", "high24h", "low24h"} {
			a.field(t, name)
		}
	}
	for _, query := range []string{"?currency=", "?currency=XMR", "?currency=usd", "?currency=GBP"} {
		b.send(t, http.MethodGet, "/api/price/xmr"+query, anonymous(), "").require(t, http.StatusBadRequest)
	}
}
