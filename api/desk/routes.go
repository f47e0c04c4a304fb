package desk

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/durapay/durapay/api/pages/kit"
)

// route is a page, or the target of a form.
type route struct {
	method, pattern string
	// operation is the API operation that the route uses: who may use it may use the route. It is
	// anyone for a route that needs no session, and oneself for the person's own account, which is
	// the same in every shop.
	operation string
	// serve answers the request. An error it returns becomes a page.
	serve func(v *visit) error
	// page shows the page that has the form. If the API refuses the form, the page is shown
	// again with the error and the values filled in. Nil for a page.
	page func(v *visit) error
	// live is set if the sandbox does not have the route.
	live bool
	// found is the page that shows the result of a form that is accepted once; empty for other
	// forms. See once.
	found string
	// shownOnce is set if the answer shows a secret that no later page shows.
	shownOnce bool
}

const (
	anyone  = "anyone"
	oneself = "oneself"
)

func get(pattern, operation string, serve func(*visit) error) route {
	return route{method: http.MethodGet, pattern: pattern, operation: operation, serve: serve}
}

func post(pattern, operation string, serve, page func(*visit) error) route {
	return route{method: http.MethodPost, pattern: pattern, operation: operation, serve: serve, page: page}
}

func (rt route) open() bool { return rt.operation == anyone }

func (rt route) personal() bool { return rt.operation == oneself }

func routes() []route { return slices.Concat(ofPeople(), ofShop(), ofAccount()) }

// ofPeople returns the routes for logging in and for the person's own account.
func ofPeople() []route {
	return []route{
		get("/log-in", anyone, (*visit).showLogIn), post("/log-in", anyone, (*visit).logIn, (*visit).showLogIn),
		get("/sign-up", anyone, (*visit).showSignUp), post("/sign-up", anyone, (*visit).signUp, (*visit).showSignUp),
		get("/forgot-password", anyone, (*visit).showForgotten), post("/forgot-password", anyone, (*visit).forgotten, (*visit).showForgotten),

		post("/log-out", oneself, (*visit).logOut, nil), post("/mode", oneself, (*visit).setMode, nil),
		get("/shops", oneself, (*visit).shops), post("/shops", oneself, (*visit).chooseShop, (*visit).shops), post("/shops/{id}/leave", oneself, (*visit).leaveShop, (*visit).shops),
		get("/join/{token}", oneself, (*visit).showJoin), post("/join/{token}", oneself, (*visit).join, (*visit).showJoin),
		get("/settings/account", oneself, (*visit).account),
		post("/settings/email", oneself, sets("/api/account/email", (*visit).typedEmail, "/settings/account"), (*visit).account).once("/settings/account"), post("/settings/password", oneself, (*visit).setPassword, (*visit).account),
		post("/settings/resend-verification", oneself, (*visit).resendVerification, (*visit).account).once("/settings/account"), post("/settings/delete", oneself, (*visit).deleteAccount, (*visit).account),
		get("/settings/two-factor", oneself, (*visit).twoFactor), post("/settings/two-factor/setup", oneself, (*visit).setupTwoFactor, (*visit).twoFactor).once("/settings/two-factor").secretly(),
		post("/settings/two-factor/verify", oneself, (*visit).verifyTwoFactor, (*visit).twoFactor),
		post("/settings/two-factor/disable", oneself, asks("/api/auth/2fa/disable", (*visit).typedTwoFactor, "/settings/two-factor"), (*visit).twoFactor),
	}
}

// ofShop returns the routes for the daily work in a shop.
func ofShop() []route {
	return append([]route{
		get("/", "getOverview", (*visit).home),

		get("/charges", "listCharges", (*visit).charges), get("/charges.csv", "listCharges", (*visit).chargeFile),
		get("/charges/{id}", "getCharge", (*visit).charge), get("/charges/{id}/qr.png", "getCharge", (*visit).chargeQR),
		post("/charges/{id}/accept-underpaid", "acceptUnderpaid", asks("/api/charges/{id}/accept-underpaid", nil, "/charges/{id}"), (*visit).charge),
		post("/charges/{id}/toggle-active", "toggleChargeLink", toggles((*visit).isChargeActive, "/api/charges/{id}/toggle-active", "/charges/{id}"), (*visit).charge).once("/charges/{id}"),
		post("/charges/{id}/refunds", "createRefund", (*visit).makeRefund, (*visit).charge).once("/refunds").secretly(),
		post("/charges/{id}/test/{what}", "sandboxPay", (*visit).simulate, (*visit).charge).once("/charges/{id}"),
		post("/charges/{id}/retry-deliveries", "sandboxRetry", asks("/api/test/charges/{id}/retry-deliveries", nil, "/charges/{id}"), (*visit).charge).once("/charges/{id}"),
		get("/ask", "createCharge", (*visit).showAsk), post("/ask", "createCharge", makes("/api/charges", (*visit).typedCharge, "/charges/"), (*visit).showAsk).once("/charges"),
		get("/till", "createCharge", (*visit).till), post("/till", "createCharge", (*visit).ring, (*visit).till).once("/till"),
		get("/till/{id}", "createCharge", (*visit).tillCharge),
		get("/payment-requests", "listPaymentRequests", (*visit).requests),
		post("/payment-requests", "createPaymentRequest", makes("/api/payment-requests", (*visit).typedRequest, "/payment-requests/"), (*visit).requests).once("/payment-requests"),
		get("/payment-requests/{id}", "listPaymentRequests", (*visit).request), get("/payment-requests/{id}/qr.png", "listPaymentRequests", (*visit).requestQR),
		post("/payment-requests/{id}/toggle", "togglePaymentRequest", toggles((*visit).isRequestActive, "/api/payment-requests/{id}/toggle", "/payment-requests/{id}"), (*visit).request).once("/payment-requests/{id}"),
		post("/payment-requests/{id}/delete", "deletePaymentRequest", asks("/api/payment-requests/{id}/delete", nil, "/payment-requests"), (*visit).request),

		get("/refunds", "listRefunds", (*visit).refunds), post("/refunds/{id}/approve", "approveRefund", asks("/api/account/refunds/{id}/approve", (*visit).typedClaim, "/refunds"), (*visit).refunds),
		post("/refunds/{id}/cancel", "cancelRefund", asks("/api/refunds/{id}/cancel", (*visit).typedClaim, "/refunds"), (*visit).refunds),
		get("/refunds/{id}", "getRefund", (*visit).refund), post("/refunds/{id}/payment", "payClaim", (*visit).payClaim, (*visit).refund),
		get("/webhooks", "listWebhooks", (*visit).webhooks), post("/webhooks", "createWebhook", (*visit).addWebhook, (*visit).webhooks).once("/webhooks").secretly(),
		post("/webhooks/{id}/delete", "deleteWebhook", passes(http.MethodDelete, "/api/webhooks/{id}", nil, "/webhooks"), (*visit).webhooks),
		post("/webhooks/{id}/test", "testWebhook", (*visit).testWebhook, (*visit).webhooks).once("/deliveries"),
		get("/deliveries", "listDeliveries", (*visit).deliveries), get("/deliveries/{id}", "listDeliveries", (*visit).delivery),
		post("/deliveries/{id}/redeliver", "redeliver", (*visit).redeliver, (*visit).delivery).once("/deliveries"),
		get("/reports", "reportSummary", (*visit).reports), get("/reports/transactions.csv", "reportTransactions", (*visit).reportFile),
		post("/reports", "setReporting", sets("/api/account/reporting", (*visit).typedReporting, "/reports"), (*visit).reports),
	}, ofLive(
		get("/payouts", "listPayouts", (*visit).payouts), post("/payouts/sweep", "sweep", asks("/api/payouts/sweep", nil, "/payouts"), (*visit).payouts).once("/payouts"),
		get("/swaps", "listSwaps", (*visit).swaps), post("/swaps", "createSwap", makes("/api/swap/create", (*visit).typedSwap, "/swaps/"), (*visit).swaps).once("/swaps"),
		get("/swaps/{id}", "getSwap", (*visit).swap), post("/swaps/auto", "setAutoSwap", sets("/api/merchants/auto-swap", (*visit).typedAutoSwap, "/swaps"), (*visit).swaps).once("/swaps"),
	)...)
}

func ofAccount() []route {
	return append([]route{
		get("/keys", "listApplicationKeys", (*visit).keys), post("/keys", "createApplicationKey", (*visit).makeKey, (*visit).keys).once("/keys").secretly(),
		post("/keys/{id}/revoke", "revokeApplicationKey", asks("/api/account/application-keys/{id}/revoke", nil, "/keys"), (*visit).keys),
		post("/keys/regenerate", "regenerateKey", (*visit).regenerateKey, (*visit).keys).once("/keys").secretly(),
		get("/settings", "getMe", (*visit).settings), post("/settings/profile", "setProfile", sets("/api/account/profile", (*visit).typedProfile, "/settings"), (*visit).settings),
		post("/settings/refunds", "setRefundApproval", sets("/api/account/refunds", (*visit).typedApproval, "/settings"), (*visit).settings),
		get("/settings/notices", "getNotices", (*visit).notices), post("/settings/notices", "setNotices", asks("/api/account/notices", (*visit).typedNotices, "/settings/notices"), (*visit).notices),
		get("/staff", "listStaff", (*visit).staff), post("/staff/invites", "inviteStaff", (*visit).inviteStaff, (*visit).staff).once("/staff").secretly(),
		post("/staff/invites/{id}/revoke", "revokeStaffInvite", asks("/api/account/staff/invites/{id}/revoke", nil, "/staff"), (*visit).staff),
		get("/staff/{id}", "listStaff", (*visit).person), post("/staff/{id}", "setRole", sets("/api/account/staff/{id}", (*visit).role, "/staff"), (*visit).person),
		post("/staff/{id}/remove", "removeStaff", asks("/api/account/staff/{id}/remove", nil, "/staff"), (*visit).staff),
		get("/actions", "listActions", (*visit).actions),
	}, ofLive(
		post("/settings/payout", "setPayoutAddress", sets("/api/account/payout", (*visit).typedAddress, "/settings"), (*visit).settings).once("/settings"),
		post("/settings/wallet", "setWallet", (*visit).setWallet, (*visit).settings), post("/settings/wallet/hosted", "setWallet", (*visit).setHosted, (*visit).settings),
	)...)
}

// passes returns what a form does that the API alone acts on: it sends the API a request and leads
// to a page. In both paths {id} stands for the id of the form's own path. content returns the
// request's body; nil for a request without one.
func passes(method, path string, content func(*visit) body, to string) func(*visit) error {
	return func(v *visit) error {
		var sent any
		if content != nil {
			sent = content(v)
		}
		if err := v.call(method, v.at(path), sent, &struct{}{}); err != nil {
			return err
		}
		return v.done(v.at(to))
	}
}

// asks is passes with the method POST.
func asks(path string, content func(*visit) body, to string) func(*visit) error {
	return passes(http.MethodPost, path, content, to)
}

// sets is passes with the method PUT.
func sets(path string, content func(*visit) body, to string) func(*visit) error {
	return passes(http.MethodPut, path, content, to)
}

// makes returns what a form does that makes something: it sends the API a request, and leads to the
// page of what was made, which is below a path.
func makes(path string, content func(*visit) body, below string) func(*visit) error {
	return func(v *visit) error {
		made := v.made(path, content(v))
		if err := v.failure(); err != nil {
			return err
		}
		return v.redirect(below + made.id())
	}
}

// at puts the id of the page's path into another path.
func (v *visit) at(path string) string { return strings.ReplaceAll(path, "{id}", v.id()) }

// ofLive marks routes that the sandbox does not have.
func ofLive(all ...route) []route {
	for i := range all {
		all[i].live = true
	}
	return all
}

// Routes returns the methods and patterns of all pages and forms, such as "GET /charges/{id}",
// for tests that check each of them. open tells which need no session.
func Routes() (all []string, open map[string]bool) {
	open = map[string]bool{}
	for _, r := range routes() {
		name := r.method + " " + r.pattern
		all, open[name] = append(all, name), r.open()
	}
	return all, open
}

// TakenOnce returns the routes of forms that are accepted once, in the format of Routes.
func TakenOnce() (all []string) {
	for _, r := range routes() {
		if r.found != "" {
			all = append(all, r.method+" "+r.pattern)
		}
	}
	return all
}

// guard serves a route to people who may use it. It accepts a form only from a page of the
// same session.
func (d *Desk) guard(rt route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := d.visit(w, r)
		v.personal = rt.personal()
		err := v.enter(rt)
		if err == nil {
			err = v.act(rt)
		}
		if err != nil {
			v.fail(rt, err)
		}
	}
}

// enter checks the session and, for a form, its origin. If the form includes the password that
// the API asked for again, enter sends it to the API.
func (v *visit) enter(rt route) error {
	if rt.method == http.MethodPost {
		if err := kit.ReadForm(v.w, v.r, v.origin); err != nil {
			return err
		}
	}
	err := v.readSession()
	if rt.open() && errors.Is(err, errNoSession) {
		return nil
	}
	if errors.Is(err, errNoShop) && rt.personal() {
		err = nil // the page is not about the shop
	}
	if err == nil {
		err = v.forbids(rt)
	}
	if err != nil || rt.method != http.MethodPost || rt.open() {
		return err
	}
	if !v.isOwnForm() {
		return kit.ErrForeignForm
	}
	return v.stepUp()
}

// Reasons why a visit is refused.
var (
	errNoSession  = errors.New("no session, or one that has ended")
	errNoShop     = errors.New("a shop that the person does not work in any more")
	errNotForRole = errors.New("page that is not for the person's role in the shop")
	errLiveOnly   = errors.New("page that the sandbox does not have")
)
