package admin

import (
	"context"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/operation"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/operator"
)

// registerLooks registers the routes that find and show what merchants and the exchange have.
func (h *Admin) registerLooks(api operation.API) {
	operation.WithAdmin(api, operation.Route{ID: "adminFind", At: "GET /api/admin/find"}, h.adminFind)
	operation.WithAdmin(api, operation.Route{ID: "adminGetHealth", At: "GET /api/admin/health"}, func(ctx context.Context, _ operator.Actor, _ *httpapi.None) (*httpapi.Out[operator.Health], error) {
		return httpapi.With(h.Admin.Health(ctx))
	})
	operation.WithAdmin(api, operation.Route{ID: "adminListCharges", At: "GET /api/admin/charges"}, h.adminCharges)
	operation.WithAdmin(api, operation.Route{ID: "adminGetCharge", At: "GET /api/admin/charges/{id}"}, func(ctx context.Context, _ operator.Actor, in *chargeInput) (*httpapi.Out[operator.WholeCharge], error) {
		return one(in.ID, "ch_", func(id string) (operator.WholeCharge, error) { return h.Admin.ChargeByID(ctx, id) })
	})
	operation.WithAdmin(api, operation.Route{ID: "adminListPayouts", At: "GET /api/admin/payouts"}, h.adminPayouts)
	operation.WithAdmin(api, operation.Route{ID: "adminGetPayout", At: "GET /api/admin/payouts/{id}"}, func(ctx context.Context, _ operator.Actor, in *payoutInput) (*httpapi.Out[operator.WholePayout], error) {
		return one(in.ID, "po_", func(id string) (operator.WholePayout, error) { return h.Admin.Payout(ctx, id) })
	})
	operation.WithAdmin(api, operation.Route{ID: "adminListRefunds", At: "GET /api/admin/refunds"}, h.adminRefunds)
	operation.WithAdmin(api, operation.Route{ID: "adminGetRefund", At: "GET /api/admin/refunds/{id}"}, func(ctx context.Context, _ operator.Actor, in *refundInput) (*httpapi.Out[operator.WholeRefund], error) {
		return one(in.ID, "rf_", func(id string) (operator.WholeRefund, error) { return h.Admin.RefundByID(ctx, id) })
	})
	operation.WithAdmin(api, operation.Route{ID: "adminListTrades", At: "GET /api/admin/trades"}, h.adminTrades)
	operation.WithAdmin(api, operation.Route{ID: "adminGetTrade", At: "GET /api/admin/trades/{id}"}, func(ctx context.Context, _ operator.Actor, in *tradeInput) (*httpapi.Out[operator.WholeTrade], error) {
		return one(in.ID, "", func(id string) (operator.WholeTrade, error) { return h.Admin.Trade(ctx, id) })
	})
}

type chargeInput struct {
	ID string `path:"id" doc:"Charge identifier" example:"ch_0123456789abcdef01234567"`
}

type payoutInput struct {
	ID string `path:"id" doc:"Payout identifier" example:"po_0123456789abcdef01234567"`
}

type refundInput struct {
	ID string `path:"id" doc:"Refund identifier" example:"rf_0123456789abcdef01234567"`
}

type tradeInput struct {
	ID string `path:"id" doc:"Trade identifier, 32 hex digits" example:"0123456789abcdef0123456789abcdef"`
}

// one answers with one row. An identifier of another form is not found (404).
func one[T any](id, prefix string, show func(id string) (T, error)) (*httpapi.Out[T], error) {
	if !httpapi.PlainID(id, prefix) {
		return nil, httpapi.NotFound("row")
	}
	return httpapi.With(show(id))
}

// adminFind searches. The text is a parameter, because operators keep links to what they found.
func (h *Admin) adminFind(ctx context.Context, _ operator.Actor, in *struct{ httpapi.Query }) (*httpapi.Out[operator.Found], error) {
	text, _, err := in.Single("text")
	if err != nil {
		return nil, err
	}
	return httpapi.With(h.Admin.Find(ctx, text))
}

// filtered answers with a page of a list that has a status and a merchant.
func filtered[T any](q httpapi.Query, list func(f operator.Filter, p operator.TimePage) (T, error)) (*httpapi.Out[T], error) {
	page, err := q.TimePage()
	if err != nil {
		return nil, err
	}
	var f operator.Filter
	if f.Status, _, err = q.Single("status"); err != nil {
		return nil, err
	}
	if f.MerchantID, _, err = q.Single("merchant_id"); err != nil {
		return nil, err
	}
	return httpapi.With(list(f, page))
}

func (h *Admin) adminCharges(ctx context.Context, _ operator.Actor, in *struct{ httpapi.Query }) (*httpapi.Out[operator.Charges], error) {
	mode, err := in.OneOf("mode", string(config.Live), string(config.Sandbox))
	if err != nil {
		return nil, err
	}
	return filtered(in.Query, func(f operator.Filter, p operator.TimePage) (operator.Charges, error) {
		return h.Admin.Charges(ctx, config.Mode(mode), f, p)
	})
}

func (h *Admin) adminPayouts(ctx context.Context, _ operator.Actor, in *struct{ httpapi.Query }) (*httpapi.Out[operator.Payouts], error) {
	return filtered(in.Query, func(f operator.Filter, p operator.TimePage) (operator.Payouts, error) {
		return h.Admin.Payouts(ctx, f, p)
	})
}

func (h *Admin) adminRefunds(ctx context.Context, _ operator.Actor, in *struct{ httpapi.Query }) (*httpapi.Out[operator.Refunds], error) {
	return filtered(in.Query, func(f operator.Filter, p operator.TimePage) (operator.Refunds, error) {
		return h.Admin.Refunds(ctx, f, p)
	})
}

func (h *Admin) adminTrades(ctx context.Context, _ operator.Actor, in *struct{ httpapi.Query }) (*httpapi.Out[operator.Trades], error) {
	return filtered(in.Query, func(f operator.Filter, p operator.TimePage) (operator.Trades, error) {
		return h.Admin.Trades(ctx, f.Status, p)
	})
}
