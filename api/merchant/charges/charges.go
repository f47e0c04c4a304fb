package charges

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/operation"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/wire"
)

// Charges answers requests about charges.
type Charges struct {
	Store *postgres.Store
	Start service.Workflows
	Clock func() time.Time
	// PublicURL is the base URL that customers see, without a trailing slash.
	PublicURL string
	// Mails is set when a mail server is configured.
	Mails bool
}

// Register registers the routes of merchants and of customers.
func (h *Charges) Register(api operation.API) {
	const qr, buyer = "GET /api/charges/{id}/qr", "POST /api/charges/{id}/buyer-info"
	operation.WithKey(api, operation.Route{ID: "createCharge", At: "POST /api/charges", Permission: permission.CreateInvoice, Limit: access.Create}, h.createCharge)
	operation.WithKey(api, operation.Route{ID: "listCharges", At: "GET /api/charges", Permission: permission.ViewInvoices}, h.listCharges)
	operation.WithKey(api, operation.Route{ID: "getCharge", At: "GET /api/charges/{id}", Permission: permission.ViewInvoices}, h.getCharge)
	operation.WithKey(api, operation.Route{ID: "toggleChargeLink", At: "POST /api/charges/{id}/toggle-active", Permission: permission.ModifyInvoices}, h.toggleLink)
	operation.WithKey(api, operation.Route{ID: "acceptUnderpaid", At: "POST /api/charges/{id}/accept-underpaid", Permission: permission.ModifyInvoices}, h.acceptUnderpaid)
	operation.PublicRead(api, operation.Route{ID: "getPublicCharge", At: "GET /api/charges/{id}/public", Limit: access.Public}, h.publicCharge)
	operation.WithKey(api, operation.Route{ID: "getChargeQR", At: qr, Permission: permission.ViewInvoices, Limit: access.QR}, h.chargeQR)
	operation.Describe[dataURL](api, qr, http.StatusOK, httpapi.JSON)
	operation.Describe[pngImage](api, qr, http.StatusOK, pngType)
	operation.Public(api, operation.Route{ID: "setBuyerInfo", At: buyer, Form: &httpapi.Form{}}, h.setBuyerInfo)
	operation.DescribeForm[buyerInfo](api, buyer)
}

// listedCharges is the maximum length of the list of charges.
const listedCharges = 100

type newCharge struct {
	Amount    *money.Decimal  `json:"amount" required:"true" minimum:"0.01" maximum:"10000000" doc:"In the unit of currency, at most 2 decimals (12 for XMR)"`
	Currency  *string         `json:"currency,omitempty" enum:"USD,EUR,XMR" default:"USD" doc:"Currency of amount"`
	Metadata  json.RawMessage `json:"metadata,omitempty" doc:"Any object, at most 10 KB, echoed back digit for digit. Reserved keys: order_id, return_url, description, and buyer_info, which must be an object"`
	ExpiresAt *wire.Time      `json:"expires_at,omitempty" doc:"Link expiration, within a year; excludes expires_in"`
	ExpiresIn *money.Decimal  `json:"expires_in,omitempty" doc:"Link expiration in hours from now; excludes expires_at"`
}

type chargeInput struct {
	ID string `path:"id" doc:"Charge identifier" pattern:"^ch_[0-9a-f]{24}$" example:"ch_0123456789abcdef01234567"`
}

type chargeList struct {
	Charges []charge.View `json:"charges" doc:"Newest first, at most 100"`
	// NextCursor is only set in a search.
	NextCursor string `json:"next_cursor,omitempty" doc:"Where a search goes on; only there when it does. A page of a search for a text looks at 10,000 charges and may be empty all the same" example:"1762423200000000-ch_0123456789abcdef01234567"`
}

type linkSwitch struct {
	ID        string           `json:"id" doc:"Charge identifier" example:"ch_0123456789abcdef01234567"`
	Active    bool             `json:"active" doc:"Whether the link is switched on"`
	LinkState charge.LinkState `json:"link_state" enum:"active,inactive,expired" doc:"State of the link"`
}

func (h *Charges) acceptUnderpaid(ctx context.Context, caller access.Key, in *chargeInput) (*httpapi.Out[charge.View], error) {
	if _, err := ownCharge(ctx, h.Store, caller, in.ID, h.Clock()); err != nil {
		return nil, err
	}
	if err := h.Start.AcceptUnderpaid(ctx, caller, in.ID); err != nil {
		return nil, err
	}
	return h.chargeView(ctx, caller, in.ID)
}

func (h *Charges) createCharge(ctx context.Context, caller access.Key, in *struct{ Body httpapi.Body[newCharge] }) (*httpapi.Out[charge.View], error) {
	fields := in.Body.Value()
	req, err := h.newCharge(ctx, caller, fields)
	if err != nil {
		return nil, err
	}
	made, err := h.Start.CreateCharge(ctx, req)
	if err != nil {
		return nil, err
	}
	return h.viewFor(caller, postgres.ChargeFacts{Charge: made, Facts: charge.Facts{Now: h.Clock()}})
}

// newCharge checks a merchant's request for a new charge.
func (h *Charges) newCharge(ctx context.Context, caller access.Key, f newCharge) (chargestore.New, error) {
	req := chargestore.New{
		ChargeID: secret.NewID("ch_"), MerchantID: caller.MerchantID, Mode: caller.Mode, Source: charge.FromAPI,
	}
	var err error
	if req.Amount, req.Currency, err = service.CheckAmount(f.Amount, f.Currency); err != nil {
		return req, err
	}
	meta, err := parseMetadata(f.Metadata)
	if err != nil {
		return req, err
	}
	for _, name := range meta.unused {
		httpapi.Ignore(ctx, "metadata."+name)
	}
	req.Metadata, req.OrderID, req.Description, req.ReturnURL = meta.text, meta.orderID, meta.description, meta.returnURL
	req.LinkExpiresAt, err = service.LinkExpiry(f.ExpiresAt, f.ExpiresIn, h.Clock())
	return req, err
}

func (h *Charges) listCharges(ctx context.Context, caller access.Key, in *struct{ httpapi.Query }) (*httpapi.Out[chargeList], error) {
	order, given, err := in.Text("order_id")
	if err != nil {
		return nil, err
	}
	if !given && in.HasAny(searchNames()...) {
		return h.search(ctx, caller, &in.Query)
	}
	var filter *string
	if given {
		key := charge.OrderKey(order)
		filter = &key
	}
	found, err := h.Store.Charges(ctx, caller.MerchantID, caller.Mode, filter, listedCharges, h.Clock())
	if err != nil {
		return nil, err
	}
	since := caller.Since(h.Clock())
	return httpapi.With(h.listOf(slices.DeleteFunc(found, func(c postgres.ChargeFacts) bool { return c.Charge.CreatedAt.Before(since) })), nil)
}

func (h *Charges) getCharge(ctx context.Context, caller access.Key, in *chargeInput) (*httpapi.Out[charge.View], error) {
	return h.chargeView(ctx, caller, in.ID)
}

func (h *Charges) chargeView(ctx context.Context, caller access.Key, id string) (*httpapi.Out[charge.View], error) {
	found, err := service.Charge(ctx, h.Store, id, h.Clock())
	if err != nil {
		return nil, err
	}
	return h.viewFor(caller, found)
}

// viewFor answers with a charge that the caller may see.
func (h *Charges) viewFor(caller access.Key, found postgres.ChargeFacts) (*httpapi.Out[charge.View], error) {
	if err := mayView(caller, found.Charge, h.Clock()); err != nil {
		return nil, err
	}
	return httpapi.With(charge.ViewOf(found.Charge, found.Facts, h.PublicURL), nil)
}

// mayView returns 404 for a charge that the caller may not see, as for one that does not exist.
func mayView(caller access.Key, c charge.Charge, now time.Time) error {
	own := c.MerchantID == caller.MerchantID && !c.CreatedAt.Before(caller.Since(now))
	return service.CheckOwner("charge", own, c.Sandbox, caller.Mode)
}

// ownCharge reads a charge that the caller may see.
func ownCharge(ctx context.Context, store *postgres.Store, caller access.Key, id string, now time.Time) (postgres.ChargeFacts, error) {
	found, err := service.Charge(ctx, store, id, now)
	if err != nil {
		return postgres.ChargeFacts{}, err
	}
	return found, mayView(caller, found.Charge, now)
}

func (h *Charges) toggleLink(ctx context.Context, caller access.Key, in *chargeInput) (*httpapi.Out[linkSwitch], error) {
	if _, err := service.OwnCharge(ctx, h.Store, in.ID, caller.MerchantID, caller.Mode, h.Clock()); err != nil {
		return nil, err
	}
	row, err := h.Store.ToggleLink(ctx, db.ToggleLinkParams{ID: in.ID, MerchantID: caller.MerchantID, Mode: string(caller.Mode)})
	if err != nil {
		return nil, httpapi.Missing(err, httpapi.NotFound("charge"))
	}
	state := charge.LinkStateAt(charge.Charge{LinkActive: row.LinkActive, LinkExpiresAt: row.LinkExpiresAt}, h.Clock())
	return httpapi.With(linkSwitch{ID: row.ID, Active: row.LinkActive, LinkState: state}, nil)
}

// metadata is the part of a metadata object that a charge stores: the object itself, digit for
// digit, and the values of its reserved keys.
type metadata struct {
	text        string
	orderID     *string
	description *string
	returnURL   *string
	// unused names the reserved keys whose value cannot be used.
	unused []string
}

// parseMetadata reads a JSON object. A missing value and null become the empty object. It drops
// a return_url that is not an http(s) URL, and refuses a buyer_info that is not an object (400).
func parseMetadata(raw []byte) (metadata, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return metadata{text: "{}"}, nil
	}
	members, err := wire.Members(raw)
	if err != nil {
		return metadata{}, httpapi.BadRequest("metadata must be an object")
	}
	var m metadata
	kept := members[:0]
	for _, member := range members {
		used := true
		switch member.Name {
		case service.BuyerInfoKey:
			if !wire.IsObject(member.Value) {
				return metadata{}, httpapi.BadRequest("%s", service.ErrBuyerInfo)
			}
		case "order_id":
			m.orderID = charge.OrderIDOf(member.Value)
			used = m.orderID != nil
		case "description":
			m.description = service.Description(wire.TextOf(member.Value))
			used = m.description != nil
		case "return_url":
			m.returnURL = service.ReturnURL(wire.TextOf(member.Value))
			used = m.returnURL != nil
		}
		if !used && string(member.Value) != "null" {
			m.unused = append(m.unused, member.Name)
		}
		if used || member.Name != "return_url" {
			kept = append(kept, member)
		}
	}
	m.text = wire.Object(kept)
	return m, nil
}
