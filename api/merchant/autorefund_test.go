package merchant_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/permission"
)

// refundBench runs the workflows of refunds. A test moves the API's clock ahead by adding to the
// returned number.
func refundBench(t *testing.T, change ...func(*merchant.Deps)) (*bench, *atomic.Int64) {
	t.Helper()
	ahead := &atomic.Int64{}
	change = append([]func(*merchant.Deps){withStepUp, func(d *merchant.Deps) {
		d.Clock = func() time.Time { return time.Now().UTC().Add(time.Duration(ahead.Load())) }
	}}, change...)
	return setupWithTemporal(t, change...), ahead
}

// lets sets the amount up to which refunds need no approval.
func (b *bench) lets(t *testing.T, s shop, xmr string) answer {
	t.Helper()
	return b.as(t, s, http.MethodPut, "/api/account/refunds", `{"auto_up_to_xmr":`+xmr+`}`).require(t, http.StatusOK)
}

// gained is earned with a payment that can be refunded.
func (b *bench) gained(t *testing.T, s shop, amount money.Piconero) string {
	t.Helper()
	id := b.earned(t, s, amount)
	b.exec(t, "UPDATE received_payments SET mature = true WHERE charge_id = $1", id)
	return id
}

const tenthOfOne = `{"variant":"Custom","amount":0.1,"currency":"XMR"}`

// gives makes two refunds of 0.1 XMR, one by our own API and one by the Greenfield API. It
// returns for each whether it needs no approval.
func (b *bench) gives(t *testing.T, s shop, charge, k string) (itself []any) {
	t.Helper()
	own := b.send(t, http.MethodPost, "/api/charges/"+charge+"/refunds", key(k), tenthOfOne).require(t, http.StatusOK)
	theirs := b.send(t, http.MethodPost, "/api/v1/stores/"+s.id+"/invoices/"+charge+"/refund", token(k),
		`{"refundVariant":"Custom","customAmount":"0.1","customCurrency":"XMR"}`).require(t, http.StatusOK)
	return []any{own.field(t, "automatic"), theirs.field(t, "autoApproveClaims")}
}

// TestAnApplicationPaysNothingOutThatItWasNotGranted checks that an application that may only
// propose refunds does only that, even if the merchant lets other callers refund without
// approval.
func TestAnApplicationPaysNothingOutThatItWasNotGranted(t *testing.T) {
	t.Parallel()
	b, _ := refundBench(t)
	s := b.signup(t)
	b.lets(t, s, "0.1")
	charge := b.gained(t, s, 3*money.OneXMR)
	for _, granted := range [][]permission.Permission{
		{permission.CreateNonApprovedPullPayments}, {permission.ManagePullPayments}, {permission.ModifyStoreSettings},
	} {
		k := b.scoped(t, s, "Plugin", granted...)
		require.Equal(t, []any{false, false}, b.gives(t, s, charge, k), granted)
	}
	made := b.send(t, http.MethodPost, "/api/charges/"+charge+"/refunds", key(b.scoped(t, s, "Plugin", permission.CreateNonApprovedPullPayments)), tenthOfOne)
	link := made.require(t, http.StatusOK).text(t, "link")
	claim := fmt.Sprintf(`{"token":%q,"address":%q}`, link[strings.LastIndex(link, "/")+1:], buyersAddress)
	claimed := b.send(t, http.MethodPost, "/api/refunds/"+made.text(t, "id")+"/claims", anonymous(), claim).require(t, http.StatusOK)
	require.Contains(t, claimed.body, `"awaiting_approval"`)

	granted := b.scoped(t, s, "Plugin", permission.CreatePullPayments)
	require.Equal(t, []any{true, true}, b.gives(t, s, charge, granted), "the permission for it")
	require.Equal(t, []any{true, true}, b.gives(t, s, charge, s.live), "the account's own key")
	for range 3 {
		b.gives(t, s, charge, s.live)
	}
	require.Equal(t, []any{false, false}, b.gives(t, s, charge, granted), "ten on a day, whichever key")
	require.Equal(t, []string{"10"}, rowsOf[string](t, b, "SELECT count(*)::text FROM refunds WHERE automatic"))

	// The link of an automatic refund is worth its money.
	seen := func(granted ...permission.Permission) string {
		k := b.scoped(t, s, "lists", granted...)
		all := b.send(t, http.MethodGet, "/api/v1/stores/"+s.id+"/pull-payments", token(k), "").require(t, http.StatusOK).body
		for _, id := range rowsOf[string](t, b, "SELECT id FROM refunds WHERE automatic") {
			all += b.send(t, http.MethodGet, "/api/refunds/"+id, key(k), "").require(t, http.StatusOK).body
			all += b.send(t, http.MethodPost, "/api/refunds/"+id+"/cancel", key(k), `{"claim_id":"rc_0123456789abcdef01234567"}`).body
		}
		return all
	}
	itself := rowsOf[string](t, b, "SELECT id FROM refunds WHERE automatic")
	for _, body := range []string{seen(permission.ManagePullPayments), seen(permission.ModifyStoreSettings)} {
		for _, id := range itself {
			require.NotRegexp(t, id+`[-/][0-9a-f]{64}`, body)
		}
	}
	require.Regexp(t, itself[0]+`[-/][0-9a-f]{64}`, seen(permission.ManagePullPayments, permission.CreatePullPayments))
}

// TestAStolenCookiePaysNothingOut checks that the desk asks for the password before it makes a
// refund that needs no approval, and only then.
func TestAStolenCookiePaysNothingOut(t *testing.T) {
	t.Parallel()
	b, ahead := refundBench(t)
	s := b.signup(t)
	b.lets(t, s, "0.1")
	charge := b.gained(t, s, money.OneXMR)
	desk := b.enterShop(t, s, "")
	ahead.Add(int64(account.StepUpLife + time.Second))
	form := func(amount string) url.Values {
		code := formCode.FindStringSubmatch(desk.page(t, "/charges/"+charge))
		require.NotNil(t, code)
		return url.Values{"variant": {"Custom"}, "amount": {amount}, "currency": {"XMR"}, "form": {code[1]}}
	}
	automatic := func() []string {
		return rowsOf[string](t, b, "SELECT automatic::text FROM refunds ORDER BY created_at")
	}
	require.Equal(t, http.StatusOK, desk.send(t, http.MethodPost, "/charges/"+charge+"/refunds", form("0.2")).status, "one that waits for approval")
	require.Equal(t, []string{"false"}, automatic())

	sent := form("0.1")
	asked := desk.send(t, http.MethodPost, "/charges/"+charge+"/refunds", sent)
	require.Equal(t, http.StatusForbidden, asked.status)
	require.Contains(t, asked.body, `name="step_up_password"`)
	require.Equal(t, []string{"false"}, automatic())
	sent.Set("form", formCode.FindStringSubmatch(asked.body)[1])
	sent.Set("step_up_password", "wrong password")
	require.Equal(t, http.StatusForbidden, desk.send(t, http.MethodPost, "/charges/"+charge+"/refunds", sent).status)
	require.Equal(t, []string{"false"}, automatic())
	sent.Set("step_up_password", password)
	require.Equal(t, http.StatusOK, desk.send(t, http.MethodPost, "/charges/"+charge+"/refunds", sent).status)
	require.Equal(t, []string{"false", "true"}, automatic())
}

// TestMoreWithoutApprovalIsHeld simulates a thief with the password who raises the amount that
// needs no approval. Nothing is paid before the owner could object.
func TestMoreWithoutApprovalIsHeld(t *testing.T) {
	t.Parallel()
	b, _ := refundBench(t, func(d *merchant.Deps) { d.PayoutHold, d.Mails = 24*time.Hour, true })
	s := b.signup(t)
	held := func(a answer) bool { return strings.Contains(a.body, `"hold_until":"`) }
	notices := func() []string {
		return rowsOf[string](t, b, "SELECT kind FROM account_notices WHERE hold_until IS NOT NULL")
	}
	charge := b.gained(t, s, money.OneXMR)
	require.True(t, held(b.lets(t, s, "0.1")))
	require.Equal(t, []string{"refund_approval"}, notices())
	require.Contains(t, b.as(t, s, http.MethodGet, "/api/auth/me", "").body, `"refundHoldUntil":"`)
	require.Equal(t, []any{false, false}, b.gives(t, s, charge, s.live))
	require.Nil(t, b.as(t, s, http.MethodGet, "/api/auth/me", "").field(t, "merchant.payoutHoldUntil"), "sweeps go on")

	b.exec(t, "UPDATE merchants SET refund_hold_until = now() WHERE merchant_id = $1", s.id)
	require.Equal(t, []any{true, true}, b.gives(t, s, charge, s.live))
	require.False(t, held(b.lets(t, s, "0.1")), "the same")
	require.False(t, held(b.lets(t, s, "0.05")), "less")
	require.Equal(t, []any{false, false}, b.gives(t, s, charge, s.live), "which counts at once")

	// Automatic refunds wait too after the amount was lowered.
	var id, link string
	for _, row := range rowsOf[string](t, b, "SELECT id FROM refunds WHERE automatic LIMIT 1") {
		id, link = row, b.send(t, http.MethodGet, "/api/refunds/"+row, key(s.live), "").require(t, http.StatusOK).text(t, "link")
	}
	claim := fmt.Sprintf(`{"token":%q,"address":%q}`, link[strings.LastIndex(link, "/")+1:], buyersAddress)
	require.Contains(t, b.send(t, http.MethodPost, "/api/refunds/"+id+"/claims", anonymous(), claim).require(t, http.StatusOK).body, `"awaiting_approval"`)

	byKey := func() answer { return b.send(t, http.MethodPost, "/api/refunds/"+id+"/approve", key(s.live), "{}") }
	byKey().require(t, http.StatusForbidden)
	require.True(t, held(b.as(t, s, http.MethodPut, "/api/account/refunds", `{"auto_up_to_xmr":0.05,"approve_by_key":true}`)))
	require.Contains(t, byKey().require(t, http.StatusForbidden).body, "until")
	b.exec(t, "UPDATE merchants SET refund_hold_until = now() WHERE merchant_id = $1", s.id)
	byKey().require(t, http.StatusOK)
}

// TestMoreForSupportIsHeld checks that a higher limit for support is on hold like a higher limit
// for keys, also if an invite sets it.
func TestMoreForSupportIsHeld(t *testing.T) {
	t.Parallel()
	b, _ := refundBench(t, func(d *merchant.Deps) { d.PayoutHold, d.Mails = 24*time.Hour, true })
	s, person := b.signup(t), b.signup(t)
	b.employ(t, s, person, permission.Support)
	notices := func() int {
		return len(rowsOf[string](t, b, "SELECT kind FROM account_notices WHERE kind = 'refund_approval' AND hold_until IS NOT NULL"))
	}
	role := func(body string) {
		b.as(t, s, http.MethodPut, "/api/account/staff/"+person.id, body).require(t, http.StatusOK)
	}
	role(`{"role":"support"}`)
	require.Zero(t, notices())
	role(`{"role":"support","refunds_a_day_xmr":0.5}`)
	require.Equal(t, 1, notices())
	require.Contains(t, b.as(t, s, http.MethodGet, "/api/auth/me", "").body, `"refundHoldUntil":"`)
	role(`{"role":"support","refunds_a_day_xmr":0.5}`)
	role(`{"role":"support","refunds_a_day_xmr":0.1}`)
	require.Equal(t, 1, notices(), "not more")
	b.invited(t, s, `{"role":"support","refunds_a_day_xmr":0.1}`)
	require.Equal(t, 2, notices())
	b.invited(t, s, `{"role":"cashier"}`)
	require.Equal(t, 2, notices())
}

// TestTheOwnerIsNotifiedOfTheFirstApprovalOfASession checks that the merchant is notified of the first
// approval in a session, and not of the following ones.
func TestTheOwnerIsNotifiedOfTheFirstApprovalOfASession(t *testing.T) {
	t.Parallel()
	b, _ := refundBench(t, func(d *merchant.Deps) { d.Mails = true })
	s := b.signup(t)
	charge := b.gained(t, s, money.OneXMR)
	approve := func(token string) {
		made := b.send(t, http.MethodPost, "/api/charges/"+charge+"/refunds", key(s.live), tenthOfOne).require(t, http.StatusOK)
		id, link := made.text(t, "id"), regexp.MustCompile(`[0-9a-f]{64}$`).FindString(made.text(t, "link"))
		b.send(t, http.MethodPost, "/api/account/refunds/"+id+"/approve", session(token), "{}").require(t, http.StatusBadRequest, "there is no claim")
		b.send(t, http.MethodPost, "/api/refunds/"+id+"/claims", anonymous(), fmt.Sprintf(`{"token":%q,"address":%q}`, link, buyersAddress)).require(t, http.StatusOK)
		for range 2 {
			b.send(t, http.MethodPost, "/api/account/refunds/"+id+"/approve", session(token), "{}").require(t, http.StatusOK)
		}
	}
	notices := func() []string { return rowsOf[string](t, b, "SELECT kind FROM account_notices") }
	approve(s.token)
	require.Equal(t, []string{"refund_approved"}, notices())
	approve(s.token)
	require.Equal(t, []string{"refund_approved"}, notices())
	approve(b.login(t, s.email, password).require(t, http.StatusOK).text(t, "token"))
	require.Equal(t, []string{"refund_approved", "refund_approved"}, notices())
}
