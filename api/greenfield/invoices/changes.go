package invoices

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/greenfield/dialect"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/permission"
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

// marking names an invoice in a store, with a status.
type marking struct {
	InStore
	Body httpapi.Body[newStatus]
}

func (in *marking) asked() (newStatus, error) { return in.Body.Read() }

// markingAlone names an invoice in the store of the key, with a status.
type markingAlone struct {
	Alone
	Body httpapi.Body[newStatus]
}

func (in *markingAlone) asked() (newStatus, error) { return in.Body.Read() }

// describing names an invoice in a store, with metadata.
type describing struct {
	InStore
	Body httpapi.Body[newMetadata]
}

func (in *describing) asked() (newMetadata, error) { return in.Body.Read() }

// describingAlone names an invoice in the store of the key, with metadata.
type describingAlone struct {
	Alone
	Body httpapi.Body[newMetadata]
}

func (in *describingAlone) asked() (newMetadata, error) { return in.Body.Read() }

// asks is an input that names an invoice and brings a body.
type asks[I, B any] interface {
	names[I]
	asked() (B, error)
}

func (h *Handler) registerChanges(api dialect.API) {
	settled := invoice.Settled
	mark := dialect.Route{
		ID: "Invoices_MarkInvoiceStatus", Method: http.MethodPost, Path: pathInStore + "/status", Tag: dialect.TagInvoices,
		Permission: permission.ModifyInvoices, Summary: "Mark an invoice as settled or invalid",
		Text: "Settled takes what has come as enough, however little; nothing is booked that has not come. Invalid ends it: what " +
			"comes all the same settles nothing until it is marked as settled. A settled invoice cannot be marked as invalid: its " +
			"money is in the books. Safe to repeat.",
		Errors: []int{http.StatusNotFound}, Request: newStatus{&settled}, Response: h.example(),
	}
	dialect.WithKey(api, mark, markInvoice[marking](h))
	dialect.WithKey(api, withoutStore(mark), markInvoice[markingAlone](h))
	describe := dialect.Route{
		ID: "Invoices_UpdateInvoice", Method: http.MethodPut, Path: pathInStore, Tag: dialect.TagInvoices, Permission: permission.ModifyInvoices,
		Summary: "Replace the metadata of an invoice", Text: "What the buyer has sent on the page (buyer_info) stays.",
		Errors: []int{http.StatusNotFound}, Request: newMetadata{json.RawMessage(`{"orderId":"A-1002"}`)}, Response: h.example(),
	}
	dialect.WithKey(api, describe, describeInvoice[describing](h))
	dialect.WithKey(api, withoutStore(describe), describeInvoice[describingAlone](h))
}

func markInvoice[I any, P asks[I, newStatus]](h *Handler) func(context.Context, access.Key, *I) (*httpapi.Out[invoiceData], error) {
	return func(ctx context.Context, caller access.Key, in *I) (*httpapi.Out[invoiceData], error) {
		body, err := P(in).asked()
		if err != nil {
			return nil, err
		}
		return h.mark(ctx, caller, P(in).invoice(), body)
	}
}

func (h *Handler) mark(ctx context.Context, caller access.Key, id string, body newStatus) (*httpapi.Out[invoiceData], error) {
	var as charge.Mark
	switch {
	case body.Status != nil && *body.Status == invoice.Settled:
		as = charge.MarkedSettled
	case body.Status != nil && *body.Status == invoice.Invalid:
		as = charge.MarkedInvalid
	default:
		return nil, dialect.Invalid("status", "status must be one of: Settled, Invalid")
	}
	if _, err := h.own(ctx, caller, id); err != nil {
		return nil, err
	}
	err := h.Start.Mark(ctx, caller, id, as)
	if refusals.Is(err, refusals.Accept) {
		err = dialect.Invalid("status", "%s", refusals.Text(err))
	}
	if err != nil {
		return nil, err
	}
	return h.show(ctx, caller, id)
}

func describeInvoice[I any, P asks[I, newMetadata]](h *Handler) func(context.Context, access.Key, *I) (*httpapi.Out[invoiceData], error) {
	return func(ctx context.Context, caller access.Key, in *I) (*httpapi.Out[invoiceData], error) {
		body, err := P(in).asked()
		if err != nil {
			return nil, err
		}
		if err := h.describe(ctx, caller, P(in).invoice(), body.Metadata); err != nil {
			return nil, err
		}
		return h.show(ctx, caller, P(in).invoice())
	}
}

// describe replaces the metadata but keeps the values that the buyer has sent.
func (h *Handler) describe(ctx context.Context, caller access.Key, id string, raw []byte) error {
	if _, err := h.own(ctx, caller, id); err != nil {
		return err
	}
	meta, err := readMetadata(raw)
	if err != nil {
		return err
	}
	return h.Store.Tx(ctx, func(q *db.Queries) error {
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
