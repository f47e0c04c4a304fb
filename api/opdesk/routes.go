package opdesk

import (
	"errors"
	"net/http"

	"github.com/durapay/durapay/api/pages/kit"
)

// route is a page, or the target of a form.
type route struct {
	method, pattern string
	// open is set if the route needs no session.
	open bool
	// serve answers the request. An error it returns becomes a page.
	serve func(v *visit) error
	// page shows the page that has the form, again, after a refusal; nil for none.
	page func(v *visit) error
}

// routes returns all routes. Their patterns are relative to Root.
func routes() []route {
	get, post := http.MethodGet, http.MethodPost
	return []route{
		{get, "/log-in", true, (*visit).showLogIn, nil},
		{post, "/log-in", true, (*visit).logIn, nil},
		{post, "/log-out", false, (*visit).logOut, nil},
		{get, "/", false, (*visit).overview, nil},
		{get, "/find", false, (*visit).find, nil},
		{get, "/health", false, (*visit).health, nil},
		{get, "/charges", false, (*visit).charges, nil},
		{get, "/charges/{id}", false, (*visit).charge, nil},
		{get, "/payouts", false, (*visit).payouts, nil},
		{get, "/payouts/{id}", false, (*visit).payout, nil},
		{get, "/refunds", false, (*visit).refunds, nil},
		{get, "/refunds/{id}", false, (*visit).refund, nil},
		{get, "/trades", false, (*visit).trades, nil},
		{get, "/trades/{id}", false, (*visit).trade, nil},
		{get, "/merchants", false, (*visit).merchants, nil},
		{get, "/merchants/{id}", false, (*visit).merchant, nil},
		{post, "/merchants/{id}/suspend", false, (*visit).suspend, (*visit).merchant},
		{post, "/merchants/{id}/unsuspend", false, (*visit).unsuspend, (*visit).merchant},
		{post, "/merchants/{id}/hold", false, (*visit).hold, (*visit).merchant},
		{post, "/merchants/{id}/terms", false, (*visit).setTerms, (*visit).merchant},
		{get, "/fees", false, (*visit).fees, nil},
		{post, "/fees", false, (*visit).setFees, (*visit).fees},
		{get, "/unmatched", false, (*visit).unmatched, nil},
		{post, "/unmatched/{id}/resolve", false, (*visit).resolveUnmatched, (*visit).unmatched},
		{get, "/stuck", false, (*visit).stuck, nil},
		{get, "/deliveries", false, (*visit).deliveries, nil},
		{post, "/deliveries/{id}/redeliver", false, (*visit).redeliver, (*visit).deliveries},
		{get, "/alerts", false, (*visit).alerts, nil},
		{post, "/alerts/{id}/resolve", false, (*visit).resolveAlert, (*visit).alerts},
		{get, "/inventory", false, (*visit).inventory, nil},
		{get, "/audit", false, (*visit).audit, nil},
		{get, "/runbooks/{name}", false, (*visit).runbook, nil},
	}
}

// Routes returns the methods and patterns of all pages and forms, such as "GET
// /operator/merchants/{id}", for tests that check each of them.
func Routes() []string {
	var all []string
	for _, r := range routes() {
		all = append(all, r.method+" "+Root+r.pattern)
	}
	return all
}

// guard serves a route to operators. It accepts a form only from a page of the same session.
func (d *Desk) guard(rt route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := &visit{Desk: d, w: w, r: r, status: http.StatusOK}
		if err := v.enter(rt); err != nil {
			v.fail(err)
			return
		}
		if err := rt.serve(v); err != nil && !v.giveBack(rt, err) {
			v.fail(err)
		}
	}
}

// enter checks the session and, for a form, its origin.
func (v *visit) enter(rt route) error {
	if rt.method == http.MethodPost {
		if err := kit.ReadForm(v.w, v.r, v.origin); err != nil {
			return err
		}
	}
	if rt.open {
		return nil
	}
	if err := v.readSession(); err != nil {
		return err
	}
	if rt.method == http.MethodPost && !v.isOwnForm() {
		return kit.ErrForeignForm
	}
	// The API checks on each visit that the session is still an operator's.
	return v.get("/api/admin/alerts?limit=1", &struct{}{})
}

var errNoSession = errors.New("no session, or one that has ended")
