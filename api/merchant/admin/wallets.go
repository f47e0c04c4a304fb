package admin

import (
	"context"
	"net/http"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/internal/operator"
)

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
