package greenfield

import (
	"context"
	"net/http"
	"strings"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/operation"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/permission"
)

// StorePath names a store. It is exported, like the types below, because Huma does not read
// parameters of unexported embedded types.
type StorePath struct {
	StoreID string `path:"storeId" doc:"Store: the merchant's identifier"`
}

// InStore names an invoice in a store.
type InStore struct {
	StorePath
	InvoiceID string `path:"invoiceId" doc:"Invoice: the charge's identifier" example:"ch_0123456789abcdef01234567"`
}

// Alone names an invoice, in the store of the key.
type Alone struct {
	InvoiceID string `path:"invoiceId" doc:"Invoice: the charge's identifier" example:"ch_0123456789abcdef01234567"`
}

// Paths of what the routes are about.
const (
	inStore   = "/api/v1/stores/{storeId}"
	hooks     = inStore + "/webhooks"
	hook      = hooks + "/{webhookId}"
	delivered = hook + "/deliveries/{deliveryId}"
	invoices  = inStore + "/invoices"
	oneIn     = invoices + "/{invoiceId}"
	oneAlone  = "/api/v1/invoices/{invoiceId}"
	pulls     = inStore + "/pull-payments"
	payouts   = inStore + "/payouts"
	onePayout = payouts + "/{payoutId}"
	pulled    = "/api/v1/pull-payments/{pullPaymentId}"
	thisKey   = "/api/v1/api-keys/current"
)

// register adds the routes. Each resource gets only the dependencies that it needs.
func register(api operation.API, d Deps) {
	server := &Server{Store: d.Store, Notices: d.Notices, Clock: d.Clock, OnionURL: d.OnionURL}
	operation.WithKey(api, operation.Route{ID: "ApiKeys_GetCurrentApiKey", At: "GET " + thisKey}, server.currentKey)
	operation.WithKey(api, operation.Route{ID: "ApiKeys_DeleteCurrentApiKey", At: "DELETE " + thisKey}, server.revokeKey)
	operation.Public(api, operation.Route{ID: "Health_GetHealth", At: "GET /api/v1/health", Limit: access.Public}, server.health)
	operation.WithKey(api, operation.Route{ID: "ServerInfo_GetServerInfo", At: "GET /api/v1/server/info"}, server.info)

	stores := &Stores{Store: d.Store, ChargeTimeout: d.ChargeTimeout}
	operation.WithKey(api, operation.Route{ID: "Stores_GetStores", At: "GET /api/v1/stores", Permission: permission.ViewStoreSettings}, stores.list)
	operation.WithKey(api, operation.Route{ID: "Stores_GetStore", At: "GET " + inStore, Permission: permission.ViewStoreSettings}, stores.get)
	operation.WithKey(api, operation.Route{ID: "StorePaymentMethods_GetStorePaymentMethods", At: "GET " + inStore + "/payment-methods", Permission: permission.ViewStoreSettings}, stores.methods)

	w := &Webhooks{Store: d.Store, Webhooks: service.Webhooks{Box: d.Box, Clock: d.Clock}, Clock: d.Clock}
	operation.WithKey(api, operation.Route{ID: "Webhooks_CreateWebhook", At: "POST " + hooks, Permission: permission.ModifyWebhooks, Confirmed: true}, w.create)
	operation.WithKey(api, operation.Route{ID: "Webhooks_GetWebhooks", At: "GET " + hooks, Permission: permission.ModifyWebhooks}, w.list)
	operation.WithKey(api, operation.Route{ID: "Webhooks_GetWebhook", At: "GET " + hook, Permission: permission.ModifyWebhooks}, w.get)
	operation.WithKey(api, operation.Route{ID: "Webhooks_UpdateWebhook", At: "PUT " + hook, Permission: permission.ModifyWebhooks, Confirmed: true}, w.update)
	operation.WithKey(api, operation.Route{ID: "Webhooks_DeleteWebhook", At: "DELETE " + hook, Permission: permission.ModifyWebhooks}, w.remove)
	operation.WithKey(api, operation.Route{ID: "Webhooks_GetWebhookDeliveries", At: "GET " + hook + "/deliveries", Permission: permission.ModifyWebhooks}, w.deliveries)
	operation.WithKey(api, operation.Route{ID: "Webhooks_GetWebhookDelivery", At: "GET " + delivered, Permission: permission.ModifyWebhooks}, w.delivery)
	operation.WithKey(api, operation.Route{ID: "Webhooks_GetWebhookDeliveryRequest", At: "GET " + delivered + "/request", Permission: permission.ModifyWebhooks}, w.request)
	operation.WithKey(api, operation.Route{ID: "Webhooks_RedeliverWebhookDelivery", At: "POST " + delivered + "/redeliver", Permission: permission.ModifyWebhooks, Knocks: true}, w.redeliver)

	i := &Invoices{Store: d.Store, Start: d.Start, Clock: d.Clock, PublicURL: d.PublicURL}
	operation.WithKey(api, operation.Route{ID: "Invoices_CreateInvoice", At: "POST " + invoices, Permission: permission.CreateInvoice, Limit: access.Create}, i.create)
	operation.WithKey(api, operation.Route{ID: "Invoices_GetInvoices", At: "GET " + invoices, Permission: permission.ViewInvoices}, i.list)
	ofInvoice(api, operation.Route{ID: "Invoices_GetInvoice", At: "GET " + oneIn, Permission: permission.ViewInvoices}, i.show)
	ofInvoice(api, operation.Route{ID: "Invoices_GetInvoicePaymentMethods", At: "GET " + oneIn + "/payment-methods", Permission: permission.ViewInvoices}, i.methods)
	changeOfInvoice(api, operation.Route{ID: "Invoices_MarkInvoiceStatus", At: "POST " + oneIn + "/status", Permission: permission.ModifyInvoices}, i.mark)
	changeOfInvoice(api, operation.Route{ID: "Invoices_UpdateInvoice", At: "PUT " + oneIn, Permission: permission.ModifyInvoices}, i.describe)

	p := &PullPayments{Links: d.Refunds}
	operation.WithKey(api, operation.Route{ID: "PullPayments_CreatePullPayment", At: "POST " + pulls, Permission: permission.CreateNonApprovedPullPayments, Limit: access.Create}, p.create)
	operation.WithKey(api, operation.Route{ID: "Invoices_RefundInvoice", At: "POST " + oneIn + "/refund", Permission: permission.CreateNonApprovedPullPayments, Limit: access.Create}, p.refund)
	operation.WithKey(api, operation.Route{ID: "PullPayments_GetPullPayments", At: "GET " + pulls, Permission: permission.ViewPullPayments}, p.list)
	operation.WithKey(api, operation.Route{ID: "PullPayments_ArchivePullPayment", At: "DELETE " + pulls + "/{pullPaymentId}", Permission: permission.ArchivePullPayments}, p.archive)
	operation.WithKey(api, operation.Route{ID: "Payouts_GetStorePayouts", At: "GET " + payouts, Permission: permission.ViewPayouts}, p.payouts)
	operation.WithKey(api, operation.Route{ID: "Payouts_GetStorePayout", At: "GET " + onePayout, Permission: permission.ViewPayouts}, p.payout)
	operation.WithKey(api, operation.Route{ID: "Payouts_ApprovePayout", At: "POST " + onePayout, Permission: permission.MoveMoney}, p.approve)
	operation.WithKey(api, operation.Route{ID: "Payouts_CancelPayout", At: "DELETE " + onePayout, Permission: permission.ManagePayouts}, p.cancel)
	operation.WithKey(api, operation.Route{ID: "Payouts_MarkPayoutPaid", At: "POST " + onePayout + "/mark-paid", Permission: permission.ManagePayouts}, p.markPaid)
	operation.Public(api, operation.Route{ID: "PullPayments_GetPullPayment", At: "GET " + pulled, Limit: access.Public}, p.get)
	operation.Public(api, operation.Route{ID: "PullPayments_GetPayouts", At: "GET " + pulled + "/payouts", Limit: access.Public}, p.claims)
	operation.Public(api, operation.Route{ID: "PullPayments_CreatePayout", At: "POST " + pulled + "/payouts", Limit: access.Create}, p.claim)
	operation.Public(api, operation.Route{ID: "PullPayments_GetPayout", At: "GET " + pulled + "/payouts/{payoutId}", Limit: access.Public}, p.claimed)
}

// ofInvoice adds a route about an invoice twice: with the store, and for the store of the key.
func ofInvoice[O any](api operation.API, r operation.Route, h func(ctx context.Context, caller access.Key, id string) (*httpapi.Out[O], error)) {
	operation.WithKey(api, r, func(ctx context.Context, caller access.Key, in *InStore) (*httpapi.Out[O], error) {
		return h(ctx, caller, in.InvoiceID)
	})
	operation.WithKey(api, withoutStore(r), func(ctx context.Context, caller access.Key, in *Alone) (*httpapi.Out[O], error) {
		return h(ctx, caller, in.InvoiceID)
	})
}

// changeOfInvoice is ofInvoice for a route with a body.
func changeOfInvoice[B any](api operation.API, r operation.Route, h func(ctx context.Context, caller access.Key, id string, body B) (*httpapi.Out[invoiceData], error)) {
	operation.WithKey(api, r, func(ctx context.Context, caller access.Key, in *struct {
		InStore
		Body httpapi.Body[B]
	},
	) (*httpapi.Out[invoiceData], error) {
		return h(ctx, caller, in.InvoiceID, in.Body.Value())
	})
	operation.WithKey(api, withoutStore(r), func(ctx context.Context, caller access.Key, in *struct {
		Alone
		Body httpapi.Body[B]
	},
	) (*httpapi.Out[invoiceData], error) {
		return h(ctx, caller, in.InvoiceID, in.Body.Value())
	})
}

// withoutStore returns the variant of a route for the store of the key.
func withoutStore(r operation.Route) operation.Route {
	r.ID += "WithoutStore"
	r.At = strings.Replace(r.At, oneIn, oneAlone, 1)
	return r
}

// tooMany answers a browser that follows the surface's links above the limit.
func tooMany(w http.ResponseWriter, _ *http.Request) {
	refuse(w, http.StatusTooManyRequests, "Too many requests, try again later")
}

// NotFound answers a path of the surface without a route.
func NotFound(w http.ResponseWriter) { refuse(w, http.StatusNotFound, "There is nothing at this path") }

// MethodNotAllowed answers a method that a path of the surface does not have.
func MethodNotAllowed(w http.ResponseWriter) {
	refuse(w, http.StatusMethodNotAllowed, "This path does not have this method")
}
