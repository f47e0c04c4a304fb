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
	// open is set if the route needs no session.
	open bool
	// personal is set for the person's own account. Anyone who has logged in may use it.
	personal bool
	// operation is the API operation that the route uses, see by.
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

func get(pattern string, serve func(*visit) error) route {
	return route{method: http.MethodGet, pattern: pattern, serve: serve}
}

func post(pattern string, serve, page func(*visit) error) route {
	return route{method: http.MethodPost, pattern: pattern, serve: serve, page: page}
}

// open marks a route that needs no session.
func open(rt route) route {
	rt.open = true
	return rt
}

func routes() []route { return slices.Concat(ofPeople(), ofShop(), ofAccount()) }

// ofPeople returns the routes for logging in and for the person's own account.
func ofPeople() []route {
	return append([]route{
		open(get("/log-in", (*visit).showLogIn)), open(post("/log-in", (*visit).logIn, (*visit).showLogIn)),
		open(get("/sign-up", (*visit).showSignUp)), open(post("/sign-up", (*visit).signUp, (*visit).showSignUp)),
		open(get("/forgot-password", (*visit).showForgotten)), open(post("/forgot-password", (*visit).forgotten, (*visit).showForgotten)),
	}, personal(
		post("/log-out", (*visit).logOut, nil), post("/mode", (*visit).setMode, nil),
		get("/shops", (*visit).shops), post("/shops", (*visit).chooseShop, (*visit).shops), post("/shops/{id}/leave", (*visit).leaveShop, (*visit).shops),
		get("/join/{token}", (*visit).showJoin), post("/join/{token}", (*visit).join, (*visit).showJoin),
		get("/settings/account", (*visit).account),
		post("/settings/email", sets("/api/account/email", (*visit).typedEmail, "/settings/account"), (*visit).account).once("/settings/account"), post("/settings/password", (*visit).setPassword, (*visit).account),
		post("/settings/resend-verification", (*visit).resendVerification, (*visit).account).once("/settings/account"), post("/settings/delete", (*visit).deleteAccount, (*visit).account),
		get("/settings/two-factor", (*visit).twoFactor), post("/settings/two-factor/setup", (*visit).setupTwoFactor, (*visit).twoFactor).once("/settings/two-factor").secretly(),
		post("/settings/two-factor/verify", asks("/api/auth/2fa/verify", (*visit).typedTwoFactor, "/settings/two-factor"), (*visit).twoFactor),
		post("/settings/two-factor/disable", asks("/api/auth/2fa/disable", (*visit).typedTwoFactor, "/settings/two-factor"), (*visit).twoFactor),
	)...)
}

// ofShop returns the routes for the daily work in a shop.
func ofShop() []route {
	return append([]route{
		get("/", (*visit).home).by("getOverview"),

		get("/charges", (*visit).charges).by("listCharges"), get("/charges/{id}", (*visit).charge).by("getCharge"),
		post("/charges/{id}/accept-underpaid", asks("/api/charges/{id}/accept-underpaid", nil, "/charges/{id}"), (*visit).charge).by("acceptUnderpaid"),
		post("/charges/{id}/toggle-active", toggles((*visit).isChargeActive, "/api/charges/{id}/toggle-active", "/charges/{id}"), (*visit).charge).by("toggleChargeLink").once("/charges/{id}"),
		post("/charges/{id}/refunds", (*visit).makeRefund, (*visit).charge).by("createRefund").once("/refunds").secretly(),
		post("/charges/{id}/test/{what}", (*visit).simulate, (*visit).charge).by("sandboxPay").once("/charges/{id}"),
		post("/charges/{id}/retry-deliveries", asks("/api/test/charges/{id}/retry-deliveries", nil, "/charges/{id}"), (*visit).charge).by("sandboxRetry").once("/charges/{id}"),
		get("/ask", (*visit).showAsk).by("createCharge"), post("/ask", makes("/api/charges", (*visit).typedCharge, "/charges/"), (*visit).showAsk).by("createCharge").once("/charges"),
		get("/till", (*visit).till).by("createCharge"), post("/till", (*visit).ring, (*visit).till).by("createCharge").once("/till"),
		get("/till/{id}", (*visit).tillCharge).by("createCharge"),
		get("/payment-requests", (*visit).requests).by("listPaymentRequests"),
		post("/payment-requests", makes("/api/payment-requests", (*visit).typedRequest, "/payment-requests/"), (*visit).requests).by("createPaymentRequest").once("/payment-requests"),
		get("/payment-requests/{id}", (*visit).request).by("listPaymentRequests"), get("/payment-requests/{id}/qr.png", (*visit).requestQR).by("listPaymentRequests"),
		post("/payment-requests/{id}/toggle", toggles((*visit).isRequestActive, "/api/payment-requests/{id}/toggle", "/payment-requests/{id}"), (*visit).request).by("togglePaymentRequest").once("/payment-requests/{id}"),
		post("/payment-requests/{id}/delete", asks("/api/payment-requests/{id}/delete", nil, "/payment-requests"), (*visit).request).by("deletePaymentRequest"),

		get("/refunds", (*visit).refunds).by("listRefunds"), post("/refunds/{id}/approve", asks("/api/account/refunds/{id}/approve", (*visit).typedClaim, "/refunds"), (*visit).refunds).by("approveRefund"),
		post("/refunds/{id}/cancel", asks("/api/refunds/{id}/cancel", nothing, "/refunds"), (*visit).refunds).by("cancelRefund"),
		get("/webhooks", (*visit).webhooks).by("listWebhooks"), post("/webhooks", (*visit).addWebhook, (*visit).webhooks).by("createWebhook").once("/webhooks").secretly(),
		post("/webhooks/{id}/delete", passes(http.MethodDelete, "/api/webhooks/{id}", nil, "/webhooks"), (*visit).webhooks).by("deleteWebhook"),
		post("/webhooks/{id}/test", (*visit).testWebhook, (*visit).webhooks).by("testWebhook").once("/deliveries"),
		get("/deliveries", (*visit).deliveries).by("listDeliveries"), get("/deliveries/{id}", (*visit).delivery).by("listDeliveries"),
		post("/deliveries/{id}/redeliver", (*visit).redeliver, (*visit).delivery).by("redeliver").once("/deliveries"),
		get("/reports", (*visit).reports).by("reportSummary"), get("/reports/transactions.csv", (*visit).reportFile).by("reportTransactions"),
		post("/reports", sets("/api/account/reporting", (*visit).typedReporting, "/reports"), (*visit).reports).by("setReporting"),
	}, ofLive(
		get("/payouts", (*visit).payouts).by("listPayouts"), post("/payouts/sweep", asks("/api/payouts/sweep", nil, "/payouts"), (*visit).payouts).by("sweep").once("/payouts"),
		get("/swaps", (*visit).swaps).by("listSwaps"), post("/swaps", makes("/api/swap/create", (*visit).typedSwap, "/swaps/"), (*visit).swaps).by("createSwap").once("/swaps"),
		get("/swaps/{id}", (*visit).swap).by("getSwap"), post("/swaps/auto", sets("/api/merchants/auto-swap", (*visit).typedAutoSwap, "/swaps"), (*visit).swaps).by("setAutoSwap").once("/swaps"),
	)...)
}

func ofAccount() []route {
	return append([]route{
		get("/keys", (*visit).keys).by("listApplicationKeys"), post("/keys", (*visit).makeKey, (*visit).keys).by("createApplicationKey").once("/keys").secretly(),
		post("/keys/{id}/revoke", asks("/api/account/application-keys/{id}/revoke", nil, "/keys"), (*visit).keys).by("revokeApplicationKey"),
		post("/keys/regenerate", (*visit).regenerateKey, (*visit).keys).by("regenerateKey").once("/keys").secretly(),
		get("/settings", (*visit).settings).by("getMe"), post("/settings/profile", sets("/api/account/profile", (*visit).typedProfile, "/settings"), (*visit).settings).by("setProfile"),
		post("/settings/refunds", sets("/api/account/refunds", (*visit).typedApproval, "/settings"), (*visit).settings).by("setRefundApproval"),
		get("/settings/notices", (*visit).notices).by("getNotices"), post("/settings/notices", asks("/api/account/notices", (*visit).typedNotices, "/settings/notices"), (*visit).notices).by("setNotices"),
		get("/staff", (*visit).staff).by("listStaff"), post("/staff/invites", (*visit).inviteStaff, (*visit).staff).by("inviteStaff").once("/staff").secretly(),
		post("/staff/invites/{id}/revoke", asks("/api/account/staff/invites/{id}/revoke", nil, "/staff"), (*visit).staff).by("revokeStaffInvite"),
		get("/staff/{id}", (*visit).person).by("listStaff"), post("/staff/{id}", sets("/api/account/staff/{id}", (*visit).role, "/staff"), (*visit).person).by("setRole"),
		post("/staff/{id}/remove", asks("/api/account/staff/{id}/remove", nil, "/staff"), (*visit).staff).by("removeStaff"),
		get("/actions", (*visit).actions).by("listActions"),
	}, ofLive(
		post("/settings/payout", sets("/api/account/payout", (*visit).typedAddress, "/settings"), (*visit).settings).by("setPayoutAddress").once("/settings"),
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

// nothing is the content of a request with an empty object.
func nothing(*visit) body { return body{} }

// by names the API operation that a page or form uses. A person who may use the operation may
// use the page.
func (rt route) by(operation string) route {
	rt.operation = operation
	return rt
}

// ofLive marks routes that the sandbox does not have.
func ofLive(all ...route) []route {
	for i := range all {
		all[i].live = true
	}
	return all
}

// personal marks routes of the person's own account. They are the same in every shop.
func personal(all ...route) []route {
	for i := range all {
		all[i].personal = true
	}
	return all
}

// Routes returns the methods and patterns of all pages and forms, such as "GET /charges/{id}",
// for tests that check each of them. open tells which need no session.
func Routes() (all []string, open map[string]bool) {
	open = map[string]bool{}
	for _, r := range routes() {
		name := r.method + " " + r.pattern
		all, open[name] = append(all, name), r.open
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
		v := &visit{Desk: d, w: w, r: r, status: http.StatusOK, personal: rt.personal}
		v.keepLanguage()
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
	if rt.open && errors.Is(err, errNoSession) {
		return nil
	}
	if errors.Is(err, errNoShop) && rt.personal {
		err = nil // the page is not about the shop
	}
	if err == nil {
		err = v.forbids(rt)
	}
	if err != nil || rt.method != http.MethodPost || rt.open {
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
