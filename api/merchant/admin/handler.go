package admin

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/operation"
	"github.com/durapay/durapay/internal/operator"
)

// Admin answers requests of operators.
type Admin struct {
	Admin *operator.Admin
}

// Register registers the operators' routes.
func (h *Admin) Register(api operation.API) {
	h.registerLooks(api)
	operation.WithAdmin(api, operation.Route{ID: "adminListMerchants", At: "GET /api/admin/merchants"}, h.adminMerchants)
	operation.WithAdmin(api, operation.Route{ID: "adminGetMerchant", At: "GET /api/admin/merchants/{id}"}, func(ctx context.Context, _ operator.Actor, in *merchantInput) (*httpapi.Out[operator.Merchant], error) {
		return httpapi.With(h.Admin.Merchant(ctx, merchantOf(in.ID)))
	})
	operation.WithAdmin(api, operation.Route{ID: "adminSuspend", At: "POST /api/admin/merchants/{id}/suspend"}, func(ctx context.Context, who operator.Actor, in *merchantInput) (*httpapi.Out[operator.Merchant], error) {
		return httpapi.With(h.Admin.Suspend(ctx, who, merchantOf(in.ID), true))
	})
	operation.WithAdmin(api, operation.Route{ID: "adminUnsuspend", At: "POST /api/admin/merchants/{id}/unsuspend"}, func(ctx context.Context, who operator.Actor, in *merchantInput) (*httpapi.Out[operator.Merchant], error) {
		return httpapi.With(h.Admin.Suspend(ctx, who, merchantOf(in.ID), false))
	})
	operation.WithAdmin(api, operation.Route{ID: "adminSetTerms", At: "POST /api/admin/merchants/{id}/terms"}, h.adminTerms)
	operation.WithAdmin(api, operation.Route{ID: "adminListFeeTiers", At: "GET /api/admin/fee-tiers"}, func(ctx context.Context, _ operator.Actor, _ *httpapi.None) (*httpapi.Out[operator.Tiers], error) {
		return httpapi.With(h.Admin.Tiers(ctx))
	})
	operation.WithAdmin(api, operation.Route{ID: "adminSetFeeTiers", At: "POST /api/admin/fee-tiers"}, h.adminSetTiers)
	operation.WithAdmin(api, operation.Route{ID: "adminHold", At: "POST /api/admin/merchants/{id}/hold"}, func(ctx context.Context, who operator.Actor, in *holdInput) (*httpapi.Out[operator.Merchant], error) {
		fields := in.Body.Value()
		return httpapi.With(h.Admin.Hold(ctx, who, merchantOf(in.ID), time.Time(fields.Until)))
	})
	operation.WithAdmin(api, operation.Route{ID: "adminListUnmatched", At: "GET /api/admin/unmatched"}, h.adminUnmatched)
	operation.WithAdmin(api, operation.Route{ID: "adminResolveUnmatched", At: "POST /api/admin/unmatched/{id}/resolve"}, h.adminResolveUnmatched)
	operation.WithAdmin(api, operation.Route{ID: "adminListDeliveries", At: "GET /api/admin/deliveries"}, h.adminDeliveries)
	operation.WithAdmin(api, operation.Route{ID: "adminRedeliver", At: "POST /api/admin/deliveries/{id}/redeliver"}, h.adminRedeliver)
	operation.WithAdmin(api, operation.Route{ID: "adminListStuck", At: "GET /api/admin/stuck"}, func(ctx context.Context, _ operator.Actor, _ *httpapi.None) (*httpapi.Out[operator.Stuck], error) {
		return httpapi.With(h.Admin.Stuck(ctx))
	})
	operation.WithAdmin(api, operation.Route{ID: "adminListAlerts", At: "GET /api/admin/alerts"}, h.adminAlerts)
	operation.WithAdmin(api, operation.Route{ID: "adminResolveAlert", At: "POST /api/admin/alerts/{id}/resolve"}, h.adminResolveAlert)
	operation.WithAdmin(api, operation.Route{ID: "adminListChanges", At: "GET /api/admin/audit"}, h.adminChanges)
	operation.WithAdmin(api, operation.Route{ID: "adminListSafeMode", At: "GET /api/admin/safe-mode"}, func(ctx context.Context, _ operator.Actor, _ *httpapi.None) (*httpapi.Out[operator.SafeWallets], error) {
		return httpapi.With(h.Admin.SafeMode(ctx))
	})
	operation.WithAdmin(api, operation.Route{ID: "adminGetInventory", At: "GET /api/admin/inventory"}, func(ctx context.Context, _ operator.Actor, _ *httpapi.None) (*httpapi.Out[operator.Inventory], error) {
		return httpapi.With(h.Admin.Inventory(ctx))
	})
}

// Probes answers the probes.
type Probes struct {
	// Ready answers /readyz: whether every part that the service needs is usable.
	Ready http.Handler
}

// Register registers the probes.
func (h *Probes) Register(api operation.API) {
	operation.Public(api, operation.Route{ID: "livez", At: "GET /livez", Limit: access.None}, func(context.Context, *httpapi.None) (*httpapi.Out[alive], error) {
		return httpapi.With(alive{"ok"}, nil)
	})
	operation.Public(api, operation.Route{ID: "readyz", At: "GET /readyz", Limit: access.None}, h.readyz)
	operation.Describe[readiness](api, "GET /readyz", http.StatusOK, httpapi.JSON)
}

type alive struct {
	Status string `json:"status" example:"ok"`
}

type readiness struct {
	Status string            `json:"status" enum:"ready,unavailable"`
	Parts  map[string]string `json:"parts" doc:"State of each part: ok or failing"`
}

// probe is an answer that another handler writes.
type probe struct{ Body func(huma.Context) }

func (h *Probes) readyz(context.Context, *httpapi.None) (*probe, error) {
	return &probe{func(ctx huma.Context) {
		r, w := humachi.Unwrap(ctx)
		h.Ready.ServeHTTP(w, r)
	}}, nil
}
