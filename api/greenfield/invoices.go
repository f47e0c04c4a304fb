package greenfield

import (
	"context"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/postgres"
)

// Invoices answers requests about invoices, which are charges.
type Invoices struct {
	Store *postgres.Store
	Start service.Workflows
	Clock func() time.Time
	// PublicURL is the base URL that customers see, without a trailing slash.
	PublicURL string
}

// own returns an invoice that the caller may see.
func (h *Invoices) own(ctx context.Context, caller access.Key, id string) (postgres.ChargeFacts, error) {
	found, err := service.OwnCharge(ctx, h.Store, id, caller.MerchantID, caller.Mode, h.Clock())
	return found, missing(err, "invoice")
}

func (h *Invoices) show(ctx context.Context, caller access.Key, id string) (*httpapi.Out[invoiceData], error) {
	found, err := h.own(ctx, caller, id)
	if err != nil {
		return nil, err
	}
	return httpapi.With(h.view(found), nil)
}
