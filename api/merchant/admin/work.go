package admin

import (
	"context"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/internal/operator"
)

type noteInput struct {
	ID   string `path:"id" doc:"Number of the row" example:"1"`
	Body httpapi.Body[newNote]
}

// read returns the row's number and the note about it. If the path has no valid number, the row
// is not found (404).
func (in *noteInput) read() (id int64, note string, err error) {
	fields, err := in.Body.Read()
	if err != nil {
		return 0, "", err
	}
	if id, err = strconv.ParseInt(in.ID, 10, 64); err != nil {
		return 0, "", httpapi.NotFound("row")
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

// registerAdminWork registers the operators' routes about open work.
func (h *Admin) registerAdminWork(api operation.API) {
	note := newNote{"Paid back to the customer"}
	operation.WithAdmin(api, operation.Route{
		ID: "adminListUnmatched", Method: http.MethodGet, Path: "/api/admin/unmatched",
		Summary: "List payments that belong to no charge", Text: "Money in a wallet that is in no merchant's balance. Newest first.",
		Query: append(httpapi.PageParams(), httpapi.StatusParam()), Errors: []int{http.StatusBadRequest},
		Response: operator.UnmatchedPayments{Payments: []operator.UnmatchedPayment{exampleUnmatched()}},
	}, h.adminUnmatched)
	operation.WithAdmin(api, operation.Route{
		ID: "adminResolveUnmatched", Method: http.MethodPost, Path: "/api/admin/unmatched/{id}/resolve",
		Summary: "Note what was done about a payment", Text: "Closes its alert as well. A resolved payment gets the new note. It moves no money.",
		Errors: []int{http.StatusNotFound}, Request: note, Response: resolvedPayment{1, true},
	}, h.adminResolveUnmatched)
	operation.WithAdmin(api, operation.Route{
		ID: "adminListDeliveries", Method: http.MethodGet, Path: "/api/admin/deliveries",
		Summary: "List deliveries that failed or were dropped", Text: "Of all merchants, newest first.",
		Query: []*huma.Param{httpapi.LimitParam(operator.MaxRows), httpapi.CursorParam(&huma.Schema{Type: huma.TypeString})}, Errors: []int{http.StatusBadRequest},
		Response: operator.Deliveries{Deliveries: []operator.Delivery{exampleUndelivered()}},
	}, h.adminDeliveries)
	operation.WithAdmin(api, operation.Route{
		ID: "adminRedeliver", Method: http.MethodPost, Path: "/api/admin/deliveries/{id}/redeliver",
		Summary: "Send a delivery of any merchant again", Text: "The same bytes with a fresh signature. Refused while it is pending.",
		Errors: []int{http.StatusBadRequest, http.StatusNotFound}, Response: exampleUndelivered(),
	}, h.adminRedeliver)
	operation.WithAdmin(api, operation.Route{
		ID: "adminListStuck", Method: http.MethodGet, Path: "/api/admin/stuck",
		Summary: "List what has stopped", Text: "What is overdue, payouts, trades and refunds that do not get on, confirmed charges whose money left the chain, wallets that are not watched.",
		Response: operator.Stuck{
			Overdue: []operator.OverdueItem{}, Payouts: []operator.StuckPayout{}, Charges: []operator.UnbackedCharge{},
			Wallets: []operator.StaleWallet{}, Trades: []operator.StuckTrade{}, Claims: []operator.StuckClaim{},
		},
	}, func(ctx context.Context, _ operator.Actor, _ *httpapi.None) (*httpapi.Out[operator.Stuck], error) {
		return httpapi.With(h.Admin.Stuck(ctx))
	})
	operation.WithAdmin(api, operation.Route{
		ID: "adminListAlerts", Method: http.MethodGet, Path: "/api/admin/alerts",
		Summary: "List alerts", Text: "What operators must look at, newest first.",
		Query: append(httpapi.PageParams(), httpapi.StatusParam()), Errors: []int{http.StatusBadRequest},
		Response: operator.Alerts{Alerts: []operator.Alert{exampleAlert()}},
	}, h.adminAlerts)
	operation.WithAdmin(api, operation.Route{
		ID: "adminResolveAlert", Method: http.MethodPost, Path: "/api/admin/alerts/{id}/resolve",
		Summary: "Close an alert", Text: "One that is closed stays as it is. When its cause goes on, it is opened again.",
		Errors: []int{http.StatusNotFound}, Request: note, Response: exampleAlert(),
	}, h.adminResolveAlert)
	operation.WithAdmin(api, operation.Route{
		ID: "adminListChanges", Method: http.MethodGet, Path: "/api/admin/audit",
		Summary: "List what operators changed", Text: "Newest first; nothing is ever removed.",
		Query: httpapi.PageParams(), Errors: []int{http.StatusBadRequest},
		Response: operator.Changes{Changes: []operator.Change{exampleChange()}},
	}, h.adminChanges)
}

func (h *Admin) adminUnmatched(ctx context.Context, _ operator.Actor, in *struct{ httpapi.Query }) (*httpapi.Out[operator.UnmatchedPayments], error) {
	return pageOf(in.Query, func(resolved bool, p operator.Page) (operator.UnmatchedPayments, error) {
		return h.Admin.Unmatched(ctx, resolved, p)
	})
}

func (h *Admin) adminAlerts(ctx context.Context, _ operator.Actor, in *struct{ httpapi.Query }) (*httpapi.Out[operator.Alerts], error) {
	return pageOf(in.Query, func(resolved bool, p operator.Page) (operator.Alerts, error) {
		return h.Admin.Alerts(ctx, resolved, p)
	})
}

func (h *Admin) adminChanges(ctx context.Context, _ operator.Actor, in *struct{ httpapi.Query }) (*httpapi.Out[operator.Changes], error) {
	return pageOf(in.Query, func(_ bool, p operator.Page) (operator.Changes, error) { return h.Admin.Changes(ctx, p) })
}

// pageOf answers with the page of a list that the query asks for.
func pageOf[T any](q httpapi.Query, list func(resolved bool, p operator.Page) (T, error)) (*httpapi.Out[T], error) {
	page, err := q.Page()
	if err != nil {
		return nil, err
	}
	resolved, err := q.Resolved()
	if err != nil {
		return nil, err
	}
	return httpapi.With(list(resolved, page))
}

func (h *Admin) adminResolveUnmatched(ctx context.Context, who operator.Actor, in *noteInput) (*httpapi.Out[resolvedPayment], error) {
	id, note, err := in.read()
	if err != nil {
		return nil, err
	}
	return httpapi.With(resolvedPayment{id, true}, h.Admin.ResolveUnmatched(ctx, who, id, note))
}

func (h *Admin) adminResolveAlert(ctx context.Context, who operator.Actor, in *noteInput) (*httpapi.Out[operator.Alert], error) {
	id, note, err := in.read()
	if err != nil {
		return nil, err
	}
	return httpapi.With(h.Admin.ResolveAlert(ctx, who, id, note))
}

func (h *Admin) adminDeliveries(ctx context.Context, _ operator.Actor, in *struct{ httpapi.Query }) (*httpapi.Out[operator.Deliveries], error) {
	page, err := in.DeliveryPage()
	if err != nil {
		return nil, err
	}
	return httpapi.With(h.Admin.Undelivered(ctx, page))
}

func (h *Admin) adminRedeliver(ctx context.Context, who operator.Actor, in *undeliveredInput) (*httpapi.Out[operator.Delivery], error) {
	if !httpapi.PlainID(in.ID, "whd_") {
		return nil, httpapi.NotFound("delivery")
	}
	return httpapi.With(h.Admin.SendAgain(ctx, who, in.ID))
}

// registerAdminWallets registers the operators' routes about wallets.
func (h *Admin) registerAdminWallets(api operation.API) {
	operation.WithAdmin(api, operation.Route{
		ID: "adminListSafeMode", Method: http.MethodGet, Path: "/api/admin/safe-mode",
		Summary:  "List wallets in safe mode",
		Text:     "Those of merchants and of the exchange. Nothing is built, sent or handed out of them until an operator has recovered them.",
		Response: operator.SafeWallets{Wallets: []operator.SafeWallet{exampleSafeWallet()}},
	}, func(ctx context.Context, _ operator.Actor, _ *httpapi.None) (*httpapi.Out[operator.SafeWallets], error) {
		return httpapi.With(h.Admin.SafeMode(ctx))
	})
	operation.WithAdmin(api, operation.Route{
		ID: "adminGetInventory", Method: http.MethodGet, Path: "/api/admin/inventory",
		Summary: "Show the exchange's inventory", Text: "What its wallets hold, as their watchers last saw it, in whole coins.",
		Response: operator.Inventory{Holdings: []operator.Holding{exampleHolding()}},
	}, func(ctx context.Context, _ operator.Actor, _ *httpapi.None) (*httpapi.Out[operator.Inventory], error) {
		return httpapi.With(h.Admin.Inventory(ctx))
	})
}
