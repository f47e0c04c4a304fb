package greenfield

import (
	"context"
	"strings"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
)

func (h *Stores) view(id, name string) store {
	return store{
		ID: id, Name: name, DefaultCurrency: string(money.USD), InvoiceExpiration: int64(h.ChargeTimeout / time.Second),
		SpeedPolicy: string(invoice.LowSpeed), DefaultPaymentMethod: invoice.MethodXMR,
	}
}

// Stores answers requests about stores.
type Stores struct {
	Store *postgres.Store
	// ChargeTimeout is how long a charge awaits payment unless the invoice sets its own
	// timeout.
	ChargeTimeout time.Duration
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

func (h *Stores) get(ctx context.Context, caller access.Key, _ *StorePath) (*httpapi.Out[store], error) {
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

// shape is the list of BTCPay 2.x or the object of 1.x.
type shape struct{ Body any }

func (h *Stores) methods(_ context.Context, caller access.Key, _ *StorePath) (*shape, error) {
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
