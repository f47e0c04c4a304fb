// Package invoices is the room for invoices, which are charges: creating, listing and reading
// them, their payments, their metadata, and marking them by hand.
package invoices

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/greenfield/dialect"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
)

// Handler answers requests about invoices.
type Handler struct {
	Store *postgres.Store
	Start service.Workflows
	Clock func() time.Time
	// PublicURL is the base URL that customers see, without a trailing slash.
	PublicURL string
}

// StorePath names a store. It is exported, like the two types below, because Huma does not
// read parameters of unexported embedded types.
type StorePath struct {
	StoreID string `path:"storeId" doc:"Store: the merchant's identifier"`
}

// InStore names an invoice in a store.
type InStore struct {
	StorePath
	InvoiceID string `path:"invoiceId" doc:"Invoice: the charge's identifier" example:"ch_0123456789abcdef01234567"`
}

func (in *InStore) invoice() string { return in.InvoiceID }

// Alone names an invoice, in the store of the key.
type Alone struct {
	InvoiceID string `path:"invoiceId" doc:"Invoice: the charge's identifier" example:"ch_0123456789abcdef01234567"`
}

func (in *Alone) invoice() string { return in.InvoiceID }

// Register adds the routes.
func (h *Handler) Register(api dialect.API) {
	h.registerCreate(api)
	h.registerList(api)
	h.registerOne(api)
	h.registerChanges(api)
}

// own returns an invoice that the caller may see.
func (h *Handler) own(ctx context.Context, caller access.Key, id string) (postgres.ChargeFacts, error) {
	found, err := service.OwnCharge(ctx, h.Store, id, caller.MerchantID, caller.Mode, h.Clock())
	if p := httpapi.Told(err); p != nil && p.Status == http.StatusNotFound {
		return found, dialect.NotFound("invoice")
	}
	return found, err
}

func exampleCharge() (charge.Charge, charge.Facts) {
	rate, at := money.MustDecimal("163.52"), example.Time()
	options := `{"speedPolicy":"LowSpeed","expirationMinutes":60,"redirectURL":"https://shop.example.com/thanks","defaultLanguage":"de-DE"}`
	return charge.Charge{
		ID: example.ChargeID, MerchantID: example.MerchantID, Source: charge.FromAPI, Subaddress: example.Address,
		Amount: money.MustDecimal("49.9"), Currency: money.USD, AmountXMR: 305_161_448_141, ConfirmFrom: 305_161_448_141,
		XMRRate: &rate, RateAt: &at, Status: charge.Pending, ConfirmationsRequired: 6, CreatedAt: at, ExpiresAt: at.Add(time.Hour),
		LinkActive: true, Metadata: json.RawMessage(`{"orderId":"A-1001"}`), Checkout: &options,
	}, charge.Facts{Now: at}
}

func (h *Handler) example() invoiceData {
	c, f := exampleCharge()
	return viewOf(c, f, example.URL)
}

func exampleRequest() any {
	return map[string]any{
		"amount": "49.90", "currency": "USD", "metadata": map[string]string{"orderId": "A-1001"},
		"checkout": map[string]any{"expirationMinutes": 60, "redirectURL": "https://shop.example.com/thanks", "defaultLanguage": "de-DE"},
	}
}
