package merchant_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres/db"
)

// post sends a plain HTML form. It does not follow a redirect.
func (b *bench) post(t *testing.T, path string, form url.Values) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.url+path, strings.NewReader(form.Encode()))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return do(t, req)
}

// pageOf returns the identifier of the charge to whose page an answer redirects.
func (a answer) pageOf(t *testing.T) string {
	t.Helper()
	require.Equal(t, http.StatusSeeOther, a.status, a.body)
	id, ok := strings.CutPrefix(a.header.Get("Location"), "/pay/")
	require.True(t, ok, a.header)
	return id
}

func testButton(t *testing.T, b *bench) {
	s := b.signup(t)
	body := `{"merchant_id":"` + s.id + `","amount":49.90,"description":"<b>Two</b> tickets\n","fields":["email","phone","email"],"expires_in":1}`
	a := b.send(t, http.MethodPost, "/api/charges/button", anonymous(), body).require(t, http.StatusOK)
	for _, part := range []string{
		`"amount":49.9,`, `"currency":"USD"`, `"amount_xmr":0.311875,`, `"description":"Two tickets"`, `"sandbox":false`,
		`"metadata":{"description":"Two tickets"}`, `"fields":["email","phone"]`, `"source":"button"`, `"payment_request_id":null`,
	} {
		require.Contains(t, a.body, part)
	}
	got := b.send(t, http.MethodGet, "/api/charges/"+a.text(t, "id"), key(s.live), "").require(t, http.StatusOK)
	require.Equal(t, got.body, a.body)
	created, err := time.Parse(time.RFC3339Nano, a.text(t, "created_at"))
	require.NoError(t, err)
	require.Equal(t, created.Add(15*time.Minute).Format("2006-01-02T15:04:05.000Z"), a.text(t, "expires_at"))
	plain := b.send(t, http.MethodPost, "/api/v1/charges/button", anonymous(), `{"merchant_id":"`+s.id+`","amount":1,"fields":" email , phone "}`)
	require.Contains(t, plain.require(t, http.StatusOK).body, `"fields":["email","phone"]`)
	require.Contains(t, plain.body, `"metadata":{},`)
}

func testButtonForm(t *testing.T, b *bench) {
	s := b.signup(t)
	id := b.post(t, "/api/charges/button", url.Values{
		"merchant_id": {s.id}, "amount": {" 8.5 "}, "currency": {"EUR"}, "description": {`"Tea" & 1 < 2`},
		"fields": {"email", "phone"}, "expires_in": {""}, "submit": {"Pay"},
	}).pageOf(t)
	a := b.send(t, http.MethodGet, "/api/charges/"+id, key(s.live), "").require(t, http.StatusOK)
	for _, part := range []string{`"amount":8.5,`, `"currency":"EUR"`, `"fields":["email","phone"]`, `"link_expires_at":null`, `"description":"\"Tea\" & 1 < 2"`} {
		require.Contains(t, a.body, part)
	}
	require.Equal(t, http.StatusOK, b.send(t, http.MethodGet, "/pay/"+id, anonymous(), "").status)

	for range 49 {
		b.charge(t, s, config.Live, func(r *db.InsertChargeParams) { r.Source = "button" })
	}
	for _, full := range []answer{
		b.post(t, "/api/charges/button", url.Values{"merchant_id": {s.id}, "amount": {"1"}}),
		b.send(t, http.MethodPost, "/api/charges/button", anonymous(), `{"merchant_id":"`+s.id+`","amount":1}`),
	} {
		full.require(t, http.StatusTooManyRequests)
		require.NotEmpty(t, full.header.Get("Retry-After"))
	}
	b.send(t, http.MethodPost, "/api/charges", key(s.live), `{"amount":1}`).require(t, http.StatusOK, "a key is not held back")
	other := b.signup(t)
	b.post(t, "/api/charges/button", url.Values{"merchant_id": {other.id}, "amount": {"1"}}).pageOf(t)
}

func TestWrongButtonChargesAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	long := strings.Repeat("x", 501)
	for _, rest := range []string{
		``, `,"amount":"1"`, `,"amount":0.009`, `,"amount":10000000.01`, `,"amount":1,"currency":"GBP"`, `,"amount":1,"fields":["E"]`,
		`,"amount":1,"fields":["a b"]`, `,"amount":1,"fields":[""]`, `,"amount":1,"fields":[1]`, `,"amount":1,"fields":{}`,
		`,"amount":1,"fields":1`, `,"amount":1,"fields":"a,,b"`, `,"amount":1,"fields":["` + strings.Repeat("a", 51) + `"]`,
		`,"amount":1,"fields":"a,b,c,d,e,f,g,h,i,j,k"`, `,"amount":1,"description":"` + long + `"`, `,"amount":1,"description":1`,
		`,"amount":1,"expires_in":1,"expires_at":"2999-01-01T00:00:00Z"`, `,"amount":1,"expires_at":"2020-01-01T00:00:00Z"`,
	} {
		b.send(t, http.MethodPost, "/api/charges/button", anonymous(), `{"merchant_id":"`+s.id+`"`+rest+`}`).require(t, http.StatusBadRequest, rest)
	}
	for _, id := range []string{`null`, `1`, `""`, `"x"`, `"` + strings.ToUpper("abcdefabcdefabcdefabcdefabcdefab") + `"`} {
		b.send(t, http.MethodPost, "/api/charges/button", anonymous(), `{"amount":1,"merchant_id":`+id+`}`).require(t, http.StatusBadRequest, id)
	}
	unknown := strings.Repeat("0", 32)
	b.send(t, http.MethodPost, "/api/charges/button", anonymous(), `{"amount":1,"merchant_id":"`+unknown+`"}`).require(t, http.StatusNotFound)
	for _, form := range []url.Values{
		{}, {"merchant_id": {s.id}}, {"merchant_id": {s.id}, "amount": {"one"}}, {"merchant_id": {s.id}, "amount": {"1", "2"}},
		{"merchant_id": {s.id}, "amount": {"1"}, "description": {"\xff"}}, {"merchant_id": {s.id}, "amount": {`1,"x":2`}},
		{"merchant_id": {s.id}, "amount": {"1"}, "fields": {"a", "B"}}, {"merchant_id": {s.id}, "amount": {"1"}, "description": {long}},
	} {
		b.post(t, "/api/charges/button", form).require(t, http.StatusBadRequest, form)
	}
	b.suspend(t, s)
	b.send(t, http.MethodPost, "/api/charges/button", anonymous(), `{"amount":1,"merchant_id":"`+s.id+`"}`).require(t, http.StatusForbidden)
}
