package desk

import (
	"errors"
	"net/http"
)

// route is a page, or what a form of one asks for.
type route struct {
	method, pattern string
	// open is set for what needs no session.
	open bool
	// serve answers; an error of it becomes a page.
	serve func(v *visit) error
	// page is what a form stands on. When the API refuses what was sent it is shown
	// again, with what it says and what was filled in. Nil for a page.
	page func(v *visit) error
}

// routes are all of them.
func routes() []route {
	get := func(pattern string, serve func(*visit) error) route {
		return route{method: http.MethodGet, pattern: pattern, serve: serve}
	}
	post := func(pattern string, serve, page func(*visit) error) route {
		return route{method: http.MethodPost, pattern: pattern, serve: serve, page: page}
	}
	open := func(r route) route {
		r.open = true
		return r
	}
	return []route{
		open(get("/log-in", (*visit).showLogIn)), open(post("/log-in", (*visit).logIn, (*visit).showLogIn)),
		open(get("/sign-up", (*visit).showSignUp)), open(post("/sign-up", (*visit).signUp, (*visit).showSignUp)),
		open(get("/forgot-password", (*visit).showForgotten)), open(post("/forgot-password", (*visit).forgotten, (*visit).showForgotten)),
		post("/log-out", (*visit).logOut, nil), post("/mode", (*visit).setMode, nil),
		get("/", (*visit).home),

		get("/charges", (*visit).charges), get("/charges/{id}", (*visit).charge),
		post("/charges/{id}/accept-underpaid", (*visit).acceptUnderpaid, (*visit).charge),
		post("/charges/{id}/toggle-active", (*visit).toggleCharge, (*visit).charge),
		post("/charges/{id}/refunds", (*visit).makeRefund, (*visit).charge),
		post("/charges/{id}/test/{what}", (*visit).simulate, (*visit).charge),
		get("/ask", (*visit).showAsk), post("/ask", (*visit).ask, (*visit).showAsk),
		get("/payment-requests", (*visit).requests), post("/payment-requests", (*visit).makeRequest, (*visit).requests),
		get("/payment-requests/{id}", (*visit).request), get("/payment-requests/{id}/qr.png", (*visit).requestQR),
		post("/payment-requests/{id}/toggle", (*visit).toggleRequest, (*visit).request),
		post("/payment-requests/{id}/delete", (*visit).deleteRequest, (*visit).request),
		get("/test-clocks", (*visit).clocks), post("/test-clocks", (*visit).makeClock, (*visit).clocks), get("/test-clocks/{id}", (*visit).clock),
		post("/test-clocks/{id}/advance", (*visit).advanceClock, (*visit).clock), post("/test-clocks/{id}/delete", (*visit).deleteClock, (*visit).clock),
		get("/till", (*visit).till), post("/till", (*visit).ring, (*visit).till), get("/till/{id}", (*visit).tillCharge),

		get("/refunds", (*visit).refunds), post("/refunds/{id}/approve", (*visit).approveRefund, (*visit).refunds),
		post("/refunds/{id}/cancel", (*visit).cancelRefund, (*visit).refunds),
		get("/payouts", (*visit).payouts), post("/payouts/sweep", (*visit).sweep, (*visit).payouts),
		get("/webhooks", (*visit).webhooks), post("/webhooks", (*visit).addWebhook, (*visit).webhooks),
		post("/webhooks/{id}/delete", (*visit).deleteWebhook, (*visit).webhooks), post("/webhooks/{id}/test", (*visit).testWebhook, (*visit).webhooks),
		get("/deliveries", (*visit).deliveries), get("/deliveries/{id}", (*visit).delivery),
		post("/deliveries/{id}/redeliver", (*visit).redeliver, (*visit).delivery),
		get("/swaps", (*visit).swaps), post("/swaps", (*visit).makeSwap, (*visit).swaps), get("/swaps/{id}", (*visit).swap),
		post("/swaps/auto", (*visit).setAutoSwap, (*visit).swaps),
		get("/reports", (*visit).reports), get("/reports/transactions.csv", (*visit).reportFile), post("/reports", (*visit).setReporting, (*visit).reports),
		get("/keys", (*visit).keys), post("/keys", (*visit).makeKey, (*visit).keys), post("/keys/{id}/revoke", (*visit).revokeKey, (*visit).keys),
		post("/keys/regenerate", (*visit).regenerateKey, (*visit).keys),
		get("/settings", (*visit).settings), post("/settings/profile", (*visit).setProfile, (*visit).settings),
		post("/settings/payout", (*visit).setPayoutAddress, (*visit).settings), post("/settings/refunds", (*visit).setRefundApproval, (*visit).settings),
		get("/settings/account", (*visit).account),
		post("/settings/email", (*visit).setEmail, (*visit).account), post("/settings/password", (*visit).setPassword, (*visit).account),
		post("/settings/resend-verification", (*visit).resendVerification, (*visit).account), post("/settings/delete", (*visit).deleteAccount, (*visit).account),
		get("/settings/notices", (*visit).notices), post("/settings/notices", (*visit).setNotices, (*visit).notices),
		get("/settings/two-factor", (*visit).twoFactor), post("/settings/two-factor/setup", (*visit).setupTwoFactor, (*visit).twoFactor),
		post("/settings/two-factor/verify", (*visit).verifyTwoFactor, (*visit).twoFactor),
		post("/settings/two-factor/disable", (*visit).disableTwoFactor, (*visit).twoFactor),
	}
}

// Routes are the methods and patterns of all pages and forms, for tests that hold
// each of them to something: "GET /charges/{id}". Open says which need no session.
func Routes() (all []string, open map[string]bool) {
	open = map[string]bool{}
	for _, r := range routes() {
		name := r.method + " " + r.pattern
		all, open[name] = append(all, name), r.open
	}
	return all, open
}

// maxForm is the largest form in bytes; those of the desk are small.
const maxForm = 16 << 10

// guard serves a route to whom it is for. A form counts when it comes from a page of
// this session.
func (d *Desk) guard(rt route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := &visit{Desk: d, w: w, r: r, status: http.StatusOK}
		v.keepLanguage()
		err := v.enter(rt)
		if err == nil {
			err = rt.serve(v)
		}
		if err != nil {
			v.fail(rt, err)
		}
	}
}

// enter checks the session and, of a form, where it comes from. A form that carries
// the password that was asked for once more shows it first.
func (v *visit) enter(rt route) error {
	if rt.method == http.MethodPost {
		if err := v.origin.Check(v.r); err != nil {
			return errForeignForm
		}
		v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxForm)
		if err := v.r.ParseForm(); err != nil {
			return errForeignForm
		}
	}
	err := v.readSession()
	if rt.open && errors.Is(err, errNoSession) {
		return nil
	}
	if err != nil || rt.method != http.MethodPost || rt.open {
		return err
	}
	if !v.isOwnForm() {
		return errForeignForm
	}
	return v.stepUp()
}

// What is wrong with a visit.
var (
	errNoSession   = errors.New("no session, or one that has ended")
	errForeignForm = errors.New("form that is not of this session")
)
