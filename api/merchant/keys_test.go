package merchant_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/secret"
)

// grant creates a key by hand.
func (b *bench) grant(t *testing.T, s shop, mode string, permissions ...permission.Permission) answer {
	t.Helper()
	body, err := json.Marshal(map[string]any{"label": "Web shop", "mode": mode, "permissions": permissions})
	require.NoError(t, err)
	return b.as(t, s, http.MethodPost, "/api/account/application-keys", string(body)).require(t, http.StatusOK)
}

func (b *bench) revoke(t *testing.T, s shop, id string) answer {
	t.Helper()
	return b.as(t, s, http.MethodPost, "/api/account/application-keys/"+id+"/revoke", "")
}

// neededToo are second permissions: who sends an event again may read it.
func neededToo() map[string]permission.Permission {
	return map[string]permission.Permission{"redeliver": permission.ViewInvoices}
}

// needed returns the permission of each operation that a key may call.
func needed() map[string]permission.Permission {
	return map[string]permission.Permission{
		"createCharge": permission.CreateInvoice, "listCharges": permission.ViewInvoices, "getCharge": permission.ViewInvoices,
		"getChargeQR": permission.ViewInvoices, "toggleChargeLink": permission.ModifyInvoices, "acceptUnderpaid": permission.ModifyInvoices,
		"createPaymentRequest": permission.ModifyPaymentRequests, "listPaymentRequests": permission.ViewPaymentRequests,
		"togglePaymentRequest": permission.ModifyPaymentRequests, "deletePaymentRequest": permission.ModifyPaymentRequests,
		"listDeliveries": permission.ModifyWebhooks, "getDelivery": permission.ModifyWebhooks, "listWebhookDeliveries": permission.ModifyWebhooks, "redeliver": permission.ModifyWebhooks,
		"listEvents": permission.ViewInvoices, "getOverview": permission.ViewInvoices,
		"sandboxPay": permission.CreateInvoice, "sandboxConfirm": permission.CreateInvoice, "sandboxReorg": permission.CreateInvoice, "sandboxExpire": permission.CreateInvoice,
		"sandboxTrigger": permission.CreateInvoice, "sandboxRetry": permission.ModifyWebhooks,
		"reportTransactions": permission.ViewReports, "reportSummary": permission.ViewReports,
		"createRefund": permission.CreateNonApprovedPullPayments, "listChargeRefunds": permission.ViewPullPayments,
		"listRefunds": permission.ViewPullPayments, "getRefund": permission.ManagePullPayments, "approveRefundByKey": permission.MoveMoney,
		"cancelRefund": permission.ArchivePullPayments,
	}
}

// TestAScopedKeyOpensWhatWasGranted calls every operation that takes a key with a key of each
// permission. Every such operation needs a permission, and the table here must name it.
func TestAScopedKeyOpensWhatWasGranted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	live, sandbox := map[permission.Permission]string{}, map[permission.Permission]string{}
	for _, p := range permission.Grantable() {
		live[p] = b.grant(t, s.shop, "live", p).text(t, "key")
		sandbox[p] = b.grant(t, s.shop, "sandbox", p).text(t, "key")
	}
	tried := map[string]bool{}
	for _, o := range operations(document()) {
		keys := live
		if o.inSandbox() {
			keys = sandbox
		}
		if o.kind != keyKind {
			for p, k := range keys {
				if o.kind == sessionKind && !o.admin() {
					b.send(t, o.Method, s.pathOf(t, o), key(k), "").require(t, http.StatusUnauthorized, o, p)
					b.send(t, o.Method, s.pathOf(t, o), session(k), "").require(t, http.StatusUnauthorized, o, p)
				}
			}
			continue
		}
		required, known := needed()[o.OperationID]
		require.True(t, known, "%s takes a key: say which permission it needs", o)
		tried[o.OperationID] = true
		const invalidBody = `{"x":` // an invalid body, so that no call changes anything
		before := b.digestWithoutKeys(t)
		for p, k := range keys {
			if !permission.Of(p).Covers(required) {
				a := b.send(t, o.Method, s.pathOf(t, o)+sampleOf(t, o, s).query, key(k), invalidBody)
				a.require(t, http.StatusForbidden, o, p)
				require.Contains(t, a.body, string(required))
			}
		}
		require.Equal(t, before, b.digestWithoutKeys(t), "%s with keys that it refuses", o)
		for p, k := range keys {
			if permission.Of(p).Covers(required) {
				a := b.send(t, o.Method, s.pathOf(t, o)+sampleOf(t, o, s).query, key(k), invalidBody)
				if also, needs := neededToo()[o.OperationID]; needs && !permission.Of(p).Covers(also) {
					a.require(t, http.StatusForbidden, o, p)
					require.Contains(t, a.body, string(also))
					continue
				}
				require.NotContains(t, []int{http.StatusUnauthorized, http.StatusForbidden}, a.status, "%s with %s: %s", o, p, a.body)
			}
		}
	}
	require.Len(t, tried, len(needed()), "operations that are gone")
}

// digestWithoutKeys is digest without the keys, because they record their last use.
func (b *bench) digestWithoutKeys(t *testing.T) map[string]string {
	t.Helper()
	all := b.digest(t)
	delete(all, "scoped_keys")
	return all
}

// TestInvalidScopedKeys uses made-up, changed, foreign and revoked keys, keys of a suspended
// and of a deleted account, and resources of the other mode.
func TestInvalidScopedKeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, other := b.own(t), b.own(t)
	live, test := b.grant(t, s.shop, "live", permission.ViewInvoices), b.grant(t, s.shop, "sandbox", permission.ViewInvoices).text(t, "key")
	k := live.text(t, "key")
	require.Regexp(t, `^dk_live_[0-9a-f]{48}$`, k)
	require.Regexp(t, `^dk_test_[0-9a-f]{48}$`, test)
	get := func(k, charge string) int {
		return b.send(t, http.MethodGet, "/api/charges/"+charge, key(k), "").status
	}
	require.Equal(t, http.StatusOK, get(k, s.charge))
	require.Equal(t, http.StatusNotFound, get(k, other.charge))
	require.Equal(t, http.StatusNotFound, get(test, s.charge), "of the other mode")
	for name, bad := range map[string]string{
		"made up": secret.NewScopedKey(true), "of the other prefix": strings.Replace(k, "dk_live_", "dk_test_", 1), "upper case": strings.ToUpper(k),
		"short": k[:len(k)-1], "long": k + "0", "of the contract's prefix": strings.Replace(k, "dk_", "cm_", 1), "two": k + "," + k,
	} {
		require.Equal(t, http.StatusUnauthorized, get(bad, s.charge), name)
	}
	var dump string
	require.NoError(t, b.store.Pool().QueryRow(t.Context(), "SELECT json_agg(k)::text FROM scoped_keys k").Scan(&dump))
	require.NotContains(t, dump, k[len("dk_live_")+4:], "the key is not stored")

	id := live.text(t, "details.id")
	b.revoke(t, other.shop, id).require(t, http.StatusNotFound)
	require.Equal(t, http.StatusOK, get(k, s.charge))
	b.revoke(t, s.shop, id).require(t, http.StatusOK)
	require.Equal(t, http.StatusUnauthorized, get(k, s.charge))
	b.revoke(t, s.shop, id).require(t, http.StatusNotFound)
	require.NotContains(t, b.as(t, s.shop, http.MethodGet, "/api/account/application-keys", "").body, id)

	mine := b.grant(t, other.shop, "live", permission.ViewInvoices).text(t, "key")
	b.suspend(t, other.shop)
	b.send(t, http.MethodGet, "/api/charges", key(mine), "").require(t, http.StatusForbidden)
	gone := b.signup(t)
	mine = b.grant(t, gone, "live", permission.ViewInvoices).text(t, "key")
	b.deleteAccount(t, gone, password).require(t, http.StatusOK)
	b.send(t, http.MethodGet, "/api/charges", key(mine), "").require(t, http.StatusUnauthorized)
	require.Empty(t, rowsOf[string](t, b, "SELECT id FROM scoped_keys WHERE merchant_id = '"+gone.id+"'"))
}

// TestMadeUpScopedKeysAreNotLookedUp checks that these keys are counted together with those of
// the contract.
func TestMadeUpScopedKeysAreNotLookedUp(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	counts := map[int]int{}
	for i := range 70 {
		counts[b.send(t, http.MethodGet, "/api/charges", key(secret.NewScopedKey(i%2 == 0)), "").status]++
	}
	require.Equal(t, map[int]int{http.StatusUnauthorized: 60, http.StatusTooManyRequests: 10}, counts)
}

func TestScopedKeysAreMadeByHand(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	for _, body := range []string{
		`{}`, `{"label":"","mode":"live","permissions":["btcpay.store.canviewinvoices"]}`, `{"label":"x","mode":"live","permissions":[]}`,
		`{"label":"x","mode":"both","permissions":["btcpay.store.canviewinvoices"]}`, `{"label":"x","mode":"live","permissions":"x"}`,
		`{"label":"x","mode":"live","permissions":["durapay.store.canmovemoney"]}`, `{"label":"x","mode":"live","permissions":["btcpay.user.candeleteuser"]}`,
		`{"label":"x\u0000","mode":"live","permissions":["btcpay.store.canviewinvoices"]}`, `{"label":1}`, `[]`,
		fmt.Sprintf(`{"label":%q,"mode":"live","permissions":["btcpay.store.canviewinvoices"]}`, strings.Repeat("ж", 101)),
	} {
		b.as(t, s, http.MethodPost, "/api/account/application-keys", body).require(t, http.StatusBadRequest, body)
	}
	body := fmt.Sprintf(`{"label":%q,"mode":"sandbox","permissions":["btcpay.store.cancreateinvoice","btcpay.store.canviewinvoices"]}`, strings.Repeat("ж", 100))
	made := b.as(t, s, http.MethodPost, "/api/account/application-keys", body).require(t, http.StatusOK)
	list := b.as(t, s, http.MethodGet, "/api/account/application-keys", "").require(t, http.StatusOK)
	require.NotContains(t, list.body, made.text(t, "key"))
	var keys struct {
		Keys []map[string]any `json:"keys"`
	}
	require.NoError(t, json.Unmarshal([]byte(list.body), &keys))
	require.Len(t, keys.Keys, 1)
	require.Equal(t, []any{"btcpay.store.cancreateinvoice", "btcpay.store.canviewinvoices"}, keys.Keys[0]["permissions"])
	require.Nil(t, keys.Keys[0]["last_used_at"])
	g := b.guard(t)
	b.as(t, g.shop, http.MethodPost, "/api/account/application-keys", body).require(t, http.StatusBadRequest, "a code is missing")
	b.as(t, g.shop, http.MethodPost, "/api/account/application-keys", strings.Replace(body, "{", fmt.Sprintf(`{"totp_code":%q,`, b.code(t, g.secret, 0)), 1)).
		require(t, http.StatusOK)
	for range 99 {
		b.grant(t, s, "live", permission.ViewInvoices)
	}
	b.as(t, s, http.MethodPost, "/api/account/application-keys", body).require(t, http.StatusBadRequest, "100 are the most")
	require.Len(t, b.keysOf(t, s), 100)
}

// TestLastUseIsKnownToAMinute checks that the last use is recorded in the background, and once a
// minute.
func TestLastUseIsKnownToAMinute(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	k := b.grant(t, s, "live", permission.ViewInvoices).text(t, "key")
	use := func() {
		b.send(t, http.MethodGet, "/api/charges", key(k), "").require(t, http.StatusOK)
	}
	used := func() time.Time {
		return rowsOf[time.Time](t, b, "SELECT coalesce(last_used_at, 'epoch') FROM scoped_keys WHERE merchant_id = '"+s.id+"'")[0]
	}
	written := func() {
		require.Eventually(t, func() bool { use(); return used().Equal(b.clock.Now()) }, maxWait, 5*time.Millisecond)
	}
	written()
	b.clock.advance(time.Minute - time.Millisecond)
	use()
	b.clock.advance(time.Millisecond)
	written() // this succeeds only if the use before it was not recorded
}

// TestRevokedWhileItIsUsed checks that every use is refused that begins after the revocation was
// answered.
func TestRevokedWhileItIsUsed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	made := b.grant(t, s, "live", permission.ModifyStoreSettings)
	k := key(made.text(t, "key"))
	var users sync.WaitGroup
	revoked := make(chan struct{})
	late := make(chan int, 4)
	for range cap(late) {
		users.Go(func() {
			for {
				over := false
				select {
				case <-revoked:
					over = true
				default:
				}
				status := b.statusOf(t.Context(), "/api/payment-requests", k, `{"amount":1,"currency":"USD"}`)
				if over {
					late <- status
					return
				}
			}
		})
	}
	b.revoke(t, s, made.text(t, "details.id")).require(t, http.StatusOK)
	close(revoked)
	users.Wait()
	for range cap(late) {
		require.Equal(t, http.StatusUnauthorized, <-late)
	}
	// A body that arrives after the revocation changes nothing.
	made = b.grant(t, s, "live", permission.ModifyPaymentRequests)
	n := b.count(t, "payment_requests")
	require.Equal(t, http.StatusUnauthorized, b.meanwhile(t, http.MethodPost, "/api/payment-requests", key(made.text(t, "key")), `{"amount":1,"currency":"USD"}`, func() {
		b.revoke(t, s, made.text(t, "details.id")).require(t, http.StatusOK)
	}))
	require.Equal(t, n, b.count(t, "payment_requests"))
}

// TestTheGuardOfTheGreenfieldSurface tests the guard's header, its permission and the store in
// the path.
func TestTheGuardOfTheGreenfieldSurface(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, other := b.signup(t), b.signup(t)
	errors := httpapi.Errors{}
	guard := access.NewGuard(access.GuardSettings{Store: b.store, Limits: access.NewLimits(access.LimitSettings{Clock: b.clock.Now}), Errors: errors, Clock: b.clock.Now})
	router := chi.NewRouter()
	api := humachi.New(router, huma.DefaultConfig("", ""))
	for path, required := range map[string]permission.Permission{"/stores/{storeId}/view": permission.ViewInvoices, "/view": permission.ViewInvoices, "/any": ""} {
		api.Adapter().Handle(&huma.Operation{Method: http.MethodGet, Path: path}, func(ctx huma.Context) {
			guard.NeedPermission(required, func(ctx huma.Context) string { return ctx.Param("storeId") })(ctx, func(ctx huma.Context) {
				caller := access.Of[access.Key](ctx.Context())
				ctx.SetHeader("Caller", caller.MerchantID+" "+caller.Label+" "+string(caller.Mode))
				ctx.SetStatus(http.StatusOK)
			})
		})
	}
	ask := func(path, authorization string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("Authorization", authorization)
		w := httptest.NewRecorder()
		router.ServeHTTP(w, r)
		return w
	}
	view := b.grant(t, s, "live", permission.ViewStoreSettings).text(t, "key")
	hooks := b.grant(t, s, "live", permission.ModifyWebhooks).text(t, "key")
	mine, theirs := "/stores/"+s.id+"/view", "/stores/"+other.id+"/view"
	for _, c := range []struct {
		path, header string
		want         int
	}{
		{mine, "token " + view, http.StatusOK}, {mine, "Token  " + view, http.StatusOK}, {mine, "Bearer " + view, http.StatusOK},
		{mine, "token " + s.live, http.StatusOK}, {mine, "Bearer " + s.live, http.StatusUnauthorized}, {mine, "", http.StatusUnauthorized},
		{mine, view, http.StatusUnauthorized}, {mine, "Basic " + view, http.StatusUnauthorized}, {mine, "token " + secret.NewScopedKey(true), http.StatusUnauthorized},
		{mine, "token " + s.token, http.StatusUnauthorized}, {mine, "token " + hooks, http.StatusForbidden}, {theirs, "token " + view, http.StatusForbidden},
		{theirs, "token " + s.live, http.StatusForbidden}, {"/stores/x/view", "token " + view, http.StatusForbidden},
		{"/view", "token " + view, http.StatusOK}, {"/view", "token " + hooks, http.StatusForbidden}, {"/any", "token " + hooks, http.StatusOK},
	} {
		w := ask(c.path, c.header)
		require.Equal(t, c.want, w.Code, "%s %s: %s", c.path, c.header, w.Body)
		if c.want == http.StatusForbidden {
			require.Contains(t, w.Body.String(), string(permission.ViewInvoices))
		}
	}
	require.Equal(t, s.id+" Web shop "+string(config.Live), ask(mine, "token "+view).Header().Get("Caller"))
}
