package merchant_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
)

func asking(fields ...string) func(*db.InsertChargeParams) {
	return func(r *db.InsertChargeParams) {
		r.Source, r.Fields, r.Metadata = "button", fields, `{"n":1.10,"s":"<b>\u0000","big":123456789012345678901234567890}`
	}
}

func (b *bench) metadata(t *testing.T, id string) string {
	t.Helper()
	found, err := b.store.Charge(t.Context(), id, b.clock.Now())
	require.NoError(t, err)
	return string(found.Charge.Metadata)
}

func TestBuyerInfoIsKeptNextToOtherMetadata(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	id := b.charge(t, s, config.Live, asking("email", "note"))
	path := "/api/charges/" + id + "/buyer-info"
	const rest = `{"n":1.10,"s":"<b>\u0000","big":123456789012345678901234567890`
	a := b.send(t, http.MethodPost, path, anonymous(), `{"email":" a@b.example ","note":"<i> & \"1\""}`).require(t, http.StatusOK)
	require.Equal(t, `{"id":"`+id+`","buyer_info":{"email":"a@b.example","note":"<i> & \"1\""}}`, strings.TrimSpace(a.body))
	require.Equal(t, rest+`,"buyer_info":{"email":"a@b.example","note":"<i> & \"1\""}}`, b.metadata(t, id))
	b.send(t, http.MethodPost, "/api/v1"+strings.TrimPrefix(path, "/api"), anonymous(), `{"email":"c@d.example","note":null}`).require(t, http.StatusOK)
	require.Equal(t, rest+`,"buyer_info":{"email":"c@d.example"}}`, b.metadata(t, id), "what is sent again replaces")
	require.NotContains(t, b.send(t, http.MethodGet, "/api/charges/"+id+"/public", anonymous(), "").body, "c@d.example")
}

func TestBuyerInfoFromThePage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	id := b.charge(t, s, config.Live, asking("email", "note"))
	page := func() string { return b.send(t, http.MethodGet, "/pay/"+id, anonymous(), "").body }
	path := "/api/charges/" + id + "/buyer-info"
	require.Contains(t, page(), `action="`+path+`?lang=en"`)
	require.Equal(t, id, b.post(t, path, url.Values{"email": {""}, "note": {" "}}).pageOf(t), "a form sent empty stores nothing")
	require.NotContains(t, b.metadata(t, id), "buyer_info")
	require.Equal(t, id, b.post(t, path, url.Values{"email": {"a@b.example"}, "note": {""}}).pageOf(t))
	require.Contains(t, b.metadata(t, id), `"buyer_info":{"email":"a@b.example"}`)
	shown := page()
	require.NotContains(t, shown, `action="`+path+`?lang=en"`)
	require.NotContains(t, shown, "a@b.example")
}

func TestWrongBuyerInfoStoresNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	id := b.charge(t, s, config.Live, asking("email"))
	path := "/api/charges/" + id + "/buyer-info"
	for _, body := range []string{
		`{}`, `{"email":""}`, `{"email":null}`, `{"email":1}`, `{"email":["x"]}`, `{"email":{"a":"b"}}`, `{"email":"x","other":"y"}`,
		`{"email":"` + strings.Repeat("ü", 501) + `"}`, `{"buyer_info":{"email":"x"}}`,
	} {
		b.send(t, http.MethodPost, path, anonymous(), body).require(t, http.StatusBadRequest, body)
	}
	for _, form := range []url.Values{{}, {"other": {"x"}}, {"email": {"x"}, "other": {"x"}}, {"email": {"x", "y"}}, {"email": {"\xff"}}, {"email": {strings.Repeat("x", 501)}}} {
		b.post(t, path, form).require(t, http.StatusBadRequest, form)
	}
	require.NotContains(t, b.metadata(t, id), "buyer_info")
	for _, other := range []string{"ch_0123456789abcdef01234567", "ch_x", "%00"} {
		b.send(t, http.MethodPost, "/api/charges/"+other+"/buyer-info", anonymous(), `{"email":"x"}`).require(t, http.StatusNotFound)
	}
	b.send(t, http.MethodPost, "/api/charges/"+b.charge(t, s, config.Live)+"/buyer-info", anonymous(), `{"email":"x"}`).require(t, http.StatusBadRequest)

	b.send(t, http.MethodPost, "/api/charges/"+id+"/toggle-active", key(s.live), "").require(t, http.StatusOK)
	b.send(t, http.MethodPost, path, anonymous(), `{"email":"x"}`).require(t, http.StatusGone)
	b.send(t, http.MethodPost, "/api/charges/"+id+"/toggle-active", key(s.live), "").require(t, http.StatusOK)
	_, err := b.store.Pool().Exec(t.Context(), "UPDATE charges SET status = 'expired'")
	require.NoError(t, err)
	b.send(t, http.MethodPost, path, anonymous(), `{"email":"x"}`).require(t, http.StatusBadRequest)
	require.NotContains(t, b.metadata(t, id), "buyer_info")
}

// TestNoChargeLacksWhatItsRequestRequires tries to make a charge without the required details of a
// buyer, and to remove them from one.
func TestNoChargeLacksWhatItsRequestRequires(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	id := b.requested(t, s.live, `{"amount":8.5,"currency":"XMR","fields":["email","note"],"required_fields":["email"]}`)
	const button = "/api/charges/button"
	refused := b.send(t, http.MethodPost, button, anonymous(), `{"payment_request_id":"`+id+`"}`).require(t, http.StatusBadRequest)
	require.Contains(t, refused.text(t, "error"), "the page of the payment request asks for them")
	b.post(t, button, url.Values{"payment_request_id": {id}}).require(t, http.StatusBadRequest)
	require.Empty(t, rowsOf[string](t, b, "SELECT id FROM charges"))

	made := b.charge(t, s, config.Live, asking("email", "note"), func(r *db.InsertChargeParams) { r.Source, r.PaymentRequestID = "payment_request", &id })
	path := "/api/charges/" + made + "/buyer-info"
	const given = `"buyer_info":{"email":"a@b.example","note":"x"}`
	b.send(t, http.MethodPost, path, anonymous(), `{"email":"a@b.example","note":"x"}`).require(t, http.StatusOK)
	for _, body := range []string{`{"note":"y"}`, `{"email":" ","note":"y"}`, `{"email":null,"note":"y"}`} {
		refused := b.send(t, http.MethodPost, path, anonymous(), body).require(t, http.StatusBadRequest, body)
		require.Contains(t, refused.text(t, "error"), "required")
	}
	b.post(t, path, url.Values{"email": {""}, "note": {"y"}}).require(t, http.StatusBadRequest)
	require.Equal(t, made, b.post(t, path, url.Values{"email": {""}, "note": {""}}).pageOf(t), "a form sent empty changes nothing")
	require.Contains(t, b.metadata(t, made), given)
	b.send(t, http.MethodPost, path, anonymous(), `{"email":"c@d.example"}`).require(t, http.StatusOK)
	require.Contains(t, b.metadata(t, made), `"buyer_info":{"email":"c@d.example"}`)
	b.exec(t, "DELETE FROM payment_requests")
	b.send(t, http.MethodPost, path, anonymous(), `{"note":"z"}`).require(t, http.StatusOK)
}

// pay confirms a charge as the watcher and the charge's workflow would.
func (b *bench) pay(t *testing.T, s shop, id string) {
	t.Helper()
	found, err := b.store.Charge(t.Context(), id, b.clock.Now())
	require.NoError(t, err)
	height, mature := int64(100), int64(110)
	require.NoError(t, b.store.InsertReceivedPayment(t.Context(), db.InsertReceivedPaymentParams{
		WalletID: found.Charge.WalletID, TxHash: id, SubaddressIndex: found.Charge.SubaddressIndex, ChargeID: &id, MerchantID: &s.id,
		Amount: found.Charge.AmountXMR, Outputs: 1, Height: &height, MatureHeight: &mature, FirstSeenAt: b.clock.Now(),
	}))
	pgtest.SetChain(t, b.store, found.Charge.WalletID, 110)
}

func (b *bench) advance(t *testing.T, id string) incoming.ChargeState {
	t.Helper()
	advancing := incoming.Charges{Charges: &chargestore.Charges{Store: b.store, PublicURL: publicURL, TolerancePercent: money.DecimalFromInt(0)}}
	state, err := advancing.AdvanceCharge(t.Context(), incoming.AdvanceCharge{ChargeID: id, Now: b.clock.Now()})
	require.NoError(t, err)
	return state
}

// TestBuyerInfoThatIsTakenIsInTheWebhook sends values while the charge is being confirmed. Every
// accepted value must be in the event.
func TestBuyerInfoThatIsTakenIsInTheWebhook(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	b.webhook(t, s, `{"url":"https://shop.example.com/","events":["charge.confirmed"]}`).require(t, http.StatusOK)
	for round := range 5 {
		id := b.charge(t, s, config.Live, asking("note"), func(r *db.InsertChargeParams) { r.Metadata = `{"n":1.10}` })
		path := "/api/charges/" + id + "/buyer-info"
		b.pay(t, s, id)
		var taken atomic.Int32
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() {
				if i == 3 {
					require.Equal(t, charge.Confirmed, b.advance(t, id).Status)
					return
				}
				if b.send(t, http.MethodPost, path, anonymous(), fmt.Sprintf(`{"note":"%d"}`, i)).status == http.StatusOK {
					taken.Add(1)
				}
			})
		}
		all.Wait()
		b.clock.advance(time.Second)
		b.send(t, http.MethodPost, path, anonymous(), `{"note":"x"}`).require(t, http.StatusBadRequest)
		rows, err := b.store.ListDeliveries(t.Context(), db.ListDeliveriesParams{MerchantID: s.id, Mode: string(config.Live), Limit: 100})
		require.NoError(t, err)
		require.Len(t, rows, round+1)
		for _, row := range rows {
			if row.ResourceID == id {
				require.Contains(t, row.Payload, `"metadata":`+b.metadata(t, id))
				require.Equal(t, taken.Load() > 0, strings.Contains(row.Payload, `"buyer_info":{"note":`))
			}
		}
	}
}
