package merchant_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
)

// TestTheAnswerToACreationIsTheCharge checks that the answer has exactly the bytes of a later
// read, because it is built from the inserted row.
func TestTheAnswerToACreationIsTheCharge(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	b.exec(t, "UPDATE merchants SET tolerance_percent = 1.5 WHERE merchant_id = $1", s.id)
	ends := b.clock.Now().Add(36 * time.Hour).In(time.FixedZone("", 2*3600)).Format("2006-01-02T15:04:05.000000Z07:00")
	for _, body := range []string{
		`{"amount":49.90}`, `{"amount":10.0,"currency":"EUR"}`, `{"amount":0.010,"currency":"XMR"}`, `{"amount":12.000000000001,"currency":"XMR","expires_in":1.5}`,
		`{"amount":10,"metadata":{"order_id":12.50,"n":1.10,"description":"<b>Tea</b> ☕\u0000","return_url":"https://shop.example/?a=1&b=2","e":1e400}}`,
		fmt.Sprintf(`{"amount":10000000,"expires_at":%q}`, ends),
	} {
		for _, credential := range []string{s.live, s.test} {
			made := b.send(t, http.MethodPost, "/api/charges", key(credential), body).require(t, http.StatusOK, body)
			read := b.send(t, http.MethodGet, "/api/charges/"+made.text(t, "id"), key(credential), "").require(t, http.StatusOK)
			require.Equal(t, read.body, made.body)
			var payload []byte
			require.NoError(t, b.store.Pool().QueryRow(t.Context(), "SELECT payload FROM events WHERE resource_id = $1", made.text(t, "id")).Scan(&payload))
			require.Equal(t, answer{body: `{"data":` + made.body + `}`}.field(t, "data"), answer{body: string(payload)}.field(t, "data"), "the event tells the same")
		}
	}
	made := b.send(t, http.MethodPost, "/api/charges/button", anonymous(), fmt.Sprintf(`{"merchant_id":%q,"amount":5,"description":"Tip","fields":["email"]}`, s.id)).require(t, http.StatusOK)
	read := b.send(t, http.MethodGet, "/api/charges/"+made.text(t, "id"), key(s.live), "").require(t, http.StatusOK)
	require.Equal(t, read.body, made.body)
}

// TestThePublicViewIsPartOfTheCharge compares both views of a charge through its life. Every
// field of the public view has the same value in the merchant's view.
func TestThePublicViewIsPartOfTheCharge(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	id := b.charge(t, s, config.Live)
	same := func() {
		t.Helper()
		shown := map[string]json.RawMessage{}
		whole := map[string]json.RawMessage{}
		public := b.send(t, http.MethodGet, "/api/charges/"+id+"/public", anonymous(), "").require(t, http.StatusOK)
		require.NoError(t, json.Unmarshal([]byte(public.body), &shown))
		require.NoError(t, json.Unmarshal([]byte(b.send(t, http.MethodGet, "/api/charges/"+id, key(s.live), "").require(t, http.StatusOK).body), &whole))
		require.Len(t, shown, 23)
		for name, value := range shown {
			require.Equal(t, string(whole[name]), string(value), name)
		}
	}
	same()
	b.payment(t, s, id)
	same()
	b.exec(t, "UPDATE received_payments SET height = 90, mature_height = 100 WHERE charge_id = $1", id)
	for height := int64(91); height < 94; height++ {
		b.exec(t, "UPDATE chains SET chain_height = $1", height)
		same()
		public := b.send(t, http.MethodGet, "/api/charges/"+id+"/public", anonymous(), "")
		require.Equal(t, fmt.Sprint(height-90), fmt.Sprint(public.field(t, "confirmations")), "with each block")
	}
	b.exec(t, `UPDATE charges SET status = 'confirmed', confirmed_at = created_at, seen_at = created_at, late = true, description = 'Tea',
		return_url = 'https://shop.example', fields = '{email}', link_expires_at = created_at WHERE id = $1`, id)
	same()
}
