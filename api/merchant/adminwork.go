package merchant

import (
	"context"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/internal/operator"
)

type noteInput struct {
	ID   string `path:"id" doc:"Number of the row" example:"1"`
	Body body[newNote]
}

// read is the row and what is noted about it; a number that cannot be is no
// row's.
func (in *noteInput) read() (id int64, note string, err error) {
	fields, err := in.Body.read()
	if err != nil {
		return 0, "", err
	}
	if id, err = strconv.ParseInt(in.ID, 10, 64); err != nil {
		return 0, "", notFound("row")
	}
	return id, fields.Note, nil
}

type newNote struct {
	Note string `json:"note" doc:"What was done about it, 1 to 500 characters" example:"Paid back to the customer"`
}

type resolvedPayment struct {
	ID       int64 `json:"id" example:"1"`
	Resolved bool  `json:"resolved" doc:"Always true"`
}

// registerAdminWork adds what waits for operators.
func registerAdminWork(api huma.API, a *app) {
	note := newNote{"Paid back to the customer"}
	withAdmin(api, a, route{
		id: "adminListUnmatched", method: http.MethodGet, path: "/api/admin/unmatched",
		summary: "List payments that belong to no charge", text: "Money in a wallet that is in no merchant's balance. Newest first.",
		query: append(pageParams(), statusParam()), errors: []int{http.StatusBadRequest},
		response: operator.UnmatchedPayments{Payments: []operator.UnmatchedPayment{exampleUnmatched()}},
	}, a.adminUnmatched)
	withAdmin(api, a, route{
		id: "adminResolveUnmatched", method: http.MethodPost, path: "/api/admin/unmatched/{id}/resolve",
		summary: "Note what was done about a payment", text: "Closes its alert as well. A resolved payment gets the new note. It moves no money.",
		errors: []int{http.StatusNotFound}, request: note, response: resolvedPayment{1, true},
	}, a.adminResolveUnmatched)
	withAdmin(api, a, route{
		id: "adminListDeliveries", method: http.MethodGet, path: "/api/admin/deliveries",
		summary: "List deliveries that failed or were dropped", text: "Of all merchants, newest first.",
		query: []*huma.Param{limitParam(operator.MaxRows), cursorParam(&huma.Schema{Type: huma.TypeString})}, errors: []int{http.StatusBadRequest},
		response: operator.Deliveries{Deliveries: []operator.Delivery{exampleUndelivered()}},
	}, a.adminDeliveries)
	withAdmin(api, a, route{
		id: "adminRedeliver", method: http.MethodPost, path: "/api/admin/deliveries/{id}/redeliver",
		summary: "Send a delivery of any merchant again", text: "The same bytes with a fresh signature. Refused while it is pending.",
		errors: []int{http.StatusBadRequest, http.StatusNotFound}, response: exampleUndelivered(),
	}, a.adminRedeliver)
	withAdmin(api, a, route{
		id: "adminListStuck", method: http.MethodGet, path: "/api/admin/stuck",
		summary: "List what has stopped", text: "Payouts that do not get on, confirmed charges whose money left the chain, wallets that are not watched.",
		response: operator.Stuck{Overdue: []operator.OverdueItem{}, Payouts: []operator.StuckPayout{}, Charges: []operator.UnbackedCharge{}, Wallets: []operator.StaleWallet{}},
	}, func(ctx context.Context, _ operator.Actor, _ *none) (*out[operator.Stuck], error) {
		return answer(a.admin.Stuck(ctx))
	})
	withAdmin(api, a, route{
		id: "adminListAlerts", method: http.MethodGet, path: "/api/admin/alerts",
		summary: "List alerts", text: "What operators must look at, newest first.",
		query: append(pageParams(), statusParam()), errors: []int{http.StatusBadRequest},
		response: operator.Alerts{Alerts: []operator.Alert{exampleAlert()}},
	}, a.adminAlerts)
	withAdmin(api, a, route{
		id: "adminResolveAlert", method: http.MethodPost, path: "/api/admin/alerts/{id}/resolve",
		summary: "Close an alert", text: "One that is closed stays as it is. When its cause goes on, it is opened again.",
		errors: []int{http.StatusNotFound}, request: note, response: exampleAlert(),
	}, a.adminResolveAlert)
	withAdmin(api, a, route{
		id: "adminListChanges", method: http.MethodGet, path: "/api/admin/audit",
		summary: "List what operators changed", text: "Newest first; nothing is ever removed.",
		query: pageParams(), errors: []int{http.StatusBadRequest},
		response: operator.Changes{Changes: []operator.Change{exampleChange()}},
	}, a.adminChanges)
}

func (a *app) adminUnmatched(ctx context.Context, _ operator.Actor, in *struct{ query }) (*out[operator.UnmatchedPayments], error) {
	return pageOf(in.query, func(resolved bool, p operator.Page) (operator.UnmatchedPayments, error) {
		return a.admin.Unmatched(ctx, resolved, p)
	})
}

func (a *app) adminAlerts(ctx context.Context, _ operator.Actor, in *struct{ query }) (*out[operator.Alerts], error) {
	return pageOf(in.query, func(resolved bool, p operator.Page) (operator.Alerts, error) {
		return a.admin.Alerts(ctx, resolved, p)
	})
}

func (a *app) adminChanges(ctx context.Context, _ operator.Actor, in *struct{ query }) (*out[operator.Changes], error) {
	return pageOf(in.query, func(_ bool, p operator.Page) (operator.Changes, error) { return a.admin.Changes(ctx, p) })
}

// pageOf answers a list by its query.
func pageOf[T any](q query, list func(resolved bool, p operator.Page) (T, error)) (*out[T], error) {
	page, err := q.page()
	if err != nil {
		return nil, err
	}
	resolved, err := q.resolved()
	if err != nil {
		return nil, err
	}
	return answer(list(resolved, page))
}

func (a *app) adminResolveUnmatched(ctx context.Context, who operator.Actor, in *noteInput) (*out[resolvedPayment], error) {
	id, note, err := in.read()
	if err != nil {
		return nil, err
	}
	return answer(resolvedPayment{id, true}, a.admin.ResolveUnmatched(ctx, who, id, note))
}

func (a *app) adminResolveAlert(ctx context.Context, who operator.Actor, in *noteInput) (*out[operator.Alert], error) {
	id, note, err := in.read()
	if err != nil {
		return nil, err
	}
	return answer(a.admin.ResolveAlert(ctx, who, id, note))
}

func (a *app) adminDeliveries(ctx context.Context, _ operator.Actor, in *struct{ query }) (*out[operator.Deliveries], error) {
	page, err := in.deliveryPage()
	if err != nil {
		return nil, err
	}
	return answer(a.admin.Undelivered(ctx, page))
}

func (a *app) adminRedeliver(ctx context.Context, who operator.Actor, in *deliveryInput) (*out[operator.Delivery], error) {
	if !plainID(in.ID, "whd_") {
		return nil, notFound("delivery")
	}
	return answer(a.admin.SendAgain(ctx, who, in.ID))
}
