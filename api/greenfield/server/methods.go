package server

import (
	"context"
	"net/http"
	"strings"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/greenfield/dialect"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/permission"
)

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
