package merchant_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres/db"
)

// requested creates a payment request from a body and returns its identifier.
func (b *bench) requested(t *testing.T, apiKey, body string) string {
	t.Helper()
	return b.send(t, http.MethodPost, "/api/payment-requests", key(apiKey), body).require(t, http.StatusOK, body).text(t, "id")
}

func (b *bench) publicRequest(t *testing.T, id string) answer {
	t.Helper()
	return b.send(t, http.MethodGet, "/api/payment-requests/"+id+"/public", anonymous(), "")
}

func (b *bench) toggle(t *testing.T, s shop, id string) answer {
	t.Helper()
	return b.send(t, http.MethodPost, "/api/payment-requests/"+id+"/toggle", key(s.live), "")
}

// complete confirms a charge of the request.
func (b *bench) complete(t *testing.T, s shop, id string) {
	t.Helper()
	made := b.charge(t, s, config.Live, func(r *db.InsertChargeParams) { r.Source, r.PaymentRequestID = "payment_request", &id })
	b.pay(t, s, made)
	b.advance(t, made)
}

func TestPaymentRequestRecord(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	a := b.send(t, http.MethodPost, "/api/payment-requests", key(s.live), `{"amount":8.50,"currency":"EUR","description":"<b>One</b> hour",`+
		`"reference":" <i>INV</i>-7 ","single_use":false,"fields":"email,note","expires_at":"2999-01-01T02:00:00+02:00","other":1}`).require(t, http.StatusOK)
	id := a.text(t, "id")
	require.Regexp(t, `^pr_[0-9a-f]{24}$`, id)
	want := `{"id":"` + id + `","amount":8.5,"currency":"EUR","description":"One hour","reference":"INV-7","single_use":false,` +
		`"fields":["email","note"],"required_fields":[],"expires_at":"2999-01-01T00:00:00.000Z","active":true,"status":"active","completed_payments":0,` +
		`"url":"` + publicURL + "/pay/" + id + `","created_at":"` + b.clock.Now().Format("2006-01-02T15:04:05.000Z") + `"}`
	require.Equal(t, want, strings.TrimSpace(a.body))
	list := b.send(t, http.MethodGet, "/api/payment-requests", key(s.live), "").require(t, http.StatusOK)
	require.Equal(t, `{"payment_requests":[`+want+`]}`, strings.TrimSpace(list.body))

	least := b.send(t, http.MethodPost, "/api/v1/payment-requests", key(s.live), `{"amount":1,"description":null,"reference":"","fields":null}`).require(t, http.StatusOK)
	require.Equal(t, true, least.field(t, "single_use"))
	for _, part := range []string{`"currency":"USD"`, `"fields":[]`, `"description":null`, `"reference":null`, `"expires_at":null`} {
		require.Contains(t, least.body, part)
	}
	p := b.publicRequest(t, id).require(t, http.StatusOK)
	require.Equal(t, `{"id":"`+id+`","amount":8.5,"currency":"EUR","description":"One hour","fields":["email","note"],`+
		`"expires_at":"2999-01-01T00:00:00.000Z","single_use":false,"business_name":"Example Shop","xmr_price":150,"amount_xmr":0.056666666667}`, strings.TrimSpace(p.body))
	inXMR := b.publicRequest(t, b.requested(t, s.test, `{"amount":0.123456789012,"currency":"XMR"}`)).require(t, http.StatusOK)
	require.Contains(t, inXMR.body, `"xmr_price":null,"amount_xmr":0.123456789012`)
}

func TestWrongPaymentRequestsAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	for _, body := range []string{
		`{}`, `{"amount":"1"}`, `{"amount":0.001}`, `{"amount":0}`, `{"amount":10000000.01}`, `{"amount":1,"currency":"GBP"}`,
		`{"amount":1,"description":"` + strings.Repeat("x", 501) + `"}`, `{"amount":1,"reference":"` + strings.Repeat("x", 101) + `"}`,
		`{"amount":1,"reference":7}`, `{"amount":1,"single_use":"yes"}`, `{"amount":1,"single_use":1}`, `{"amount":1,"fields":["A"]}`,
		`{"amount":1,"fields":"a,b,c,d,e,f,g,h,i,j,k"}`, `{"amount":1,"expires_at":"2020-01-01T00:00:00Z"}`, `{"amount":1,"expires_at":"soon"}`,
	} {
		b.send(t, http.MethodPost, "/api/payment-requests", key(s.live), body).require(t, http.StatusBadRequest, body)
	}
	for _, limit := range []string{"0", "-1", "x", "", "1.5"} {
		b.send(t, http.MethodGet, "/api/payment-requests?limit="+limit, key(s.live), "").require(t, http.StatusBadRequest, limit)
	}
}

func TestPaymentRequestsBelongToTheirMerchantAndMode(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine, other := b.signup(t), b.signup(t)
	id := b.requested(t, mine.live, `{"amount":1}`)
	for _, action := range []string{"/toggle", "/delete"} {
		for _, k := range []string{mine.test, other.live} {
			b.send(t, http.MethodPost, "/api/payment-requests/"+id+action, key(k), "").require(t, http.StatusNotFound)
		}
		for _, bad := range []string{"pr_0123456789abcdef01234567", "pr_x", "%00", "%ff"} {
			b.send(t, http.MethodPost, "/api/payment-requests/"+bad+action, key(mine.live), "").require(t, http.StatusNotFound, bad)
			b.publicRequest(t, bad).require(t, http.StatusNotFound, bad)
		}
	}
	for _, k := range []string{mine.test, other.live} {
		require.Equal(t, `{"payment_requests":[]}`, strings.TrimSpace(b.send(t, http.MethodGet, "/api/payment-requests", key(k), "").body))
	}
	var ids []string
	for range 3 {
		b.clock.advance(time.Second)
		ids = append(ids, b.requested(t, mine.live, `{"amount":1}`))
	}
	list := b.send(t, http.MethodGet, "/api/payment-requests?limit=2", key(mine.live), "").require(t, http.StatusOK)
	require.Less(t, strings.Index(list.body, ids[2]), strings.Index(list.body, ids[1]))
	require.Len(t, list.field(t, "payment_requests"), 2)
	require.Len(t, b.send(t, http.MethodGet, "/api/payment-requests?limit=999", key(mine.live), "").field(t, "payment_requests"), 4)
}

func TestPaymentRequestLink(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	remove := func(id string) answer {
		return b.send(t, http.MethodPost, "/api/payment-requests/"+id+"/delete", key(s.live), "")
	}
	page := func(id string) int { return b.send(t, http.MethodHead, "/pay/"+id, anonymous(), "").status }

	id := b.requested(t, s.live, `{"amount":1}`)
	remove(id).require(t, http.StatusBadRequest)
	off := b.toggle(t, s, id).require(t, http.StatusOK)
	require.Contains(t, off.body, `"active":false,"status":"inactive"`)
	b.publicRequest(t, id).require(t, http.StatusGone)
	require.Equal(t, http.StatusGone, page(id))
	b.send(t, http.MethodPost, "/api/charges/button", anonymous(), `{"payment_request_id":"`+id+`"}`).require(t, http.StatusGone)
	require.Contains(t, b.toggle(t, s, id).require(t, http.StatusOK).body, `"active":true,"status":"active"`)
	b.publicRequest(t, id).require(t, http.StatusOK)
	require.Equal(t, http.StatusOK, page(id))
	b.toggle(t, s, id)
	require.Equal(t, `{"id":"`+id+`","deleted":true}`, strings.TrimSpace(remove(id).require(t, http.StatusOK).body))
	remove(id).require(t, http.StatusNotFound)
	b.publicRequest(t, id).require(t, http.StatusNotFound)
	require.Equal(t, http.StatusNotFound, page(id))

	soon := b.clock.Now().Add(time.Minute).Format(time.RFC3339Nano)
	ending := b.requested(t, s.live, `{"amount":1,"expires_at":"`+soon+`"}`)
	b.clock.advance(time.Minute)
	b.publicRequest(t, ending).require(t, http.StatusGone)
	require.Contains(t, b.send(t, http.MethodGet, "/api/payment-requests?limit=1", key(s.live), "").body, `"status":"expired"`)

	once, often := b.requested(t, s.live, `{"amount":1}`), b.requested(t, s.live, `{"amount":1,"single_use":false}`)
	for _, paid := range []string{once, often} {
		b.complete(t, s, paid)
	}
	b.publicRequest(t, once).require(t, http.StatusGone)
	require.Equal(t, http.StatusGone, page(once))
	b.publicRequest(t, often).require(t, http.StatusOK)
	require.Contains(t, b.toggle(t, s, once).body, `"active":false,"status":"consumed","completed_payments":1`)
	b.toggle(t, s, often)
	for _, paid := range []string{once, often} {
		remove(paid).require(t, http.StatusBadRequest)
	}
}

// TestASingleUseLinkIsPaidOnce makes two charges by two visits. The visitor with the second
// charge sees first a warning that the link was paid by another visitor, and later that the link
// is gone. A payment that arrives even so is still shown.
func TestASingleUseLinkIsPaidOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	for _, single := range []bool{true, false} {
		request := b.requested(t, s.live, `{"amount":40.5,"currency":"EUR","single_use":`+strconv.FormatBool(single)+`}`)
		of := func(r *db.InsertChargeParams) { r.Source, r.PaymentRequestID = "payment_request", &request }
		first, other := b.charge(t, s, config.Live, of), b.charge(t, s, config.Live, of)
		page := func(id string, status int) string {
			t.Helper()
			b.send(t, http.MethodGet, "/api/charges/"+id+"/public", anonymous(), "").require(t, status)
			shown := b.send(t, http.MethodGet, "/pay/"+id, anonymous(), "")
			require.Equal(t, status, shown.status)
			state := b.send(t, http.MethodGet, "/pay/"+id+"/status", anonymous(), "")
			require.Equal(t, status, state.status)
			return state.body
		}
		const warning = "Someone has paid with this link"
		require.NotContains(t, page(other, http.StatusOK), warning)

		b.exec(t, "UPDATE charges SET seen_at = now() WHERE id = $1", first)
		require.Equal(t, single, strings.Contains(page(other, http.StatusOK), warning))
		require.NotContains(t, page(first, http.StatusOK), warning)

		require.NoError(t, b.store.CompletePaymentRequest(t.Context(), db.CompletePaymentRequestParams{ID: request, Now: b.clock.Now()}))
		if !single {
			page(other, http.StatusOK)
			continue
		}
		page(first, http.StatusOK)
		page(other, http.StatusGone)
		b.exec(t, "UPDATE charges SET seen_at = now() WHERE id = $1", other)
		page(other, http.StatusOK)
	}
}

func TestSuspendedMerchantsRequestsAreGone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	id := b.requested(t, s.live, `{"amount":1}`)
	b.suspend(t, s)
	b.publicRequest(t, id).require(t, http.StatusGone)
	b.send(t, http.MethodPost, "/api/charges/button", anonymous(), `{"payment_request_id":"`+id+`"}`).require(t, http.StatusGone)
}

func testRequestButton(t *testing.T, b *bench) {
	s, other := b.signup(t), b.signup(t)
	id := b.requested(t, s.test, `{"amount":8.5,"currency":"EUR","description":"One hour","fields":["email"]}`)
	button := func(rest string) answer {
		return b.send(t, http.MethodPost, "/api/charges/button", anonymous(), `{"payment_request_id":"`+id+`"`+rest+`}`)
	}
	for _, rest := range []string{``, `,"amount":8.50,"currency":"EUR","merchant_id":"` + s.id + `","description":"mine","fields":["other"]`} {
		a := button(rest).require(t, http.StatusOK, rest)
		for _, part := range []string{
			`"amount":8.5,`, `"currency":"EUR"`, `"description":"One hour"`, `"fields":["email"]`, `"source":"payment_request"`,
			`"payment_request_id":"` + id + `"`, `"sandbox":true`, `"merchant_id":"` + s.id + `"`,
		} {
			require.Contains(t, a.body, part)
		}
	}
	for _, rest := range []string{`,"amount":8.51`, `,"currency":"USD"`, `,"amount":8.5,"currency":"eur"`, `,"merchant_id":"` + other.id + `"`, `,"expires_in":0`} {
		button(rest).require(t, http.StatusBadRequest, rest)
	}
	b.send(t, http.MethodPost, "/api/charges/button", anonymous(), `{"payment_request_id":"pr_0123456789abcdef01234567"}`).require(t, http.StatusNotFound)
	b.post(t, "/api/charges/button", url.Values{"payment_request_id": {id}, "amount": {""}}).pageOf(t)
}

func testRequestPage(t *testing.T, b *bench) {
	s := b.signup(t)
	id := b.requested(t, s.live, `{"amount":8.5,"currency":"EUR"}`)
	require.Equal(t, http.StatusOK, b.send(t, http.MethodHead, "/pay/"+id, anonymous(), "").status)
	first := b.send(t, http.MethodGet, "/pay/"+id, anonymous(), "")
	made := first.pageOf(t)
	cookie := as{"Cookie", strings.Split(first.header.Get("Set-Cookie"), ";")[0]}
	require.Equal(t, made, b.send(t, http.MethodGet, "/pay/"+id, cookie, "").pageOf(t), "who comes back gets the same charge")
	require.NotEqual(t, made, b.send(t, http.MethodGet, "/pay/"+id, anonymous(), "").pageOf(t))
	b.send(t, http.MethodPost, "/api/charges/"+made+"/toggle-active", key(s.live), "").require(t, http.StatusOK)
	require.NotEqual(t, made, b.send(t, http.MethodGet, "/pay/"+id, cookie, "").pageOf(t), "a charge whose link is off is of no use")
	require.Len(t, b.send(t, http.MethodGet, "/api/charges", key(s.live), "").field(t, "charges"), 3)

	asks := b.requested(t, s.live, `{"amount":1,"description":"One hour","fields":["email","note"]}`)
	form := b.send(t, http.MethodGet, "/pay/"+asks, anonymous(), "")
	require.Equal(t, http.StatusOK, form.status)
	require.Contains(t, form.body, `name="email"`)
	require.Equal(t, http.StatusBadRequest, b.post(t, "/pay/"+asks, url.Values{"email": {strings.Repeat("x", 501)}}).status)
	filled := b.post(t, "/pay/"+asks, url.Values{"email": {"a@b.example"}, "note": {""}}).pageOf(t)
	a := b.send(t, http.MethodGet, "/api/charges/"+filled, key(s.live), "").require(t, http.StatusOK)
	require.Contains(t, a.body, `"metadata":{"description":"One hour","buyer_info":{"email":"a@b.example"}}`)
	require.Contains(t, a.body, `"payment_request_id":"`+asks+`"`)
	require.Len(t, b.send(t, http.MethodGet, "/api/charges", key(s.live), "").field(t, "charges"), 4)
}

func testRequestPageFull(t *testing.T, b *bench) {
	s := b.signup(t)
	id := b.requested(t, s.live, `{"amount":1}`)
	for range 50 {
		b.charge(t, s, config.Live, func(r *db.InsertChargeParams) { r.Source = "button" })
	}
	full := b.send(t, http.MethodGet, "/pay/"+id, anonymous(), "")
	require.Equal(t, http.StatusTooManyRequests, full.status)
	require.NotEmpty(t, full.header.Get("Retry-After"))
}

func TestButtonPageUsesThePublicAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	page := b.send(t, http.MethodGet, "/button?amount=8.5&merchant_id="+s.id, anonymous(), "")
	require.Equal(t, http.StatusOK, page.status)
	require.Contains(t, page.body, publicURL+"/api/charges/button")
}
