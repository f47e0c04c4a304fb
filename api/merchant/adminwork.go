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

type undeliveredInput struct {
	ID string `path:"id" doc:"Delivery identifier" example:"whd_0123456789abcdef01234567"`
}

// registerAdminWork adds what waits for operators.
func (h *adminRoom) registerAdminWork(api operations) {
	note := newNote{"Paid back to the customer"}
	withAdmin(api, route{
		id: "adminListUnmatched", method: http.MethodGet, path: "/api/admin/unmatched",
		summary: "List payments that belong to no charge", text: "Money in a wallet that is in no merchant's balance. Newest first.",
		query: append(pageParams(), statusParam()), errors: []int{http.StatusBadRequest},
		response: operator.UnmatchedPayments{Payments: []operator.UnmatchedPayment{exampleUnmatched()}},
	}, h.adminUnmatched)
	withAdmin(api, route{
		id: "adminResolveUnmatched", method: http.MethodPost, path: "/api/admin/unmatched/{id}/resolve",
		summary: "Note what was done about a payment", text: "Closes its alert as well. A resolved payment gets the new note. It moves no money.",
		errors: []int{http.StatusNotFound}, request: note, response: resolvedPayment{1, true},
	}, h.adminResolveUnmatched)
	withAdmin(api, route{
		id: "adminListDeliveries", method: http.MethodGet, path: "/api/admin/deliveries",
		summary: "List deliveries that failed or were dropped", text: "Of all merchants, newest first.",
		query: []*huma.Param{limitParam(operator.MaxRows), cursorParam(&huma.Schema{Type: huma.TypeString})}, errors: []int{http.StatusBadRequest},
		response: operator.Deliveries{Deliveries: []operator.Delivery{exampleUndelivered()}},
	}, h.adminDeliveries)
	withAdmin(api, route{
		id: "adminRedeliver", method: http.MethodPost, path: "/api/admin/deliveries/{id}/redeliver",
		summary: "Send a delivery of any merchant again", text: "The same bytes with a fresh signature. Refused while it is pending.",
		errors: []int{http.StatusBadRequest, http.StatusNotFound}, response: exampleUndelivered(),
	}, h.adminRedeliver)
	withAdmin(api, route{
		id: "adminListStuck", method: http.MethodGet, path: "/api/admin/stuck",
		summary: "List what has stopped", text: "Payouts that do not get on, confirmed charges whose money left the chain, wallets that are not watched.",
		response: operator.Stuck{Overdue: []operator.OverdueItem{}, Payouts: []operator.StuckPayout{}, Charges: []operator.UnbackedCharge{}, Wallets: []operator.StaleWallet{}},
	}, func(ctx context.Context, _ operator.Actor, _ *none) (*out[operator.Stuck], error) {
		return answer(h.Admin.Stuck(ctx))
	})
	withAdmin(api, route{
		id: "adminListAlerts", method: http.MethodGet, path: "/api/admin/alerts",
		summary: "List alerts", text: "What operators must look at, newest first.",
		query: append(pageParams(), statusParam()), errors: []int{http.StatusBadRequest},
		response: operator.Alerts{Alerts: []operator.Alert{exampleAlert()}},
	}, h.adminAlerts)
	withAdmin(api, route{
		id: "adminResolveAlert", method: http.MethodPost, path: "/api/admin/alerts/{id}/resolve",
		summary: "Close an alert", text: "One that is closed stays as it is. When its cause goes on, it is opened again.",
		errors: []int{http.StatusNotFound}, request: note, response: exampleAlert(),
	}, h.adminResolveAlert)
	withAdmin(api, route{
		id: "adminListChanges", method: http.MethodGet, path: "/api/admin/audit",
		summary: "List what operators changed", text: "Newest first; nothing is ever removed.",
		query: pageParams(), errors: []int{http.StatusBadRequest},
		response: operator.Changes{Changes: []operator.Change{exampleChange()}},
	}, h.adminChanges)
}

func (h *adminRoom) adminUnmatched(ctx context.Context, _ operator.Actor, in *struct{ query }) (*out[operator.UnmatchedPayments], error) {
	return pageOf(in.query, func(resolved bool, p operator.Page) (operator.UnmatchedPayments, error) {
		return h.Admin.Unmatched(ctx, resolved, p)
	})
}

func (h *adminRoom) adminAlerts(ctx context.Context, _ operator.Actor, in *struct{ query }) (*out[operator.Alerts], error) {
	return pageOf(in.query, func(resolved bool, p operator.Page) (operator.Alerts, error) {
		return h.Admin.Alerts(ctx, resolved, p)
	})
}

func (h *adminRoom) adminChanges(ctx context.Context, _ operator.Actor, in *struct{ query }) (*out[operator.Changes], error) {
	return pageOf(in.query, func(_ bool, p operator.Page) (operator.Changes, error) { return h.Admin.Changes(ctx, p) })
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

func (h *adminRoom) adminResolveUnmatched(ctx context.Context, who operator.Actor, in *noteInput) (*out[resolvedPayment], error) {
	id, note, err := in.read()
	if err != nil {
		return nil, err
	}
	return answer(resolvedPayment{id, true}, h.Admin.ResolveUnmatched(ctx, who, id, note))
}

func (h *adminRoom) adminResolveAlert(ctx context.Context, who operator.Actor, in *noteInput) (*out[operator.Alert], error) {
	id, note, err := in.read()
	if err != nil {
		return nil, err
	}
	return answer(h.Admin.ResolveAlert(ctx, who, id, note))
}

func (h *adminRoom) adminDeliveries(ctx context.Context, _ operator.Actor, in *struct{ query }) (*out[operator.Deliveries], error) {
	page, err := in.deliveryPage()
	if err != nil {
		return nil, err
	}
	return answer(h.Admin.Undelivered(ctx, page))
}

func (h *adminRoom) adminRedeliver(ctx context.Context, who operator.Actor, in *undeliveredInput) (*out[operator.Delivery], error) {
	if !plainID(in.ID, "whd_") {
		return nil, notFound("delivery")
	}
	return answer(h.Admin.SendAgain(ctx, who, in.ID))
}
