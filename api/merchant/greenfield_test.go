package merchant_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/greenfield"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// token returns a key in the header that plugins send.
func token(k string) as { return as{"Authorization", "token " + k} }

// scoped gives the shop a live key for an application.
func (b *bench) scoped(t *testing.T, s shop, label string, granted ...permission.Permission) string {
	t.Helper()
	k := secret.NewScopedKey(true)
	made, err := b.store.PutScopedKey(t.Context(), db.PutScopedKeyParams{
		ID: secret.NewID("sk_"), MerchantID: s.id, Mode: "live", Label: label, Permissions: permission.Of(granted...).Names(),
		KeyHash: secret.HashAPIKey(k), Prefix: k[:12], CreatedAt: b.clock.Now(),
	})
	require.NoError(t, err)
	require.EqualValues(t, 1, made)
	return k
}

// neededOnGreenfield returns the permissions of the routes that take a key. A key needs all
// permissions of a route. For nil any key will do.
func neededOnGreenfield() map[string][]permission.Permission {
	view, modify := []permission.Permission{permission.ViewInvoices}, []permission.Permission{permission.ModifyInvoices}
	refund, payouts := []permission.Permission{permission.CreateNonApprovedPullPayments}, []permission.Permission{permission.ManagePayouts}
	store, hooks := []permission.Permission{permission.ViewStoreSettings}, []permission.Permission{permission.ModifyWebhooks}
	both := []permission.Permission{permission.ModifyWebhooks, permission.ViewInvoices}
	return map[string][]permission.Permission{
		"ApiKeys_GetCurrentApiKey": nil, "ApiKeys_DeleteCurrentApiKey": nil, "ServerInfo_GetServerInfo": nil,
		"Stores_GetStores": store, "Stores_GetStore": store, "StorePaymentMethods_GetStorePaymentMethods": store,
		"Invoices_CreateInvoice": {permission.CreateInvoice}, "Invoices_GetInvoices": view,
		"Invoices_GetInvoice": view, "Invoices_GetInvoiceWithoutStore": view,
		"Invoices_GetInvoicePaymentMethods": view, "Invoices_GetInvoicePaymentMethodsWithoutStore": view,
		"Invoices_MarkInvoiceStatus": modify, "Invoices_MarkInvoiceStatusWithoutStore": modify,
		"Invoices_UpdateInvoice": modify, "Invoices_UpdateInvoiceWithoutStore": modify,
		"Webhooks_CreateWebhook": hooks, "Webhooks_GetWebhooks": hooks, "Webhooks_GetWebhook": hooks, "Webhooks_UpdateWebhook": hooks,
		"Webhooks_DeleteWebhook": hooks, "Webhooks_GetWebhookDeliveries": hooks, "Webhooks_GetWebhookDelivery": hooks,
		"Webhooks_RedeliverWebhookDelivery": both, "Webhooks_GetWebhookDeliveryRequest": both,
		"Invoices_RefundInvoice": refund, "PullPayments_CreatePullPayment": refund, "PullPayments_GetPullPayments": {permission.ViewPullPayments},
		"PullPayments_ArchivePullPayment": {permission.ArchivePullPayments}, "Payouts_GetStorePayouts": {permission.ViewPayouts},
		"Payouts_GetStorePayout": {permission.ViewPayouts}, "Payouts_ApprovePayout": {permission.MoveMoney}, "Payouts_CancelPayout": payouts,
		"Payouts_MarkPayoutPaid": payouts,
	}
}

// TestGreenfieldLetsInWhoMay requests every route with no key, a wrong key, a key of another
// store, a key of the other mode, a key that lacks one permission, and a key with only the
// needed permissions.
func TestGreenfieldLetsInWhoMay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, other := b.signup(t), b.signup(t)
	strange := b.scoped(t, other, "other", permission.ModifyStoreSettings)
	id := b.charge(t, s, "live")
	b.exec(t, "UPDATE merchants SET refund_key_approves = true WHERE merchant_id = $1", s.id)
	otherMode := b.grant(t, s, "sandbox", permission.ModifyStoreSettings).text(t, "key")
	tried := map[string]bool{}
	for path, item := range greenfield.API("").OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Delete} {
			if op == nil || len(op.Security) == 0 {
				continue
			}
			needs, known := neededOnGreenfield()[op.OperationID]
			require.True(t, known, "%s takes a key: say which permissions it needs", op.OperationID)
			tried[op.OperationID] = true
			body, taken := "", ""
			if op.RequestBody != nil {
				body, taken = `{}`, `{"status":"Invalid","metadata":{},"url":"https://shop.example","amount":1}`
			}
			hook, sent := b.failedDelivery(t, s)
			pull, claim := b.claimed(t, s, id)
			at := strings.NewReplacer("{storeId}", s.id, "{invoiceId}", id, "{webhookId}", hook, "{deliveryId}", sent, "{pullPaymentId}", pull, "{payoutId}", claim).Replace(path)
			refused := func(status int, code string, who as) {
				t.Helper()
				a := b.send(t, op.Method, at, who, taken)
				require.Equal(t, status, a.status, "%s %s: %s", op.Method, at, a.body)
				require.Equal(t, code, a.text(t, "code"), a.body)
				require.NotEmpty(t, a.text(t, "message"))
			}
			refused(http.StatusUnauthorized, "unauthenticated", anonymous())
			refused(http.StatusUnauthorized, "unauthenticated", token(secret.NewScopedKey(true)))
			refused(http.StatusUnauthorized, "unauthenticated", token("x"))
			refused(http.StatusUnauthorized, "unauthenticated", key(s.live))
			if strings.Contains(path, "{storeId}") {
				refused(http.StatusForbidden, "missing-permission", token(strange))
			} else if strings.Contains(path, "{invoiceId}") {
				refused(http.StatusNotFound, "invoice-not-found", token(strange))
			}
			for thing, what := range map[string]string{
				"{invoiceId}": "invoice", "{webhookId}": "webhook", "{pullPaymentId}": "pullpayment", "{payoutId}": "payout",
			} {
				if strings.Contains(path, thing) && !slices.Contains(needs, permission.MoveMoney) {
					refused(http.StatusNotFound, what+"-not-found", token(otherMode))
				}
			}
			for _, required := range needs {
				require.Contains(t, op.Description, "`"+string(required)+"`")
				without := slices.DeleteFunc(permission.Grantable(), func(p permission.Permission) bool { return permission.Of(p).Covers(required) })
				refused(http.StatusForbidden, "missing-permission", token(b.scoped(t, s, "all but that", without...)))
			}
			if needs == nil {
				continue // any key will do
			}
			a := b.send(t, op.Method, at, token(b.scoped(t, s, "nothing else", needs...)), body)
			require.NotContains(t, []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed}, a.status, "%s %s: %s", op.Method, at, a.body)
		}
	}
	require.Len(t, tried, len(neededOnGreenfield()), "routes that are gone")
	for path, status := range map[string]int{"/api/v1/stores/x/nothing": http.StatusNotFound, "/api/v1/server": http.StatusNotFound, "/api/v1/invoices": http.StatusNotFound} {
		a := b.send(t, http.MethodGet, path, token(strange), "")
		require.Equal(t, status, a.status, path)
		require.Equal(t, "not-found", a.text(t, "code"))
	}
	require.Equal(t, "method-not-allowed", b.send(t, http.MethodPut, "/api/v1/stores", token(strange), "").text(t, "code"))
	require.Equal(t, http.StatusOK, b.send(t, http.MethodGet, "/api/v1/charges", key(s.live), "").status, "ours is still there")
}

func TestGreenfieldKeyStoreAndServer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	granted := []permission.Permission{permission.ViewInvoices, permission.CreateInvoice, permission.ViewStoreSettings, permission.ModifyInvoices}
	k := b.scoped(t, s, "WooCommerce", granted...)
	get := func(path string) answer { return b.send(t, http.MethodGet, path, token(k), `{"bodies":"are ignored"}`) }

	current := get("/api/v1/api-keys/current")
	require.Equal(t, "WooCommerce", current.text(t, "label"))
	require.Equal(t, k, current.text(t, "apiKey"), "its own, as BTCPay answers")
	want := make([]any, len(granted))
	for i, p := range granted {
		want[i] = p.In(s.id)
	}
	require.Equal(t, want, current.field(t, "permissions"), "exactly what was granted, in that order")

	info := get("/api/v1/server/info")
	require.Equal(t, "2.3.0", info.text(t, "version"))
	require.Equal(t, onionURL, info.text(t, "onion"))
	require.Equal(t, false, info.field(t, "fullySynched"), "no watcher has scanned")
	_, err := b.store.Pool().Exec(t.Context(), "UPDATE chains SET scanned_at = $1", b.clock.Now())
	require.NoError(t, err)
	require.Equal(t, true, get("/api/v1/server/info").field(t, "fullySynched"))
	require.JSONEq(t, `{"synchronized":true}`, b.send(t, http.MethodGet, "/api/v1/health", anonymous(), "").body)
	b.clock.advance(3 * time.Minute)
	require.JSONEq(t, `{"synchronized":false}`, b.send(t, http.MethodGet, "/api/v1/health", anonymous(), "").body)

	store := get("/api/v1/stores/" + s.id)
	require.Equal(t, s.id, store.text(t, "id"))
	require.Equal(t, "Example Shop", store.text(t, "name"))
	require.JSONEq(t, "["+store.body+"]", get("/api/v1/stores").body)
	methods := "/api/v1/stores/" + s.id + "/payment-methods"
	require.JSONEq(t, `[{"paymentMethodId":"XMR-CHAIN","enabled":true}]`, get(methods+"?includeConfig=true").body)
	shopware := b.scoped(t, s, "BTCPay for Shopware", granted...)
	require.JSONEq(t, `{"XMR":{"enabled":true,"cryptoCode":"XMR"}}`, b.send(t, http.MethodGet, methods, token(shopware), "").body)

	revoked := b.send(t, http.MethodDelete, "/api/v1/api-keys/current", token(k), "")
	require.Equal(t, http.StatusOK, revoked.status)
	require.Empty(t, revoked.body)
	require.Equal(t, http.StatusUnauthorized, get("/api/v1/api-keys/current").status)
	require.Equal(t, http.StatusForbidden, b.send(t, http.MethodDelete, "/api/v1/api-keys/current", token(s.live), "").status, "the account's key is not an application's")
}

func TestGreenfieldLinks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.charge(t, b.signup(t), "live")
	for _, path := range []string{"/i/", "/invoices/"} {
		a := b.send(t, http.MethodGet, path+id, anonymous(), "")
		require.Equal(t, http.StatusFound, a.status)
		require.Equal(t, "/pay/"+id, a.header.Get("Location"))
		require.Equal(t, http.StatusNotFound, b.send(t, http.MethodGet, path+"//evil.example", anonymous(), "").status)
	}
	script := b.send(t, http.MethodGet, "/modal/btcpay.js", anonymous(), "")
	require.Equal(t, "text/javascript; charset=utf-8", script.header.Get("Content-Type"))
	require.Contains(t, script.body, "showInvoice")
}

func testGreenfieldInvoice(t *testing.T, b *bench) {
	s := b.signup(t)
	k := b.scoped(t, s, "WooCommerce", permission.ModifyInvoices)
	path := "/api/v1/stores/" + s.id + "/invoices"
	post := func(body string) answer { return b.send(t, http.MethodPost, path, token(k), body) }
	ok := func(a answer) answer {
		t.Helper()
		require.Equal(t, http.StatusOK, a.status, a.body)
		return a
	}

	for body, field := range map[string]string{
		`{}`: "amount", `{"amount":null}`: "amount", `{"amount":"0"}`: "amount", `{"amount":"1.001"}`: "amount", `{"amount":true}`: "amount",
		`{"amount":"10000000.01","currency":"USD"}`: "amount", `{"amount":"1","currency":"BTC"}`: "currency", `{"amount":"1","metadata":[]}`: "metadata",
		`{"amount":"1","checkout":{"speedPolicy":"high"}}`:                "checkout.speedPolicy",
		`{"amount":"1","checkout":{"expirationMinutes":0}}`:               "checkout.expirationMinutes",
		`{"amount":"1","checkout":{"expirationMinutes":43201}}`:           "checkout.expirationMinutes",
		`{"amount":"1","checkout":{"expirationMinutes":"15"}}`:            "checkout.expirationMinutes",
		`{"amount":"1","checkout":{"monitoringMinutes":-1}}`:              "checkout.monitoringMinutes",
		`{"amount":"1","checkout":{"monitoringMinutes":525601}}`:          "checkout.monitoringMinutes",
		`{"amount":"1","checkout":{"paymentTolerance":100.1}}`:            "checkout.paymentTolerance",
		`{"amount":"1","checkout":{"paymentMethods":["BTC-CHAIN"]}}`:      "checkout.paymentMethods",
		`{"amount":"1","checkout":{"redirectURL":"javascript:alert(1)"}}`: "checkout.redirectURL",
		`{"amount":"1"`: "",
	} {
		a := post(body)
		require.Equal(t, http.StatusUnprocessableEntity, a.status, body)
		var fields []struct {
			Path    string `json:"path"`
			Message string `json:"message"`
		}
		require.NoError(t, json.Unmarshal([]byte(a.body), &fields), a.body)
		require.Len(t, fields, 1)
		require.Equal(t, field, fields[0].Path, body)
		require.NotEmpty(t, fields[0].Message)
	}

	made := ok(post(`{"amount":49.90,"currency":"usd","metadata":{"orderId":"A-7","n":1.10,"taxIncluded":"0","buyerEmail":"b@example.com","itemDesc":"Two tickets"},
		"checkout":{"speedPolicy":"HighSpeed","expirationMinutes":5,"monitoringMinutes":10,"paymentTolerance":1.5,"paymentMethods":["XMR_CHAIN"],
		"redirectURL":"https://shop.example/thanks?i={InvoiceId}&o={OrderId}","redirectAutomatically":true,"defaultLanguage":"de-DE"}}`))
	id := made.text(t, "id")
	require.Contains(t, made.body, `"metadata":{"orderId":"A-7","n":1.10,"taxIncluded":"0","buyerEmail":"b@example.com","itemDesc":"Two tickets"}`)
	for _, part := range []string{
		`"amount":"49.9"`, `"currency":"USD"`, `"type":"Standard"`, `"status":"New"`, `"additionalStatus":"None"`,
		`"checkoutLink":"` + publicURL + `/pay/` + id + `?lang=de"`, `"availableStatusesForManualMarking":["Settled","Invalid"]`,
		`"speedPolicy":"HighSpeed"`, `"expirationMinutes":5`, `"monitoringMinutes":10`, `"paymentTolerance":1.5`, `"redirectAutomatically":true`, `"defaultLanguage":"de-DE"`,
		`"redirectURL":"https://shop.example/thanks?i={InvoiceId}&o={OrderId}"`, `"paymentMethods":["XMR-CHAIN"]`,
	} {
		require.Contains(t, made.body, part)
	}
	at := func(name string) int64 {
		n, err := made.field(t, name).(json.Number).Int64()
		require.NoError(t, err)
		return n
	}
	require.EqualValues(t, 5*60, at("expirationTime")-at("createdTime"))
	require.EqualValues(t, 10*60, at("monitoringExpiration")-at("expirationTime"))
	require.Equal(t, at("monitoringExpiration"), at("monitoringTime"))
	ours := b.send(t, http.MethodGet, "/api/charges/"+id, key(s.live), "").require(t, http.StatusOK)
	require.Equal(t, "https://shop.example/thanks?i="+id+"&o=A-7", ours.text(t, "return_url"))
	require.Equal(t, "Two tickets", ours.text(t, "description"))
	require.Nil(t, ours.field(t, "marked"))
	require.EqualValues(t, "1", ours.field(t, "confirmations_required"))
	invoicePath := path + "/" + id
	require.Equal(t, made.body, ok(b.send(t, http.MethodGet, invoicePath, token(k), "{}")).body)
	require.Equal(t, made.body, ok(b.send(t, http.MethodGet, "/api/v1/invoices/"+id, token(k), "")).body)
	require.Equal(t, http.StatusNotFound, b.send(t, http.MethodGet, "/api/v1/invoices/"+id, token(s.test), "").status, "of the other mode")
	require.Equal(t, http.StatusNotFound, b.send(t, http.MethodGet, path+"/nothing", token(k), "").status)

	b.receive(t, id, money.OneXMR/100)
	methods := ok(b.send(t, http.MethodGet, invoicePath+"/payment-methods", token(k), ""))
	for _, part := range []string{
		`"paymentMethodId":"XMR-CHAIN"`, `"rate":"160"`, `"totalPaid":"0.01"`, `"amount":"0.311875"`, `"due":"0.301875"`, `"value":"0.01"`, `"fee":"0"`, `"additionalData":{}`, `-0","receivedDate":`,
	} {
		require.Contains(t, methods.body, part)
	}

	updated := ok(b.send(t, http.MethodPut, invoicePath, token(k), `{"metadata":{"orderId":"A-8","n":2.00}}`))
	require.Contains(t, updated.body, `"metadata":{"orderId":"A-8","n":2.00}`)
	list := func(query string) string { return ok(b.send(t, http.MethodGet, path+query, token(k), "")).body }
	require.JSONEq(t, "["+updated.body+"]", list("?orderId=A-8&orderId=x"))
	require.JSONEq(t, `[]`, list("?orderId=A-7"))

	for _, body := range []string{`{}`, `{"status":"New"}`, `{"status":"settled"}`, `{"status":null}`} {
		require.Equal(t, http.StatusUnprocessableEntity, b.send(t, http.MethodPost, invoicePath+"/status", token(k), body).status, body)
	}
	settled := ok(b.send(t, http.MethodPost, invoicePath+"/status", token(k), `{"status":"Settled"}`))
	require.Equal(t, "Settled", settled.text(t, "status"))
	require.Equal(t, "Marked", settled.text(t, "additionalStatus"))
	require.Equal(t, settled.body, ok(b.send(t, http.MethodPost, "/api/v1/invoices/"+id+"/status", token(k), `{"status":"Settled"}`)).body, "twice is once")
	require.Equal(t, http.StatusUnprocessableEntity, b.send(t, http.MethodPost, invoicePath+"/status", token(k), `{"status":"Invalid"}`).status)
	ours = b.send(t, http.MethodGet, "/api/charges/"+id, key(s.live), "").require(t, http.StatusOK)
	require.Equal(t, "confirmed", ours.text(t, "status"))
	require.Equal(t, "settled", ours.text(t, "marked"))

	second := ok(post(`{"amount":"0.5","currency":"XMR","metadata":null,"checkout":null}`)).text(t, "id")
	invalid := ok(b.send(t, http.MethodPost, path+"/"+second+"/status", token(k), `{"status":"Invalid"}`))
	require.Equal(t, "Invalid", invalid.text(t, "status"))
	require.JSONEq(t, "["+invalid.body+"]", list("?status=Invalid&status=New"))
	require.JSONEq(t, "["+invalid.body+"]", list("?textSearch="+second))
	require.JSONEq(t, "["+invalid.body+","+settled.body+"]", list(""))
	require.JSONEq(t, "["+settled.body+"]", list("?skip=1&take=1"))
}

// TestAnInvoiceKeepsItsMetadataUntilOtherIsSent checks that a body without metadata takes none away.
func TestAnInvoiceKeepsItsMetadataUntilOtherIsSent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	k := b.scoped(t, s, "x", permission.ModifyInvoices)
	path := "/api/v1/stores/" + s.id + "/invoices/" + b.charge(t, s, "live")
	put := func(body string) answer { return b.send(t, http.MethodPut, path, token(k), body) }
	put(`{"metadata":{"orderId":"A-7"}}`).require(t, http.StatusOK)
	for _, body := range []string{`{}`, `{"metadata":null}`, `{"Metadata":{}}`} {
		refused := put(body)
		require.Equal(t, http.StatusUnprocessableEntity, refused.status, "%s: %s", body, refused.body)
		require.Contains(t, refused.body, `"path":"metadata"`)
	}
	require.Contains(t, b.send(t, http.MethodGet, path, token(k), "").body, `"metadata":{"orderId":"A-7"}`)
	put(`{"metadata":{}}`).require(t, http.StatusOK)
	require.Contains(t, b.send(t, http.MethodGet, path, token(k), "").body, `"metadata":{}`)
}
