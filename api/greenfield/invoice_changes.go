package greenfield

import (
	"context"
	"encoding/json"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/wire"
)

type newStatus struct {
	Status *invoice.Status `json:"status" required:"true" enum:"Settled,Invalid" doc:"What the merchant says of it"`
}

type newMetadata struct {
	Metadata json.RawMessage `json:"metadata" required:"true" doc:"Any object; it replaces the one before"`
}

func (h *Invoices) mark(ctx context.Context, caller access.Key, id string, body newStatus) (*httpapi.Out[invoiceData], error) {
	var as charge.Mark
	switch {
	case body.Status != nil && *body.Status == invoice.Settled:
		as = charge.MarkedSettled
	case body.Status != nil && *body.Status == invoice.Invalid:
		as = charge.MarkedInvalid
	default:
		return nil, invalid("status", "status must be one of: Settled, Invalid")
	}
	if _, err := h.own(ctx, caller, id); err != nil {
		return nil, err
	}
	err := h.Start.Mark(ctx, caller, id, as)
	if refusals.Is(err, refusals.Accept) {
		err = invalid("status", "%s", refusals.Text(err))
	}
	if err != nil {
		return nil, err
	}
	return h.show(ctx, caller, id)
}

// describe replaces the metadata but keeps the values that the buyer has sent.
func (h *Invoices) describe(ctx context.Context, caller access.Key, id string, body newMetadata) (*httpapi.Out[invoiceData], error) {
	if _, err := h.own(ctx, caller, id); err != nil {
		return nil, err
	}
	meta, err := readMetadata(body.Metadata)
	if given := string(body.Metadata); given == "" || given == "null" {
		err = invalid("metadata", "metadata is required")
	}
	if err != nil {
		return nil, err
	}
	err = h.Store.Tx(ctx, func(q *db.Queries) error {
		row, err := q.LockCharge(ctx, id)
		if err != nil {
			return err
		}
		text, err := withBuyer(meta.text, row.Metadata)
		if err != nil {
			return err
		}
		return q.SetInvoiceMetadata(ctx, db.SetInvoiceMetadataParams{ID: id, Metadata: text, OrderID: meta.orderID, Description: meta.description})
	})
	if err != nil {
		return nil, err
	}
	return h.show(ctx, caller, id)
}

// withBuyer returns the metadata with the buyer's values of the previous metadata.
func withBuyer(text, before string) (string, error) {
	members, err := wire.Members([]byte(text))
	if err != nil {
		return "", err
	}
	old, err := wire.Members([]byte(before))
	if err != nil {
		return "", err
	}
	for _, m := range old {
		if m.Name == service.BuyerInfoKey {
			members = append(wire.Without(members, service.BuyerInfoKey), m)
		}
	}
	return wire.Object(members), nil
}
