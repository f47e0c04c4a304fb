package server

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/greenfield/dialect"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres"
)

func (h *Stores) view(id, name string) store {
	return store{
		ID: id, Name: name, DefaultCurrency: string(money.USD), InvoiceExpiration: int64(h.ChargeTimeout / time.Second),
		SpeedPolicy: string(invoice.LowSpeed), DefaultPaymentMethod: invoice.MethodXMR,
	}
}

func (h *Stores) example() store { return h.view(example.MerchantID, "Example Shop") }

// Stores answers requests about stores.
type Stores struct {
	Store *postgres.Store
	// ChargeTimeout is how long a charge awaits payment unless the invoice sets its own
	// timeout.
	ChargeTimeout time.Duration
}

// path names a store.
type path struct {
	StoreID string `path:"storeId" doc:"Store: the merchant's identifier"`
}

// Register adds the routes.
func (h *Stores) Register(api dialect.API) {
	dialect.WithKey(api, dialect.Route{
		ID: "Stores_GetStores", Method: http.MethodGet, Path: "/api/v1/stores", Tag: dialect.TagStores, Permission: permission.ViewStoreSettings,
		Summary: "List the stores of the key", Text: "It is one: the merchant whose key it is.", Response: []store{h.example()},
	}, h.list)
	dialect.WithKey(api, dialect.Route{
		ID: "Stores_GetStore", Method: http.MethodGet, Path: "/api/v1/stores/{storeId}", Tag: dialect.TagStores, Permission: permission.ViewStoreSettings,
		Summary: "Get a store", Text: "What is set here is set by the merchant's account or by operators.", Response: h.example(),
	}, h.get)
	h.registerMethods(api)
}

// store is a store in the dialect's format.
type store struct {
	ID                   string `json:"id" doc:"Store: the merchant's identifier"`
	Name                 string `json:"name" doc:"The merchant's business name"`
	Website              string `json:"website" doc:"Always empty"`
	DefaultCurrency      string `json:"defaultCurrency" doc:"Currency of invoices that name none"`
	InvoiceExpiration    int64  `json:"invoiceExpiration" doc:"Seconds that an invoice waits for money unless it says otherwise"`
	MonitoringExpiration int64  `json:"monitoringExpiration" doc:"Seconds after its expiration in which late money settles an invoice; 0: for ever"`
	SpeedPolicy          string `json:"speedPolicy" doc:"LowSpeed stands for the number of blocks that operators have set"`
	PaymentTolerance     int    `json:"paymentTolerance" doc:"Always 0: an invoice without one has what operators have set"`
	DefaultPaymentMethod string `json:"defaultPaymentMethod" doc:"Payment method"`
	Archived             bool   `json:"archived" doc:"Always false"`
}

func (h *Stores) list(ctx context.Context, caller access.Key, _ *httpapi.None) (*httpapi.Out[[]store], error) {
	v, err := h.read(ctx, caller)
	return httpapi.With([]store{v}, err)
}

func (h *Stores) get(ctx context.Context, caller access.Key, _ *path) (*httpapi.Out[store], error) {
	return httpapi.With(h.read(ctx, caller))
}

// read returns the store of the key. The guard has compared it with the path's store.
func (h *Stores) read(ctx context.Context, caller access.Key) (store, error) {
	m, err := h.Store.GetMerchant(ctx, caller.MerchantID)
	if err != nil {
		return store{}, err
	}
	return h.view(m.MerchantID, m.BusinessName), nil
}

type storePaymentMethod struct {
	PaymentMethodID string `json:"paymentMethodId" doc:"Payment method"`
	Enabled         bool   `json:"enabled" doc:"Always true"`
}

// legacyMethod is a payment method in the format of BTCPay 1.x.
type legacyMethod struct {
	Enabled    bool   `json:"enabled"`
	CryptoCode string `json:"cryptoCode"`
}

// registerMethods adds the store's payment methods.
func (h *Stores) registerMethods(api dialect.API) {
	const path = "/api/v1/stores/{storeId}/payment-methods"
	dialect.WithKey(api, dialect.Route{
		ID: "StorePaymentMethods_GetStorePaymentMethods", Method: http.MethodGet, Path: path, Tag: dialect.TagStores,
		Permission: permission.ViewStoreSettings, Summary: "List the payment methods of a store",
		Text: "One: XMR-CHAIN. A key whose label says Shopware gets the object of BTCPay 1.x, by " +
			"currency, since that plugin understands nothing else; every other key the list of 2.x.",
		Response: []storePaymentMethod{{invoice.MethodXMR, true}},
	}, h.methods)
}

// shape is the list of BTCPay 2.x or the object of 1.x.
type shape struct{ Body any }

func (h *Stores) methods(_ context.Context, caller access.Key, _ *path) (*shape, error) {
	if legacy(caller) {
		return &shape{map[string]legacyMethod{invoice.LegacyXMR: {true, invoice.LegacyXMR}}}, nil
	}
	return &shape{[]storePaymentMethod{{invoice.MethodXMR, true}}}, nil
}

// legacy reports whether a key belongs to a plugin that supports only BTCPay 1.x. It checks
// the key's label, which the application or the merchant chose.
func legacy(caller access.Key) bool {
	return strings.Contains(strings.ToLower(caller.Label), "shopware")
}
