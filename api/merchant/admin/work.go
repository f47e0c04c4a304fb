package admin

import (
	"context"
	"strconv"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/operator"
)

type noteInput struct {
	ID   string `path:"id" doc:"Number of the row" example:"1"`
	Body httpapi.Body[newNote]
}

// read returns the row's number and the note about it. If the path has no valid number, the row
// is not found (404).
func (in *noteInput) read() (id int64, note string, err error) {
	if id, err = strconv.ParseInt(in.ID, 10, 64); err != nil {
		return 0, "", httpapi.NotFound("row")
	}
	return id, in.Body.Value().Note, nil
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
	page, err := in.TimePage()
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
