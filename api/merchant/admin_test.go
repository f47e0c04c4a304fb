package merchant_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
)

// admin creates an operator whose second factor is older than the login.
func (b *bench) admin(t *testing.T) shop {
	t.Helper()
	enabled := b.now()
	s := b.signup(t)
	require.NoError(t, b.store.SetAdmin(t.Context(), db.SetAdminParams{MerchantID: s.id, Admin: true}))
	b.exec(t, "UPDATE merchants SET totp_secret_sealed = '\\x00', totp_enabled_at = $2 WHERE merchant_id = $1", s.id, enabled)
	return s
}

// session returns the token of another session of the shop that begins now.
func (b *bench) session(t *testing.T, s shop) string {
	t.Helper()
	tokens, err := account.NewTokens([]byte(strings.Repeat("k", 32)), b.clock.Now)
	require.NoError(t, err)
	m, err := b.store.GetMerchant(t.Context(), s.id)
	require.NoError(t, err)
	token, err := tokens.Issue(account.Session{MerchantID: s.id, Version: m.TokenVersion})
	require.NoError(t, err)
	return token
}

func (b *bench) as(t *testing.T, s shop, method, path, body string) answer {
	t.Helper()
	return b.send(t, method, path, session(s.token), body)
}

// actions returns the operator's actions in the audit log, the latest first.
func (b *bench) actions(t *testing.T, admin shop) []string {
	t.Helper()
	var names []string
	for _, c := range b.as(t, admin, http.MethodGet, "/api/admin/audit?limit=200", "").require(t, http.StatusOK).field(t, "changes").([]any) {
		change := c.(map[string]any)
		if change["actor"] == admin.id {
			names = append(names, change["action"].(string))
		}
	}
	return names
}

func TestAdminRoutesAreForAdmins(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, admin := b.signup(t), b.admin(t)
	n := 0
	for _, o := range operations(document()) {
		if !o.admin() {
			continue
		}
		n++
		for _, body := range []string{"", "{}", "x"} {
			a := b.as(t, s, o.Method, strings.ReplaceAll(o.Path, "{id}", s.id), body).require(t, http.StatusForbidden, o)
			require.Contains(t, a.body, "operators")
		}
		require.NotEqual(t, http.StatusForbidden, b.as(t, admin, o.Method, strings.ReplaceAll(o.Path, "{id}", "1"), "").status, o)
	}
	require.Equal(t, 28, n)
	b.suspend(t, admin)
	b.as(t, admin, http.MethodGet, "/api/admin/merchants", "").require(t, http.StatusForbidden)
}

func TestSuspension(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, admin := b.signup(t), b.admin(t)
	open := b.charge(t, s, "live")
	path := "/api/admin/merchants/" + s.id
	for range 2 {
		a := b.as(t, admin, http.MethodPost, path+"/suspend", "").require(t, http.StatusOK)
		require.NotNil(t, a.field(t, "suspended_at"))
	}
	b.send(t, http.MethodGet, "/api/charges", key(s.live), "").require(t, http.StatusForbidden)
	b.send(t, http.MethodGet, "/api/charges", key(s.test), "").require(t, http.StatusForbidden)
	b.as(t, s, http.MethodGet, "/api/auth/me", "").require(t, http.StatusForbidden)
	b.login(t, s.email, password).require(t, http.StatusForbidden)
	b.login(t, s.email, "wrong password").require(t, http.StatusUnauthorized, "only who knows the password learns of it")
	b.send(t, http.MethodPost, "/api/charges/button", anonymous(), `{"amount":1,"merchant_id":"`+s.id+`"}`).require(t, http.StatusForbidden)
	b.send(t, http.MethodGet, "/api/charges/"+open+"/public", anonymous(), "").require(t, http.StatusOK, "open charges go on")
	require.Equal(t, http.StatusOK, b.send(t, http.MethodGet, "/pay/"+open, anonymous(), "").status)
	for range 2 {
		a := b.as(t, admin, http.MethodPost, path+"/unsuspend", "").require(t, http.StatusOK)
		require.Nil(t, a.field(t, "suspended_at"))
	}
	b.send(t, http.MethodGet, "/api/charges", key(s.live), "").require(t, http.StatusOK)
	b.as(t, s, http.MethodGet, "/api/auth/me", "").require(t, http.StatusOK)
	b.login(t, s.email, password).require(t, http.StatusOK)
	require.Equal(t, []string{"merchant.unsuspend", "merchant.suspend"}, b.actions(t, admin))
	for _, unknown := range []string{strings.Repeat("0", 32), "x", "%00", "%ff", strings.ToUpper(s.id) + "0"} {
		for _, verb := range []string{"suspend", "unsuspend"} {
			b.as(t, admin, http.MethodPost, "/api/admin/merchants/"+unknown+"/"+verb, "").require(t, http.StatusNotFound, unknown)
		}
	}
}

func TestListOfMerchantsIsPaged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	admin := b.admin(t)
	want := []string{admin.id}
	for range 6 {
		want = append(want, b.signup(t).id)
	}
	var got []string
	for query := "?limit=3"; query != ""; {
		a := b.as(t, admin, http.MethodGet, "/api/admin/merchants"+query, "").require(t, http.StatusOK)
		for _, m := range a.field(t, "merchants").([]any) {
			got = append(got, m.(map[string]any)["merchant_id"].(string))
		}
		query = ""
		if next := a.field(t, "next_cursor"); next != nil {
			query = fmt.Sprintf("?limit=3&cursor=%s", next)
		}
	}
	require.Equal(t, want, got)
	require.Contains(t, b.as(t, admin, http.MethodGet, "/api/admin/merchants", "").body, `"email":"`+admin.email+`"`)
	for _, list := range []string{"merchants", "unmatched", "alerts", "audit"} {
		for _, query := range []string{"?cursor=", "?cursor=0", "?cursor=-1", "?cursor=x", "?cursor=1.5", "?cursor=9223372036854775808", "?limit=0", "?limit=x"} {
			b.as(t, admin, http.MethodGet, "/api/admin/"+list+query, "").require(t, http.StatusBadRequest, list, query)
		}
	}
	for _, list := range []string{"unmatched", "alerts"} {
		b.as(t, admin, http.MethodGet, "/api/admin/"+list+"?status=all", "").require(t, http.StatusBadRequest)
	}
}

func TestTermsOfAMerchant(t *testing.T) {
	t.Parallel()
	b := setup(t, func(d *merchant.Deps) { d.FeeRate = money.MustDecimal("0.01") })
	s, admin := b.signup(t), b.admin(t)
	set := func(body string) answer {
		return b.as(t, admin, http.MethodPost, "/api/admin/merchants/"+s.id+"/terms", body)
	}
	rate := func() string {
		return fmt.Sprint(b.as(t, s, http.MethodGet, "/api/auth/me", "").field(t, "merchant.feeRate"))
	}
	require.Equal(t, "0.01", rate())
	a := set(`{"fee_rate":0.0025,"confirmations_required":1000,"tolerance_percent":100}`).require(t, http.StatusOK)
	require.Contains(t, a.body, `"fee_rate":0.0025,"own_fee_rate":0.0025,"confirmations_required":1000,"tolerance_percent":100,`)
	require.Equal(t, "0.0025", rate())
	require.Contains(t, b.as(t, s, http.MethodGet, "/api/payouts/balance", "").body, `"fee_rate":0.0025`)
	a = set(`{"confirmations_required":null}`).require(t, http.StatusOK)
	require.Contains(t, a.body, `"own_fee_rate":0.0025,"confirmations_required":null,"tolerance_percent":100,`, "what is left away stays")
	set(`{"confirmations_required":null}`).require(t, http.StatusOK)
	set(`{}`).require(t, http.StatusOK)
	set(`{"fee_rate":0,"tolerance_percent":0.5}`).require(t, http.StatusOK)
	require.Equal(t, "0", rate(), "nothing is a rate of one's own")
	set(`{"fee_rate":null}`).require(t, http.StatusOK)
	require.Equal(t, "0.01", rate())
	require.Len(t, b.actions(t, admin), 4, "what changes nothing is no change")
	for _, most := range []string{"1", "10000000", "null"} {
		for range 2 {
			a = set(`{"pending_charges_max":`+most+`}`).require(t, http.StatusOK)
			require.Contains(t, a.body, `"pending_charges_max":`+most+`,`)
		}
	}
	require.Len(t, b.actions(t, admin), 7)
	for _, body := range []string{
		`{"fee_rate":1}`, `{"fee_rate":-0.1}`, `{"fee_rate":0.0000001}`, `{"fee_rate":"0.1"}`, `{"fee_rate":true}`, `{"fee_rate":1e-900}`,
		`{"confirmations_required":0}`, `{"confirmations_required":1001}`, `{"confirmations_required":1.5}`, `{"confirmations_required":"3"}`,
		`{"confirmations_required":99999999999}`, `{"tolerance_percent":-1}`, `{"tolerance_percent":100.1}`, `{"tolerance_percent":0.0000001}`,
		`{"pending_charges_max":0}`, `{"pending_charges_max":-1}`, `{"pending_charges_max":10000001}`, `{"pending_charges_max":"5"}`, `{"pending_charges_max":1.5}`,
		`{"tolerance_percent":[]}`, `[]`, `x`,
	} {
		set(body).require(t, http.StatusBadRequest, body)
	}
	b.as(t, admin, http.MethodPost, "/api/admin/merchants/"+strings.Repeat("0", 32)+"/terms", `{}`).require(t, http.StatusNotFound)
}

func TestVolumeTiers(t *testing.T) {
	t.Parallel()
	b := setup(t, func(d *merchant.Deps) { d.FeeRate = money.MustDecimal("0.01") })
	s, admin := b.signup(t), b.admin(t)
	set := func(body string) answer { return b.as(t, admin, http.MethodPost, "/api/admin/fee-tiers", body) }
	want := `{"tiers":[{"volume_xmr":1.5,"fee_rate":0.005},{"volume_xmr":100,"fee_rate":0}],"default_fee_rate":0.01}`
	for range 2 {
		a := set(`{"tiers":[{"volume_xmr":100,"fee_rate":0},{"volume_xmr":1.5,"fee_rate":0.005}]}`).require(t, http.StatusOK)
		require.Equal(t, want, strings.TrimSpace(a.body))
	}
	require.Equal(t, want, strings.TrimSpace(b.as(t, admin, http.MethodGet, "/api/admin/fee-tiers", "").body))
	balance := func() string { return b.as(t, s, http.MethodGet, "/api/payouts/balance", "").body }
	require.Contains(t, balance(), `"fee_rate":0.01,`)
	at := b.clock.Now().Add(-time.Hour)
	require.NoError(t, b.store.InsertLedger(t.Context(), db.InsertLedgerParams{
		ChargeID: "ch_0123456789abcdef01234567", MerchantID: s.id, Mode: "live", CreatedAt: at, ConfirmedAt: at, Amount: money.DecimalFromInt(1),
		Currency: "USD", AmountPiconero: 1, ReceivedPiconero: money.OneXMR + money.OneXMR/2,
	}))
	require.Contains(t, balance(), `"fee_rate":0.005,`)
	require.Contains(t, b.as(t, admin, http.MethodGet, "/api/admin/merchants", "").body, `"volume_xmr":1.5,"fee_rate":0.005,"own_fee_rate":null`)
	b.clock.advance(30 * 24 * time.Hour)
	s.token = b.login(t, s.email, password).text(t, "token")
	admin.token = b.session(t, admin)
	require.Contains(t, balance(), `"fee_rate":0.01,`, "what was confirmed 30 days ago counts no more")
	for _, body := range []string{
		`{}`, `{"tiers":null}`, `{"tiers":{}}`, `{"tiers":[{}]}`, `{"tiers":[{"volume_xmr":1}]}`, `{"tiers":[{"fee_rate":0.1}]}`,
		`{"tiers":[{"volume_xmr":0,"fee_rate":0.1}]}`, `{"tiers":[{"volume_xmr":-1,"fee_rate":0.1}]}`, `{"tiers":[{"volume_xmr":1,"fee_rate":1}]}`,
		`{"tiers":[{"volume_xmr":1,"fee_rate":0.1},{"volume_xmr":1.0,"fee_rate":0.2}]}`, `{"tiers":[{"volume_xmr":0.0000000000001,"fee_rate":0.1}]}`,
		`{"tiers":[` + strings.Repeat(`{"volume_xmr":1,"fee_rate":0.1},`, 50) + `{"volume_xmr":1,"fee_rate":0.1}]}`,
	} {
		set(body).require(t, http.StatusBadRequest, body)
	}
	set(`{"tiers":[]}`).require(t, http.StatusOK)
	require.Equal(t, []string{"fees.tiers", "fees.tiers"}, b.actions(t, admin))
}

func TestUnmatchedPaymentsAndAlerts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	admin := b.admin(t)
	height := int64(100)
	for _, tx := range []string{"one", "two"} {
		require.NoError(t, b.store.InsertReceivedPayment(t.Context(), db.InsertReceivedPaymentParams{
			WalletID: "live-1", TxHash: tx, SubaddressIndex: 7, Amount: money.OneXMR, Outputs: 1, Height: &height, MatureHeight: &height,
			FirstSeenAt: b.clock.Now(),
		}))
		require.NoError(t, b.store.OpenAlert(t.Context(), db.OpenAlertParams{
			Kind: alert.PaymentUnmatched, Subject: alert.PaymentSubject(tx, 7), Detail: "money",
		}))
	}
	list := func(what, status string) answer {
		return b.as(t, admin, http.MethodGet, "/api/admin/"+what+"?status="+status, "").require(t, http.StatusOK)
	}
	open := list("unmatched", "open")
	require.Len(t, open.field(t, "payments"), 2)
	require.Contains(t, open.body, `"wallet_id":"live-1","tx_hash":"two","subaddress_account":0,"subaddress_index":7,"amount_xmr":1,"height":100,`)
	require.Contains(t, open.body, `"former_charge_id":null,"merchant_id":null,"resolved_at":null,"note":null`)
	first := open.field(t, "payments").([]any)[1].(map[string]any)["id"]
	resolve := func(what string, id any, body string) answer {
		return b.as(t, admin, http.MethodPost, fmt.Sprintf("/api/admin/%s/%v/resolve", what, id), body)
	}
	for _, note := range []string{"Paid back", "Paid back", "Paid back on Friday"} {
		resolve("unmatched", first, `{"note":"`+note+`"}`).require(t, http.StatusOK)
	}
	require.Len(t, list("unmatched", "open").field(t, "payments"), 1)
	require.Contains(t, list("unmatched", "resolved").body, `"note":"Paid back on Friday"`)
	alerts := list("alerts", "open")
	require.Len(t, alerts.field(t, "alerts"), 1, "the other was closed with its payment")
	require.Contains(t, alerts.body, `"subject":"two:7"`)
	second := alerts.field(t, "alerts").([]any)[0].(map[string]any)["id"]
	for _, note := range []string{"Seen", "Seen again"} {
		require.Equal(t, "Seen", resolve("alerts", second, `{"note":"`+note+`"}`).require(t, http.StatusOK).text(t, "note"))
	}
	require.Empty(t, list("alerts", "open").field(t, "alerts"))
	require.Len(t, list("alerts", "resolved").field(t, "alerts"), 2)
	require.Equal(t, []string{"alert.resolve", "payment.resolve", "payment.resolve"}, b.actions(t, admin))

	for _, what := range []string{"unmatched", "alerts"} {
		for _, body := range []string{`{}`, `{"note":""}`, `{"note":" "}`, `{"note":null}`, `{"note":1}`, `{"note":"\u0000"}`, `{"note":"` + strings.Repeat("x", 501) + `"}`} {
			resolve(what, first, body).require(t, http.StatusBadRequest, what, body)
		}
		for _, id := range []string{"0", "-1", "999", "x", "%00", "99999999999999999999"} {
			resolve(what, id, `{"note":"x"}`).require(t, http.StatusNotFound, what, id)
		}
	}
}

func TestMoneyOfAChargeCannotBeResolved(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, admin := b.signup(t), b.admin(t)
	id := b.charge(t, s, "live")
	b.receive(t, id, money.OneXMR)
	var row int64
	require.NoError(t, b.store.Pool().QueryRow(t.Context(), "SELECT id FROM received_payments").Scan(&row))
	b.as(t, admin, http.MethodPost, fmt.Sprintf("/api/admin/unmatched/%d/resolve", row), `{"note":"x"}`).require(t, http.StatusNotFound)
}

func TestStuckPayments(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, admin := b.signup(t), b.admin(t)
	stuck := func() answer { return b.as(t, admin, http.MethodGet, "/api/admin/stuck", "").require(t, http.StatusOK) }
	now := b.clock.Now()
	for _, chain := range []string{"xmr-live", "xmr-sandbox"} {
		_, err := b.store.SaveScan(t.Context(), db.SaveScanParams{ID: chain, ChainHeight: 5, TopHash: "h", ScannedAt: &now})
		require.NoError(t, err)
	}
	payout := "po_0123456789abcdef01234567"
	require.NoError(t, b.store.InsertPayout(t.Context(), db.InsertPayoutParams{
		ID: payout, MerchantID: s.id, WalletID: "live-1", AddressSealed: []byte{1}, AddressMasked: "masked",
		Gross: money.OneXMR, ChargesPaid: 1, Outputs: 1, CreatedAt: now,
	}))
	require.Equal(t, `{"overdue":[],"payouts":[],"charges":[],"wallets":[],"trades":[],"claims":[]}`, strings.TrimSpace(stuck().body))
	require.NoError(t, b.store.OpenAlert(t.Context(), db.OpenAlertParams{Kind: alert.PayoutStuck, Subject: payout, Detail: "refused"}))
	require.Contains(t, stuck().body, `"status":"building","gross_xmr":1,"tx_hash":null`)
	require.Contains(t, stuck().body, `"alert":"refused"`)
	require.NoError(t, b.store.ResolveAlert(t.Context(), db.ResolveAlertParams{Kind: alert.PayoutStuck, Subject: payout}))
	require.Empty(t, stuck().field(t, "payouts"))
	id := b.charge(t, s, "live")
	_, err := b.store.Pool().Exec(t.Context(), "UPDATE charges SET status = 'confirmed', confirmed_at = now(), unbacked = true WHERE id = $1", id)
	require.NoError(t, err)
	b.clock.advance(31 * time.Minute)
	a := stuck()
	require.Len(t, a.field(t, "payouts"), 1, "half an hour is too long")
	require.Contains(t, a.body, `"charges":[{"charge_id":"`+id+`"`)
	require.Len(t, a.field(t, "wallets"), 2)
}

func testAdminRedelivery(t *testing.T, b *bench) {
	s, admin := b.signup(t), b.admin(t)
	url, got := receiver(t, http.StatusOK)
	b.webhook(t, s, `{"url":"`+url+`","events":["charge.confirmed"]}`).require(t, http.StatusOK)
	id := b.deliver(t, s, "ch_0123456789abcdef0123aaaa")
	again := func(id string) answer {
		return b.as(t, admin, http.MethodPost, "/api/admin/deliveries/"+id+"/redeliver", "")
	}
	again(id).require(t, http.StatusBadRequest, "it is pending")
	// This delivery must be the newest, because those of parallel subtests may fill the page.
	_, err := b.store.Pool().Exec(t.Context(), `UPDATE deliveries SET status = 'failed', attempts = 3, error = 'timeout',
		created_at = now() + interval '1 hour' WHERE id = $1`, id)
	require.NoError(t, err)
	list := b.as(t, admin, http.MethodGet, "/api/admin/deliveries?limit=200", "").require(t, http.StatusOK)
	require.Contains(t, list.body, `"id":"`+id+`"`)
	require.NotContains(t, list.body, "payload")
	require.Equal(t, s.id, again(id).require(t, http.StatusOK).text(t, "merchant_id"))
	require.Contains(t, await(t, got).body, "ch_0123456789abcdef0123aaaa")
	require.EqualValues(t, 4, b.awaitDelivery(t, s, "delivered").Attempts)
	require.Equal(t, []string{"delivery.redeliver"}, b.actions(t, admin))
	for _, unknown := range []string{"whd_x", "x", "%00", "%ff"} {
		again(unknown).require(t, http.StatusNotFound, unknown)
	}
}

// TestListOfUndeliveredIsPaged creates deliveries with the same timestamp, and removes the
// delivery that a cursor names before the cursor is used.
func TestListOfUndeliveredIsPaged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, admin := b.signup(t), b.admin(t)
	b.webhook(t, s, `{"url":"https://shop.example.com","events":["charge.confirmed"]}`).require(t, http.StatusOK)
	var want []string
	for i := range 7 {
		want = append(want, b.deliver(t, s, fmt.Sprintf("ch_%024d", i)))
	}
	b.deliver(t, s, "ch_0123456789abcdef01234567") // stays pending
	_, err := b.store.Pool().Exec(t.Context(), `UPDATE deliveries SET status = CASE WHEN id < $2 THEN 'failed' ELSE 'dropped' END
		WHERE id = ANY($1)`, want, want[3])
	require.NoError(t, err)
	_, err = b.store.Pool().Exec(t.Context(), "UPDATE deliveries SET created_at = $2 WHERE id = ANY($1)", want, b.clock.Now())
	require.NoError(t, err)
	slices.Sort(want)
	slices.Reverse(want)
	var got []string
	for query := "?limit=3"; query != ""; {
		a := b.as(t, admin, http.MethodGet, "/api/admin/deliveries"+query, "").require(t, http.StatusOK)
		for _, d := range a.field(t, "deliveries").([]any) {
			got = append(got, d.(map[string]any)["id"].(string))
		}
		_, err := b.store.Pool().Exec(t.Context(), "DELETE FROM deliveries WHERE id = $1", got[len(got)-1])
		require.NoError(t, err)
		query = ""
		if next := a.field(t, "next_cursor"); next != nil {
			query = "?limit=3&cursor=" + next.(string)
		}
	}
	require.Equal(t, want, got)
	for _, query := range []string{
		"?cursor=", "?cursor=x", "?cursor=1", "?cursor=0.whd_x", "?cursor=-1.whd_x", "?cursor=9223372036854775807.whd_x", "?cursor=1.%00",
		"?cursor=%ff", "?limit=0", "?limit=x",
	} {
		b.as(t, admin, http.MethodGet, "/api/admin/deliveries"+query, "").require(t, http.StatusBadRequest, query)
	}
}

// TestAHoldIsMadeLongerNeverShorter checks that an operator cannot release what a merchant's
// hold keeps.
func TestAHoldIsMadeLongerNeverShorter(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, admin := b.signup(t), b.admin(t)
	hold := func(until time.Time) answer {
		return b.as(t, admin, http.MethodPost, "/api/admin/merchants/"+s.id+"/hold", fmt.Sprintf(`{"until":%q}`, until.Format(time.RFC3339Nano)))
	}
	now := b.clock.Now()
	long := now.Add(100 * time.Hour)
	for range 2 {
		require.Equal(t, long.Format("2006-01-02T15:04:05.000Z"), hold(long).require(t, http.StatusOK).field(t, "payout_hold_until"))
	}
	require.Equal(t, long.Format("2006-01-02T15:04:05.000Z"), hold(now.Add(time.Hour)).require(t, http.StatusOK).field(t, "payout_hold_until"), "not shorter")
	require.Equal(t, []string{"merchant.hold"}, b.actions(t, admin), "what changes nothing is not in the audit")
	for _, wrong := range []time.Time{now, now.Add(-time.Hour), now.Add(720*time.Hour + time.Millisecond)} {
		hold(wrong).require(t, http.StatusBadRequest)
	}
	hold(now.Add(720*time.Hour)).require(t, http.StatusOK)
	b.as(t, admin, http.MethodPost, "/api/admin/merchants/"+strings.Repeat("0", 32)+"/hold", fmt.Sprintf(`{"until":%q}`, long.Format(time.RFC3339))).
		require(t, http.StatusNotFound)
	b.as(t, admin, http.MethodPost, "/api/admin/merchants/"+s.id+"/hold", `{}`).require(t, http.StatusBadRequest)
}
