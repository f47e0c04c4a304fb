package merchant_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/secret"
)

// These are addresses of external wallets.
const (
	buyersAddress        = "48DCHZHFQ2vd1VWZMzvbymBKcPUXYv9vwcgJY7fwe9ouPeuJuXuHKZjd5G5DaqbaHNRzek3wtCvrGM79AcCQF5QGG3FaS4u"
	anotherBuyersAddress = "888tNkZrPN6JsEgekjMnABU4TBzc2Dt29EPAvkRxbANsAnjyPbb3iQ1YBRk1UXcdRsiKc9dhwMVgN5S9cQUiyoogDavup3H"
	thirdAddress         = "4AdUndXHHZ6cfufTMvppY6JwXNouMBzSkbLYfpAV5Usx3skxNgYeYTRj5UzqtReoS44qo9mtmXCqY45DJ852K5Jv2684Rge"
	fourthAddress        = "44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A"
	stagenetsOwner       = "55LTR8KniP4LQGJSPtbYDacR7dz8RBFnsfAKMaMuwUNYX6aQbBcovzDPyrQF9KXF9tVU6Xk3K8no1BywnJX6GvZX8yJsXvt"
)

// claimed inserts a refund of a charge with a claim that waits for approval. It returns the
// identifiers of both in the form of this surface.
func (b *bench) claimed(t *testing.T, s shop, chargeID string) (pull, claim string) {
	t.Helper()
	id, link := secret.NewID("rf_"), secret.NewSecret()
	claim = secret.NewID("rc_")
	sealed, err := b.box.Seal([]byte(link), secret.RefundTokenPlace.Of(id))
	require.NoError(t, err)
	address, err := b.box.Seal([]byte(buyersAddress), secret.ClaimAddressPlace.Of(claim))
	require.NoError(t, err)
	b.exec(t, `INSERT INTO refunds (id, merchant_id, charge_id, status, variant, amount, token_hash, token_sealed, created_at, expires_at)
		VALUES ($1, $2, $3, 'awaiting_approval', 'Custom', 2000000000, $4, $5, $6, $7)`,
		id, s.id, chargeID, secret.HashAPIKey(link), sealed, b.clock.Now(), b.clock.Now().AddDate(0, 0, 30))
	b.exec(t, `INSERT INTO refund_claims (id, refund_id, status, amount, address_sealed, address_masked, next_at, created_at)
		VALUES ($1, $2, 'awaiting_approval', 1000000000, $3, '48DCHZ…3FaS4u', $4, $4)`, claim, id, address, b.clock.Now())
	return id + "-" + link, claim
}

// earned returns a settled charge of the shop that received an amount.
func (b *bench) earned(t *testing.T, s shop, amount money.Piconero) string {
	t.Helper()
	id := b.send(t, http.MethodPost, "/api/charges", key(s.live), `{"amount":50}`).require(t, http.StatusOK).text(t, "id")
	b.receive(t, id, amount)
	b.send(t, http.MethodPost, "/api/v1/invoices/"+id+"/status", token(s.live), `{"status":"Settled"}`).require(t, http.StatusOK)
	return id
}

// wrongFields returns the fields that a 422 names.
func (a answer) wrongFields(t *testing.T) []string {
	t.Helper()
	require.Equal(t, http.StatusUnprocessableEntity, a.status, a.body)
	var fields []struct {
		Path    string `json:"path"`
		Message string `json:"message"`
	}
	require.NoError(t, json.Unmarshal([]byte(a.body), &fields), a.body)
	paths := []string{}
	for _, f := range fields {
		require.NotEmpty(t, f.Message)
		paths = append(paths, f.Path)
	}
	return paths
}

// TestGreenfieldSecretOfAPullPayment checks that a client with the secret can claim, and that a
// key which may not see links does not get the secret.
func TestGreenfieldSecretOfAPullPayment(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, other := b.signup(t), b.signup(t)
	pull, claim := b.claimed(t, s, b.charge(t, s, "live"))
	id, link, _ := strings.Cut(pull, "-")
	get := func(path string, who as) answer {
		return b.send(t, http.MethodGet, "/api/v1/"+path, who, `{"ignored":true}`)
	}

	mine := get("pull-payments/"+pull, anonymous()).require(t, http.StatusOK)
	require.Equal(t, pull, mine.text(t, "id"))
	require.Equal(t, publicURL+"/refund/"+id+"/"+link, mine.text(t, "viewLink"))
	require.Equal(t, json.Number("30"), mine.field(t, "BOLT11Expiration"))
	for _, part := range []string{`"currency":"XMR"`, `"amount":"0.002"`, `"paymentMethods":["XMR-CHAIN"]`, `"archived":false`, `"autoApproveClaims":false`} {
		require.Contains(t, mine.body, part)
	}
	require.Equal(t, pull, get("pull-payments/"+pull+"/payouts/"+claim, anonymous()).require(t, http.StatusOK).text(t, "pullPaymentId"))
	wrong := id + "-" + secret.NewSecret()
	for _, path := range []string{id, id + "-", wrong, "rf_-", "%00", "%ff", id + "-" + link + "0", id + "-" + strings.Repeat("0", 5000)} {
		for _, below := range []string{"", "/payouts", "/payouts/" + claim} {
			a := get("pull-payments/"+path+below, token(s.live))
			require.Equal(t, http.StatusNotFound, a.status, path)
			require.NotContains(t, a.body, link)
		}
		a := b.send(t, http.MethodPost, "/api/v1/pull-payments/"+path+"/payouts", anonymous(), fmt.Sprintf(`{"destination":%q}`, buyersAddress))
		require.Equal(t, http.StatusNotFound, a.status, path)
	}
	require.Equal(t, "payout-not-found", get("pull-payments/"+pull+"/payouts/rc_0123456789abcdef01234567", anonymous()).text(t, "code"))

	sees := func(granted ...permission.Permission) []string {
		k := token(b.scoped(t, s, "lists", granted...))
		return []string{
			get("stores/"+s.id+"/pull-payments", k).require(t, http.StatusOK).body,
			get("stores/"+s.id+"/payouts", k).require(t, http.StatusOK).body, get("stores/"+s.id+"/payouts/"+claim, k).require(t, http.StatusOK).body,
		}
	}
	for _, body := range append(sees(permission.ViewStoreSettings), sees(permission.ViewPullPayments, permission.ManagePayouts, permission.CreatePullPayments)...) {
		require.Contains(t, body, `"`+id+`"`)
		require.NotContains(t, body, link)
	}
	for _, body := range sees(permission.ModifyStoreSettings) {
		require.Contains(t, body, `"`+pull+`"`)
		require.NotContains(t, body, buyersAddress)
	}
	for _, who := range []as{token(s.test), token(other.live)} {
		if got := get("stores/"+s.id+"/payouts/"+claim, who); got.status != http.StatusForbidden {
			require.Equal(t, "payout-not-found", got.text(t, "code"))
		}
	}
	require.JSONEq(t, `[]`, get("stores/"+s.id+"/pull-payments", token(s.test)).body)
	require.JSONEq(t, `[]`, get("stores/"+other.id+"/payouts", token(other.live)).body)

	mark := b.send(t, http.MethodPost, "/api/v1/stores/"+s.id+"/payouts/"+claim+"/mark-paid", token(s.live), "")
	require.Equal(t, http.StatusBadRequest, mark.status)
	require.Equal(t, "invalid-state", mark.text(t, "code"))
}

// TestGreenfieldApplicationsApproveNothing checks that no application can approve, even with
// every permission that a merchant can grant.
func TestGreenfieldApplicationsApproveNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	_, claim := b.claimed(t, s, b.charge(t, s, "live"))
	for _, granted := range [][]permission.Permission{permission.Grantable(), {permission.ModifyStoreSettings}, {permission.ManagePayouts, permission.CreatePullPayments}} {
		a := b.send(t, http.MethodPost, "/api/v1/stores/"+s.id+"/payouts/"+claim, token(b.scoped(t, s, "PrestaShop", granted...)), `{"revision":0}`)
		require.Equal(t, http.StatusForbidden, a.status)
		require.Equal(t, "durapay.store.canmovemoney", a.text(t, "missingPermission"))
	}
	for _, body := range []string{`{"revision":1}`, `{"revision":"0"}`} {
		require.Equal(t, []string{"revision"}, b.send(t, http.MethodPost, "/api/v1/stores/"+s.id+"/payouts/"+claim, token(s.live), body).wrongFields(t))
	}
}

func testGreenfieldRefund(t *testing.T, b *bench) {
	s, other := b.signup(t), b.signup(t)
	k := token(b.scoped(t, s, "npm", permission.CreateNonApprovedPullPayments))
	id := b.earned(t, s, money.OneXMR/2)
	path := "/api/v1/stores/" + s.id + "/invoices/" + id + "/refund"
	post := func(body string) answer { return b.send(t, http.MethodPost, path, k, body) }
	for body, field := range map[string]string{
		`{}`: "refundVariant", `{"refundVariant":"Half"}`: "refundVariant", `{"refundVariant":1}`: "refundVariant",
		`{"refundVariant":"OverpaidAmount","subtractPercentage":"100"}`: "subtractPercentage", `{"refundVariant":"RateThen","subtractPercentage":-1}`: "subtractPercentage",
		`{"refundVariant":"Custom"}`: "customAmount", `{"refundVariant":"Custom","customAmount":"1"}`: "customCurrency",
		`{"refundVariant":"Custom","customAmount":"1","customCurrency":"BTC"}`:                "customCurrency",
		`{"refundVariant":"Custom","customAmount":"0.001","customCurrency":"USD"}`:            "customAmount",
		`{"refundVariant":"Custom","customAmount":"0","customCurrency":"XMR"}`:                "customAmount",
		`{"refundVariant":"RateThen","paymentMethod":"BTC-CHAIN"}`:                            "paymentMethod",
		`{"refundVariant":"RateThen","name":"` + strings.Repeat("ü", 51) + `"}`:               "name",
		`{"refundVariant":"RateThen","name":"\u0000"}`:                                        "name",
		`{"refundVariant":"RateThen","description":"` + strings.Repeat("a", 1001) + `"}`:      "description",
		`{"refundVariant":"Custom","customAmount":"0.500000000001","customCurrency":"XMR"}`:   "",
		`{"refundVariant":"Custom","customAmount":"1e15","customCurrency":"xmr","name":null}`: "",
	} {
		require.Equal(t, []string{field}, post(body).wrongFields(t), body)
	}
	for _, unknown := range []string{"ch_0123456789abcdef01234567", "x", "%00", b.charge(t, other, "live"), b.charge(t, s, "sandbox")} {
		a := b.send(t, http.MethodPost, "/api/v1/stores/"+s.id+"/invoices/"+unknown+"/refund", k, `{"refundVariant":"RateThen"}`)
		require.Equal(t, "invoice-not-found", a.text(t, "code"), unknown)
	}

	made := post(`{"refundVariant":"Fiat","name":"`+strings.Repeat("ü", 50)+`","paymentMethod":"XMR","subtractPercentage":50}`).require(t, http.StatusOK)
	pull := made.text(t, "id")
	require.Contains(t, made.body, `"currency":"USD","amount":"40"`)
	require.Equal(t, []string{""}, post(`{"refundVariant":"RateThen"}`).wrongFields(t), "the rest is less")
	claims := "/api/v1/pull-payments/" + pull + "/payouts"
	claim := func(body string) answer { return b.send(t, http.MethodPost, claims, anonymous(), body) }
	for body, field := range map[string]string{
		`{}`: "destination", `{"destination":null}`: "destination", `{"destination":"x"}`: "destination", `{"destination":"` + stagenetsOwner + `"}`: "destination",
		`{"destination":"` + buyersAddress + `","amount":"0"}`: "amount", `{"destination":"` + buyersAddress + `","amount":"0.001"}`: "amount",
		`{"destination":"` + buyersAddress + `","amount":"40.01"}`: "amount", `{"destination":"` + buyersAddress + `","amount":"0.01"}`: "amount",
		`{"destination":"` + buyersAddress + `","paymentMethod":"BTC"}`: "paymentMethod", `[]`: "",
	} {
		require.Equal(t, []string{field}, claim(body).wrongFields(t), body)
	}

	// Two simultaneous claims of 30 out of 40, through both surfaces: one is refused.
	var wg sync.WaitGroup
	var page, dialect int
	link := made.text(t, "viewLink")
	wg.Go(func() {
		a := claim(`{"destination":"` + buyersAddress + `","amount":"30","paymentMethod":"XMR_CHAIN"}`)
		dialect = a.status
	})
	wg.Go(func() {
		form := url.Values{"address": {anotherBuyersAddress}, "amount": {"0.1875"}} // 30 USD
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.url+strings.TrimPrefix(link, publicURL), strings.NewReader(form.Encode()))
		assert.NoError(t, err)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		res, err := client.Do(req)
		if assert.NoError(t, err) {
			page = res.StatusCode
			assert.NoError(t, res.Body.Close())
		}
	})
	wg.Wait()
	require.NotEqual(t, dialect == http.StatusOK, page == http.StatusSeeOther, "dialect %d, page %d", dialect, page)
	list := b.send(t, http.MethodGet, claims, anonymous(), "")
	require.Equal(t, 1, strings.Count(list.body, `"originalAmount":"30"`), list.body)

	// The same address claims the rest twice, which makes one claim.
	first := claim(`{"destination":"`+thirdAddress+`"}`).require(t, http.StatusOK)
	again := claim(`{"destination":"`+thirdAddress+`","amount":null}`).require(t, http.StatusOK)
	require.Equal(t, first.text(t, "id"), again.text(t, "id"))
	require.Contains(t, first.body, `"originalAmount":"10"`)
	require.Equal(t, "AwaitingApproval", first.text(t, "state"))
	require.Equal(t, []string{""}, claim(`{"destination":"`+fourthAddress+`"}`).wrongFields(t), "nothing is left")

	payout := "/api/v1/stores/" + s.id + "/payouts/" + first.text(t, "id")
	require.Equal(t, http.StatusForbidden, b.send(t, http.MethodPost, payout, token(s.live), `{"revision":0}`).status, "the merchant does not let the key approve")
	b.as(t, s, http.MethodPut, "/api/account/refunds", `{"auto_up_to_xmr":0,"approve_by_key":true}`).require(t, http.StatusOK)
	for range 2 {
		approved := b.send(t, http.MethodPost, payout, token(s.live), `{"revision":0,"rateRule":null}`).require(t, http.StatusOK)
		require.Equal(t, "AwaitingPayment", approved.text(t, "state"))
	}
	require.NoError(t, b.store.WaitClaim(t.Context(), db.WaitClaimParams{ID: first.text(t, "id"), WaitsFor: string(refund.ForAddress), NextAt: b.clock.Now()}))
	require.Equal(t, "the shop has to set a payout address", b.send(t, http.MethodGet, payout, token(s.live), "").text(t, "waitsFor"))
	for range 2 {
		require.Empty(t, b.send(t, http.MethodDelete, payout, token(s.live), "").require(t, http.StatusOK).body)
	}
	require.Equal(t, "Cancelled", b.send(t, http.MethodGet, payout, token(s.live), "").text(t, "state"))
	refused := b.send(t, http.MethodPost, payout, token(s.live), `{}`)
	require.Equal(t, http.StatusBadRequest, refused.status)
	require.Equal(t, "invalid-state", refused.text(t, "code"))
	one := b.send(t, http.MethodGet, claims, anonymous(), "").body
	require.NotContains(t, one, first.text(t, "id"))
	require.Contains(t, b.send(t, http.MethodGet, claims+"?includeCancelled=true", anonymous(), "").body, first.text(t, "id"))
}

func testGreenfieldPullPayment(t *testing.T, b *bench) {
	s := b.signup(t)
	k := token(b.scoped(t, s, "WooCommerce", permission.CreateNonApprovedPullPayments, permission.ViewStoreSettings))
	pulls := "/api/v1/stores/" + s.id + "/pull-payments"
	post := func(body string) answer { return b.send(t, http.MethodPost, pulls, k, body) }
	b.as(t, s, http.MethodPut, "/api/account/refunds", `{"auto_up_to_xmr":10}`).require(t, http.StatusOK)
	const ask = `{"name":"Refund of order 101","description":"Too small","amount":"20.00","currency":"usd","period":null,"BOLT11Expiration":null,` +
		`"autoApproveClaims":false,"startsAt":null,"expiresAt":null,"paymentMethods":[],"payoutMethods":[]}`
	require.Equal(t, []string{"amount"}, post(ask).wrongFields(t), "the shop has nothing")
	b.earned(t, s, money.OneXMR/5)
	for body, field := range map[string]string{
		`{}`: "amount", `{"amount":"1"}`: "currency", `{"amount":"1","currency":"GBP"}`: "currency", `{"amount":true,"currency":"USD"}`: "amount",
		`{"amount":"-1","currency":"USD"}`: "amount", `{"amount":"0.001","currency":"USD"}`: "amount", `{"amount":"1e40","currency":"XMR"}`: "amount",
		`{"amount":"0.200000000001","currency":"XMR"}`:                        "amount",
		`{"amount":"1","currency":"USD","period":60}`:                         "period",
		`{"amount":"1","currency":"USD","autoApproveClaims":true}`:            "autoApproveClaims",
		`{"amount":"1","currency":"USD","startsAt":99999999999}`:              "startsAt",
		`{"amount":"1","currency":"USD","expiresAt":1}`:                       "expiresAt",
		`{"amount":"1","currency":"USD","expiresAt":-9223372036854775808}`:    "expiresAt",
		`{"amount":"1","currency":"USD","expiresAt":9223372036854775807}`:     "expiresAt",
		`{"amount":"1","currency":"USD","payoutMethods":["BTC-LN"]}`:          "payoutMethods",
		`{"amount":"1","currency":"USD","name":"` + strings.Repeat("é", 51):   "",
		`{"amount":"1","currency":"USD","description":"` + "\xff" + `"}`:      "",
		`{"amount":"1","currency":"USD","name":"a` + "\\u0000" + `"}`:         "name",
		`{"amount":"1","currency":"USD","description":["<script>"]}`:          "description",
		`{"amount":"1","currency":"XMR","paymentMethods":"XMR-CHAIN"}`:        "paymentMethods",
		`{"amount":"0.0000000000001","currency":"XMR","paymentMethods":null}`: "amount",
	} {
		require.Equal(t, []string{field}, post(body).wrongFields(t), body)
	}
	sandbox := b.send(t, http.MethodPost, pulls, token(s.test), ask)
	require.Equal(t, []string{""}, sandbox.wrongFields(t))

	made := post(ask).require(t, http.StatusOK)
	require.Contains(t, made.body, `"autoApproveClaims":false`, "whatever the merchant lets go by itself")
	require.Contains(t, made.text(t, "viewLink"), publicURL+"/refund/rf_")
	require.Contains(t, made.body, `"currency":"USD","amount":"20"`)
	require.Equal(t, []string{"amount"}, post(ask).wrongFields(t), "0.075 of 0.2 is left, and 0.125 asked for")
	pull := made.text(t, "id")
	id, _, _ := strings.Cut(pull, "-")
	ours := b.send(t, http.MethodGet, "/api/refunds/"+id, key(s.live), "").require(t, http.StatusOK)
	require.Empty(t, ours.text(t, "charge_id"))
	require.Contains(t, ours.body, `"amount_xmr":0.125`)
	page := b.send(t, http.MethodGet, strings.TrimPrefix(made.text(t, "viewLink"), publicURL), anonymous(), "").require(t, http.StatusOK)
	require.Contains(t, page.body, "Refund of order 101")

	claims := "/api/v1/pull-payments/" + pull + "/payouts"
	for _, part := range [][2]string{{"6.66", buyersAddress}, {"6.67", buyersAddress}, {"6.67", anotherBuyersAddress}} {
		a := b.send(t, http.MethodPost, claims, anonymous(), fmt.Sprintf(`{"destination":%q,"amount":%s}`, part[1], part[0])).require(t, http.StatusOK)
		require.Equal(t, part[0], a.text(t, "originalAmount"))
		require.Equal(t, "AwaitingApproval", a.text(t, "state"))
	}
	require.Contains(t, b.send(t, http.MethodGet, "/api/refunds/"+id, key(s.live), "").body, `"left_xmr":0,`, "to the piconero")

	archive := token(b.scoped(t, s, "archives", permission.ArchivePullPayments))
	for range 2 {
		require.Empty(t, b.send(t, http.MethodDelete, pulls+"/"+id, archive, "").require(t, http.StatusOK).body)
	}
	require.Equal(t, "pullpayment-not-found", b.send(t, http.MethodDelete, pulls+"/rf_0123456789abcdef01234567", archive, "").text(t, "code"))
	require.JSONEq(t, `[]`, b.send(t, http.MethodGet, pulls, k, `{"includeArchived":true}`).body)
	require.Contains(t, b.send(t, http.MethodGet, pulls+"?includeArchived=true", k, "").body, `"archived":true`)
	require.Len(t, b.send(t, http.MethodGet, pulls+"?includeArchived=x", k, "").wrongFields(t), 1)
	require.Equal(t, []string{""}, b.send(t, http.MethodPost, claims, anonymous(), fmt.Sprintf(`{"destination":%q}`, anotherBuyersAddress)).wrongFields(t), "cancelled")
	post(ask).require(t, http.StatusOK)
}
