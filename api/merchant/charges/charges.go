package charges

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/wire"
)

func exampleNewCharge() any {
	return map[string]any{
		"amount": money.MustDecimal("49.9"), "currency": money.USD,
		"metadata": map[string]string{"order_id": "A-1001", "description": "Two tickets", "return_url": "https://shop.example.com/thanks"},
	}
}

// Charges answers requests about charges.
type Charges struct {
	Store *postgres.Store
	Start service.Workflows
	Clock func() time.Time
	// PublicURL is the base URL that customers see, without a trailing slash.
	PublicURL string
}

// Register registers the routes of merchants and of customers.
func (h *Charges) Register(api operation.API) {
	h.registerCharges(api)
	h.registerChargePublic(api)
	h.registerBuyerInfo(api)
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

// registerCharges registers the merchants' routes about charges.
func (h *Charges) registerCharges(api operation.API) {
	operation.WithKey(api, operation.Route{
		ID: "createCharge", Permission: permission.CreateInvoice, Method: http.MethodPost, Path: "/api/charges", Tag: operation.TagCharges, Limit: access.Create,
		Summary: "Create a charge",
		Text: "Allocates a receiving address of its own and locks the amount in XMR, rounded up to a whole piconero. There " +
			"is no idempotency key: set metadata.order_id, and look for it with GET /api/charges?order_id=… before a retry. " +
			"Without a usable price 500 with `Retry-After`; charges in XMR need none. At most 10,000 charges of a merchant " +
			"can be pending at the same time, or as many as the operator allows; more answer 429 with `Retry-After: 60`.",
		Errors:  []int{http.StatusServiceUnavailable},
		Request: exampleNewCharge(), Response: example.Charge()}, h.createCharge)
	operation.WithKey(api, operation.Route{
		ID: "listCharges", Permission: permission.ViewInvoices, Method: http.MethodGet, Path: "/api/charges", Tag: operation.TagCharges,
		Summary: "List charges",
		Text: "The newest charges of the key's mode, at most 100. An order_id need not be unique. With any other parameter it is a " +
			"search: page by page, with next_cursor.",
		Query:    searchParams(),
		Errors:   []int{http.StatusBadRequest},
		Response: chargeList{Charges: []charge.View{example.Charge()}},
	}, h.listCharges)
	operation.WithKey(api, operation.Route{
		ID: "getCharge", Permission: permission.ViewInvoices, Method: http.MethodGet, Path: "/api/charges/{id}", Tag: operation.TagCharges,
		Summary: "Get a charge", Text: "One charge of the caller, with its metadata and payments.",
		Errors: []int{http.StatusNotFound}, Response: example.Charge(),
	}, h.getCharge)
	operation.WithKey(api, operation.Route{
		ID: "toggleChargeLink", Permission: permission.ModifyInvoices, Method: http.MethodPost, Path: "/api/charges/{id}/toggle-active", Tag: operation.TagCharges,
		Summary: "Switch the link on or off",
		Text: "An inactive link answers 410 to customers, unless a payment has been seen. Deactivation neither " +
			"refunds nor cancels a paid charge.",
		Errors:   []int{http.StatusNotFound},
		Response: linkSwitch{ID: example.ChargeID, LinkState: charge.LinkInactive},
	}, h.toggleLink)
	operation.WithKey(api, operation.Route{
		ID: "acceptUnderpaid", Permission: permission.ModifyInvoices, Method: http.MethodPost, Path: "/api/charges/{id}/accept-underpaid", Tag: operation.TagCharges,
		Summary: "Take an underpaid charge as paid",
		Text: "Confirms a pending or expired charge with the payments that have their confirmations, however little it is; " +
			"charge.confirmed or charge.late_confirmed follows. What comes later is added to the balance. Safe to repeat. " +
			"Refused while no payment has its confirmations, and for a charge that was confirmed without it. From then on " +
			"payment_state is `paid`, and underpaid_accepted_at tells it from a charge that was paid in full.",
		Errors:   []int{http.StatusBadRequest, http.StatusNotFound},
		Response: example.Charge(),
	}, h.acceptUnderpaid)
}

func (h *Charges) acceptUnderpaid(ctx context.Context, caller access.Key, in *chargeInput) (*httpapi.Out[charge.View], error) {
	if _, err := h.ownCharge(ctx, caller, in.ID); err != nil {
		return nil, err
	}
	if err := h.Start.AcceptUnderpaid(ctx, caller, in.ID); err != nil {
		return nil, err
	}
	return h.chargeView(ctx, caller, in.ID)
}

func (h *Charges) createCharge(ctx context.Context, caller access.Key, in *struct{ Body httpapi.Body[newCharge] }) (*httpapi.Out[charge.View], error) {
	fields, err := in.Body.Read()
	if err != nil {
		return nil, err
	}
	req, err := h.newCharge(caller, fields)
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
func (h *Charges) newCharge(caller access.Key, f newCharge) (chargestore.New, error) {
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
	if err := h.mayView(caller, found.Charge); err != nil {
		return nil, err
	}
	return httpapi.With(charge.ViewOf(found.Charge, found.Facts, h.PublicURL), nil)
}

// mayView returns 404 for a charge that the caller may not see, as for one that does not exist.
func (h *Charges) mayView(caller access.Key, c charge.Charge) error {
	if c.MerchantID != caller.MerchantID || c.Sandbox != (caller.Mode == config.Sandbox) || c.CreatedAt.Before(caller.Since(h.Clock())) {
		return httpapi.NotFound("charge")
	}
	return nil
}

// ownCharge reads a charge that the caller may see.
func (h *Charges) ownCharge(ctx context.Context, caller access.Key, id string) (postgres.ChargeFacts, error) {
	found, err := service.Charge(ctx, h.Store, id, h.Clock())
	if err != nil {
		return postgres.ChargeFacts{}, err
	}
	return found, h.mayView(caller, found.Charge)
}

func (h *Charges) toggleLink(ctx context.Context, caller access.Key, in *chargeInput) (*httpapi.Out[linkSwitch], error) {
	if !service.IsChargeID(in.ID) {
		return nil, httpapi.NotFound("charge")
	}
	row, err := h.Store.ToggleLink(ctx, db.ToggleLinkParams{ID: in.ID, MerchantID: caller.MerchantID, Mode: string(caller.Mode)})
	if postgres.IsNotFound(err) {
		return nil, httpapi.NotFound("charge")
	}
	if err != nil {
		return nil, err
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
		switch member.Name {
		case service.BuyerInfoKey:
			if !wire.IsObject(member.Value) {
				return metadata{}, httpapi.BadRequest("%s", service.ErrBuyerInfo)
			}
		case "order_id":
			m.orderID = charge.OrderIDOf(member.Value)
		case "description":
			m.description = service.Description(wire.TextOf(member.Value))
		case "return_url":
			m.returnURL = service.ReturnURL(wire.TextOf(member.Value))
			if m.returnURL == nil {
				continue
			}
		}
		kept = append(kept, member)
	}
	m.text = wire.Object(kept)
	return m, nil
}
