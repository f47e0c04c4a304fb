package merchant_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/testclock"
)

const clocksPath = "/v1/test_helpers/test_clocks"

// clockForm posts a form as Stripe's clients do; idempotent is empty for no key.
func (b *bench) clockForm(t *testing.T, path, apiKey, idempotent string, form url.Values) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.url+path, strings.NewReader(form.Encode()))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Authorization", "Bearer "+apiKey)
	if idempotent != "" {
		req.Header.Set("Idempotency-Key", idempotent)
	}
	return do(t, req)
}

// at is the form of a time.
func at(seconds int64) url.Values { return url.Values{"frozen_time": {fmt.Sprint(seconds)}} }

// clockTime is where the clocks of these tests begin: 2031-01-01.
const clockTime = 1_924_992_000

func TestTestClocksAreMadeAndListed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, other := b.signup(t), b.signup(t)
	var ids []string
	for i := range 3 {
		b.clock.advance(time.Second)
		form := at(clockTime + int64(i))
		form.Set("name", fmt.Sprint("clock ", i))
		form.Set("expand[0]", "anything")
		made := b.clockForm(t, clocksPath, s.test, fmt.Sprint("key ", i), form).require(t, http.StatusOK)
		again := b.clockForm(t, clocksPath, s.test, fmt.Sprint("key ", i), form).require(t, http.StatusOK)
		require.Equal(t, made.body, again.body, "the same key, the same clock")
		require.Contains(t, made.body, `"object":"test_helpers.test_clock"`)
		require.Contains(t, made.body, fmt.Sprintf(`"frozen_time":%d,"livemode":false,"name":"clock %d","status":"ready","status_details":{}`, clockTime+i, i))
		ids = append(ids, made.text(t, "id"))
	}
	who := session(s.test)
	list := func(query string) answer {
		return b.send(t, http.MethodGet, clocksPath+query, who, "").require(t, http.StatusOK, query)
	}
	page := func(query string) (page []string) {
		for _, c := range list(query).field(t, "data").([]any) {
			page = append(page, c.(map[string]any)["id"].(string))
		}
		return page
	}
	require.Equal(t, []string{ids[2], ids[1], ids[0]}, page(""))
	require.Equal(t, []string{ids[2], ids[1]}, page("?limit=2"))
	require.Equal(t, true, list("?limit=2").field(t, "has_more"))
	require.Equal(t, clocksPath, list("").text(t, "url"))
	require.Equal(t, []string{ids[0]}, page("?limit=2&starting_after="+ids[1]))
	require.Equal(t, []string{ids[1]}, page("?limit=1&ending_before="+ids[0]))
	require.Equal(t, []string{ids[2], ids[1]}, page("?ending_before="+ids[0]))
	b.send(t, http.MethodGet, clocksPath+"/"+ids[0], who, "").require(t, http.StatusOK)
	require.Equal(t, http.StatusNotFound, b.send(t, http.MethodGet, clocksPath+"/"+ids[0], session(other.test), "").status)
	require.Contains(t, b.send(t, http.MethodGet, clocksPath, session(other.test), "").require(t, http.StatusOK).body, `"data":[]`)
	require.Equal(t, "idempotency_error", b.clockForm(t, clocksPath, s.test, "key 0", at(clockTime+9)).text(t, "error.type"))
}

func TestTestClocksRefuseInStripesWords(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	post := func(form url.Values) answer { return b.clockForm(t, clocksPath, s.test, "", form) }
	refused := func(a answer, status int, code, param string) {
		t.Helper()
		require.Equal(t, status, a.status, a.body)
		require.Equal(t, "invalid_request_error", a.text(t, "error.type"), a.body)
		require.NotEmpty(t, a.text(t, "error.message"))
		if code != "" {
			require.Equal(t, code, a.text(t, "error.code"), a.body)
		}
		if param != "" {
			require.Equal(t, param, a.text(t, "error.param"), a.body)
		}
	}
	refused(post(url.Values{}), http.StatusBadRequest, "parameter_missing", "frozen_time")
	refused(post(url.Values{"frozen_time": {"soon"}}), http.StatusBadRequest, "parameter_invalid_integer", "frozen_time")
	refused(post(at(1)), http.StatusBadRequest, "", "frozen_time")
	refused(post(at(1<<62)), http.StatusBadRequest, "", "frozen_time")
	refused(post(url.Values{"frozen_time": {"1924992000", "1924992000"}}), http.StatusBadRequest, "", "frozen_time")
	refused(post(url.Values{"frozen_time": {"1924992000"}, "speed": {"2"}}), http.StatusBadRequest, "parameter_unknown", "speed")
	refused(post(url.Values{"frozen_time": {"1924992000"}, "name": {strings.Repeat("x", testclock.MaxName+1)}}), http.StatusBadRequest, "", "name")
	refused(post(url.Values{"frozen_time": {"1924992000"}, "name": {"\xff"}}), http.StatusBadRequest, "", "name")
	refused(post(url.Values{"frozen_time": {"1924992000"}, "name": {strings.Repeat("x", 20_000)}}), http.StatusBadRequest, "", "")
	refused(b.sendAs(t, http.MethodPost, clocksPath, session(s.test), "application/json", `{"frozen_time":1}`), http.StatusBadRequest, "", "")
	for _, who := range []as{nobody(), session("x"), session(s.token), key(s.test)} {
		refused(b.send(t, http.MethodGet, clocksPath, who, ""), http.StatusUnauthorized, "", "")
	}
	refused(b.send(t, http.MethodGet, clocksPath, session(s.live), ""), http.StatusForbidden, "", "")
	get := func(path string) answer { return b.send(t, http.MethodGet, clocksPath+path, session(s.test), "") }
	for _, id := range []string{"clock_0123456789abcdef01234567", "x", "%00", "%ff"} {
		refused(get("/"+id), http.StatusNotFound, "resource_missing", "")
	}
	refused(get("?limit=0"), http.StatusBadRequest, "", "limit")
	refused(get("?limit=x"), http.StatusBadRequest, "parameter_invalid_integer", "limit")
	refused(get("?starting_after=clock_0"), http.StatusNotFound, "resource_missing", "starting_after")
	refused(get("?starting_after=a&ending_before=b"), http.StatusBadRequest, "", "")
	refused(b.send(t, http.MethodGet, "/v1/customers", session(s.test), ""), http.StatusNotFound, "", "")
	refused(b.send(t, http.MethodPut, clocksPath, session(s.test), ""), http.StatusMethodNotAllowed, "", "")
}

func TestAMerchantHasSoManyTestClocks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	for i := range testclock.MaxOfMerchant {
		b.clockForm(t, clocksPath, s.test, "", at(clockTime+int64(i))).require(t, http.StatusOK)
	}
	require.Contains(t, b.clockForm(t, clocksPath, s.test, "", at(clockTime)).text(t, "error.message"), "delete one first")
}

// testBoundCharge: only a charge of the sandbox is bound, to a clock of its merchant.
func testBoundCharge(t *testing.T, b *bench) {
	s, other := b.signup(t), b.signup(t)
	clock := b.clockForm(t, clocksPath, s.test, "", at(clockTime)).require(t, http.StatusOK).text(t, "id")
	body := `{"amount":1,"test_clock":"` + clock + `"}`
	made := b.send(t, http.MethodPost, "/api/charges", key(s.test), body).require(t, http.StatusOK)
	require.Equal(t, clock, made.text(t, "test_clock"))
	require.Equal(t, "2031-01-01T00:00:00.000Z", made.text(t, "created_at"))
	require.Equal(t, "2031-01-01T01:00:00.000Z", made.text(t, "expires_at"))
	b.send(t, http.MethodPost, "/api/charges", key(s.live), body).require(t, http.StatusForbidden)
	b.send(t, http.MethodPost, "/api/charges", key(other.test), body).require(t, http.StatusNotFound)
	b.send(t, http.MethodPost, "/api/charges", key(s.test), `{"amount":1,"test_clock":"x"}`).require(t, http.StatusNotFound)
	require.NotContains(t, b.send(t, http.MethodPost, "/api/charges", key(s.test), `{"amount":1}`).require(t, http.StatusOK).body, "test_clock")
}

// TestChargesOfATestClockAreFound, whatever time it shows, also at the desk.
func TestChargesOfATestClockAreFound(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, other := b.signup(t), b.signup(t)
	clock := b.clockForm(t, clocksPath, s.test, "", at(clockTime)).require(t, http.StatusOK).text(t, "id")
	unused := b.clockForm(t, clocksPath, s.test, "", at(clockTime)).require(t, http.StatusOK).text(t, "id")
	bound, free := b.simulatedCharge(t, s), b.simulatedCharge(t, s)
	b.exec(t, "UPDATE charges SET test_clock_id = $1, created_at = to_timestamp($2), description = 'Zwei Karten' WHERE id = $3", clock, clockTime, bound)
	found := func(who as, query string) (ids []string) {
		for _, c := range b.send(t, http.MethodGet, "/api/charges?"+query, who, "").require(t, http.StatusOK, query).field(t, "charges").([]any) {
			ids = append(ids, c.(map[string]any)["id"].(string))
		}
		return ids
	}
	me := key(s.test)
	require.Equal(t, []string{bound}, found(me, "test_clock="+clock))
	require.Equal(t, []string{bound}, found(me, "test_clock="+clock+"&text=karten&invoice_status=New"))
	require.Empty(t, found(me, "test_clock="+clock+"&invoice_status=Settled"))
	require.Empty(t, found(me, "test_clock="+clock+"&text=other"))
	require.Empty(t, found(me, "test_clock="+unused))
	require.Empty(t, found(key(s.live), "test_clock="+clock))
	require.Empty(t, found(key(other.test), "test_clock="+clock))
	require.Equal(t, []string{bound, free}, found(me, "limit=50"), "a search without an end does not end with the year")
	for _, wrong := range []string{"x", "", "clock_%00", "ch_0"} {
		b.send(t, http.MethodGet, "/api/charges?test_clock="+wrong, me, "").require(t, http.StatusBadRequest, wrong)
	}
	v := b.enterShop(t, s, "").inSandbox(t)
	require.Contains(t, v.page(t, "/charges"), bound)
	page := v.page(t, "/test-clocks/"+clock)
	require.Contains(t, page, bound)
	require.NotContains(t, page, free)
	require.Contains(t, v.page(t, "/charges/"+bound), `href="/test-clocks/`+clock+`"`)
}

// testClocksAtTheDesk makes, advances and deletes a clock with forms, each of them with an
// idempotency key that is sent twice.
func testClocksAtTheDesk(t *testing.T, b *bench) {
	s := b.signup(t)
	v := b.enterShop(t, s, "").inSandbox(t)
	twice := func(path string, form url.Values) answer {
		form.Set("once", secret.NewID("desk-"))
		first, second := v.post(t, path, form), v.post(t, path, form)
		require.Equal(t, http.StatusSeeOther, first.status, first.body)
		require.Equal(t, first.header.Get("Location"), second.header.Get("Location"), second.body)
		return first
	}
	here := twice("/test-clocks", url.Values{"time": {"2031-01-01T00:00"}, "name": {"a checkout"}}).header.Get("Location")
	clock := strings.TrimPrefix(here, "/test-clocks/")
	require.Equal(t, 1, strings.Count(v.page(t, "/test-clocks"), `<a href="/test-clocks/`))
	require.Contains(t, v.page(t, "/ask?test_clock="+clock), `value="`+clock+`" selected`)
	asked := v.post(t, "/ask", url.Values{"amount": {"1"}, "currency": {"XMR"}, "test_clock": {clock}})
	charge := strings.TrimPrefix(asked.header.Get("Location"), "/charges/")
	state := func() answer {
		return b.send(t, http.MethodGet, "/api/charges/"+charge, key(s.test), "").require(t, http.StatusOK)
	}
	require.Equal(t, clock, state().text(t, "test_clock"))
	ready := func(at int64) {
		t.Helper()
		require.Eventually(t, func() bool {
			now := b.send(t, http.MethodGet, clocksPath+"/"+clock, session(s.test), "").require(t, http.StatusOK)
			return now.text(t, "status") == "ready" && strings.Contains(now.body, fmt.Sprintf(`"frozen_time":%d`, at))
		}, time.Minute, 50*time.Millisecond)
	}
	twice(here+"/advance", url.Values{"frozen_time": {fmt.Sprint(clockTime + 1800)}}).leads(t, here+"?done=1")
	ready(clockTime + 1800)
	require.Equal(t, "pending", state().text(t, "status"))
	require.Contains(t, v.page(t, here), fmt.Sprintf(`name="frozen_time" value="%d"`, clockTime+1800+3600), "an hour from its time")
	twice(here+"/advance", url.Values{"time": {"2031-01-01T02:00"}})
	ready(clockTime + 7200)
	require.Equal(t, "expired", state().text(t, "status"))
	back := v.post(t, here+"/advance", url.Values{"time": {"2031-01-01T01:00"}})
	require.Equal(t, http.StatusBadRequest, back.status)
	require.Contains(t, back.problem(t), "frozen_time must be later than", "the API's words")
	require.Contains(t, back.body, `value="2031-01-01T01:00"`, "what was filled in stays")
	require.Contains(t, v.post(t, "/test-clocks", url.Values{"time": {"soon"}}).problem(t), "Invalid integer: soon")
	v.post(t, here+"/delete", nil).leads(t, "/test-clocks?done=1")
	require.Equal(t, http.StatusNotFound, v.send(t, http.MethodGet, here, nil).status)
	require.Equal(t, http.StatusForbidden, b.enterShop(t, s, "").post(t, "/test-clocks", url.Values{"time": {"2031-01-01T00:00"}}).status, "not in live mode")
}

// testStripesClient drives a clock with Stripe's own client: a charge expires by it, and
// a webhook tells of that.
func testStripesClient(t *testing.T, b *bench) {
	s := b.signup(t)
	hookURL, got := receiver(t, http.StatusNoContent)
	b.webhook(t, s, `{"url":"`+hookURL+`","events":["charge.expired"]}`).require(t, http.StatusOK)
	stripe := startStripe(t, b.url, s.test)

	clock := stripe.clock(t, "create", map[string]any{"frozen_time": clockTime, "name": "a checkout"})
	require.Equal(t, stripeClock{
		ID: clock.ID, Object: "test_helpers.test_clock", Created: clock.Created, DeletesAfter: clock.Created + int64(testclock.Life.Seconds()),
		FrozenTime: clockTime, Name: "a checkout", Status: "ready",
	}, clock)
	made := b.send(t, http.MethodPost, "/api/charges", key(s.test), `{"amount":1,"test_clock":"`+clock.ID+`"}`).require(t, http.StatusOK)

	require.Contains(t, []string{"advancing", "ready"}, stripe.clock(t, "advance", clock.ID, map[string]any{"frozen_time": clockTime + 3000}).Status)
	stripe.awaitReady(t, clock.ID, clockTime+3000)
	charge := func() answer {
		return b.send(t, http.MethodGet, "/api/charges/"+made.text(t, "id"), key(s.test), "").require(t, http.StatusOK)
	}
	require.Equal(t, "pending", charge().text(t, "status"), "fifty minutes are not an hour")
	stripe.clock(t, "advance", clock.ID, map[string]any{"frozen_time": clockTime + 2*86400})
	stripe.awaitReady(t, clock.ID, clockTime+2*86400)
	require.Equal(t, "expired", charge().text(t, "status"), "ready says that it has happened")
	told := await(t, got)
	require.Contains(t, told.body, `"event":"charge.expired"`)
	require.Contains(t, told.body, made.text(t, "id"))
	require.Contains(t, told.body, `"expires_at":"2031-01-01T01:00:00.000Z"`)
	emitted, err := time.Parse(time.RFC3339, answer{body: told.body}.text(t, "timestamp"))
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), emitted, 5*time.Minute, "receivers refuse what is older")

	back := stripe.fails(t, "advance", clock.ID, map[string]any{"frozen_time": clockTime})
	require.Equal(t, stripeError{Class: "StripeInvalidRequestError", Type: "invalid_request_error", Param: "frozen_time", Message: back.Message}, back)
	second := stripe.clock(t, "create", map[string]any{"frozen_time": clockTime})
	waits := b.send(t, http.MethodPost, "/api/charges", key(s.test), `{"amount":1,"test_clock":"`+second.ID+`"}`).require(t, http.StatusOK)
	var page struct {
		Data    []stripeClock `json:"data"`
		HasMore bool          `json:"has_more"`
	}
	stripe.call(t, &page, "list", map[string]any{"limit": 1})
	require.Equal(t, []stripeClock{second}, page.Data)
	require.True(t, page.HasMore)
	var gone struct{ Deleted bool }
	stripe.call(t, &gone, "del", second.ID)
	require.True(t, gone.Deleted)
	require.Equal(t, "resource_missing", stripe.fails(t, "retrieve", second.ID).Code)
	require.Eventually(t, func() bool {
		return b.send(t, http.MethodGet, "/api/charges/"+waits.text(t, "id"), key(s.test), "").text(t, "status") == "expired"
	}, time.Minute, 50*time.Millisecond, "what waits by a deleted clock expires")
	require.Equal(t, "StripePermissionError", startStripe(t, b.url, s.live).fails(t, "list").Class)
	require.Equal(t, "StripeAuthenticationError", startStripe(t, b.url, secret.NewAPIKey(false)).fails(t, "list").Class)
}
