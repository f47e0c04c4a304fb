package funds

import (
	"context"
	"net/http"
	"strings"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/operation"
	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/wire"
	"github.com/durapay/durapay/workflows"
)

// Refunds answers requests about refunds.
type Refunds struct{ Links service.RefundLinks }

// Register registers the routes of merchants and of buyers.
func (h *Refunds) Register(api operation.API) {
	operation.WithKey(api, operation.Route{ID: "createRefund", At: "POST /api/charges/{id}/refunds", Permission: permission.CreateNonApprovedPullPayments, Limit: access.Create}, h.create)
	operation.WithKey(api, operation.Route{ID: "listChargeRefunds", At: "GET /api/charges/{id}/refunds", Permission: permission.ViewPullPayments}, h.ofCharge)
	operation.WithKey(api, operation.Route{ID: "listRefunds", At: "GET /api/refunds", Permission: permission.ViewPullPayments}, h.list)
	operation.WithKey(api, operation.Route{ID: "getRefund", At: "GET /api/refunds/{id}", Permission: permission.ManagePullPayments}, h.get)
	operation.WithSession(api, operation.Route{ID: "approveRefund", At: "POST /api/account/refunds/{id}/approve", Confirmed: true, Recent: true, NoCode: true}, h.approve)
	operation.WithKey(api, operation.Route{ID: "approveRefundByKey", At: "POST /api/refunds/{id}/approve", Permission: permission.MoveMoney}, h.approveByKey)
	operation.WithSession(api, operation.Route{ID: "payClaim", At: "POST /api/refunds/{id}/claims/{claim_id}/payment", Confirmed: true, Recent: true, NoCode: true, Limit: access.Create}, h.givePayment)
	operation.WithKey(api, operation.Route{ID: "cancelRefund", At: "POST /api/refunds/{id}/cancel", Permission: permission.ArchivePullPayments}, h.cancel)
	operation.Public(api, operation.Route{ID: "getPublicRefund", At: "GET /api/refunds/{id}/public", Limit: access.Public}, h.public)
	operation.Public(api, operation.Route{ID: "claimRefund", At: "POST /api/refunds/{id}/claims", Limit: access.Create}, h.claim)
}

// listedRefunds is the maximum length of the list of refunds.
const listedRefunds = 100

// toApprove filters a list to the refunds that the overview counts: those with a claim that
// waits for approval.
const toApprove = "to_approve"

type newRefund struct {
	Variant         refund.Variant  `json:"variant" required:"true" enum:"RateThen,CurrentRate,OverpaidAmount,Fiat,Custom" doc:"RateThen: what was received, in XMR. CurrentRate: what that was worth in the charge's currency, at the rate of now. OverpaidAmount: what came beyond the amount. Fiat: as CurrentRate, and shown in the charge's currency. Custom: amount and currency"`
	SubtractPercent *money.Decimal  `json:"subtract_percent,omitempty" minimum:"0" maximum:"100" doc:"Percentage that is kept; less than 100"`
	Amount          *money.Decimal  `json:"amount,omitempty" doc:"For Custom alone"`
	Currency        *money.Currency `json:"currency,omitempty" enum:"USD,EUR,XMR" default:"XMR" doc:"Of amount"`
	Name            string          `json:"name,omitempty" maxLength:"50" doc:"Shown to the buyer"`
	Description     string          `json:"description,omitempty" maxLength:"1000" doc:"Shown to the buyer"`
	ExpiresAt       *wire.Time      `json:"expires_at,omitempty" doc:"Until when it can be claimed, within a year; excludes expires_in. Default: 30 days"`
	ExpiresIn       *money.Decimal  `json:"expires_in,omitempty" doc:"The same in hours from now; excludes expires_at"`
}

type decision struct {
	ClaimID string `json:"claim_id,omitempty" doc:"One claim; all of the refund where none is named" example:"rc_0123456789abcdef01234567"`
}

type refundList struct {
	Refunds []refund.Refunded `json:"refunds" doc:"Without links and keys"`
}

type chargeInput struct {
	ID string `path:"id" doc:"Charge identifier" pattern:"^ch_[0-9a-f]{24}$" example:"ch_0123456789abcdef01234567"`
}

type refundInput struct {
	ID string `path:"id" doc:"Refund identifier" pattern:"^rf_[0-9a-f]{24}$" example:"rf_0123456789abcdef01234567"`
}

type decisionInput struct {
	ID   string `path:"id" doc:"Refund identifier" pattern:"^rf_[0-9a-f]{24}$" example:"rf_0123456789abcdef01234567"`
	Body httpapi.Body[decision]
}

// ownCharge returns 404 for a charge that does not belong to the caller.
func (h *Refunds) ownCharge(ctx context.Context, caller access.Key, id string) error {
	_, err := service.OwnCharge(ctx, h.Links.Store, id, caller.MerchantID, caller.Mode, h.Links.Clock())
	return err
}

func (h *Refunds) create(ctx context.Context, caller access.Key, in *struct {
	ID   string `path:"id" doc:"Charge identifier" pattern:"^ch_[0-9a-f]{24}$" example:"ch_0123456789abcdef01234567"`
	Body httpapi.Body[newRefund]
}) (*httpapi.Out[refund.Refunded], error) {
	fields := in.Body.Value()
	var err error
	if err := h.ownCharge(ctx, caller, in.ID); err != nil {
		return nil, err
	}
	ask := refund.Ask{Variant: fields.Variant, Currency: money.XMR}
	if fields.SubtractPercent != nil {
		ask.SubtractPercent = *fields.SubtractPercent
	}
	if fields.Amount != nil {
		ask.Amount = *fields.Amount
	}
	if fields.Currency != nil {
		if ask.Currency, err = money.ParseCurrency(string(*fields.Currency)); err != nil {
			return nil, httpapi.BadRequest("currency must be one of: USD, EUR, XMR")
		}
	}
	expires, err := service.LinkExpiry(fields.ExpiresAt, fields.ExpiresIn, h.Links.Clock())
	if err != nil {
		return nil, err
	}
	return httpapi.With(h.Links.Create(ctx, caller, service.NewRefund{
		ChargeID: in.ID, Refund: ask, Name: fields.Name, Description: fields.Description, ExpiresAt: expires,
	}))
}

func (h *Refunds) ofCharge(ctx context.Context, caller access.Key, in *chargeInput) (*httpapi.Out[refundList], error) {
	if err := h.ownCharge(ctx, caller, in.ID); err != nil {
		return nil, err
	}
	list, err := h.Links.OfCharge(ctx, in.ID)
	return httpapi.With(refundList{list}, err)
}

// live returns 404 for a caller in the sandbox, because refunds exist only in the live mode.
func (h *Refunds) live(ctx context.Context, caller access.Key, id string) error {
	if caller.Mode == config.Live {
		return nil
	}
	if _, err := h.Links.Get(ctx, caller.MerchantID, id); err != nil {
		return err
	}
	return httpapi.InOtherMode("refund", false)
}

func (h *Refunds) list(ctx context.Context, caller access.Key, in *struct{ httpapi.Query }) (*httpapi.Out[refundList], error) {
	attention, err := in.Attention()
	if err != nil {
		return nil, err
	}
	if caller.Mode == config.Sandbox {
		return httpapi.With(refundList{[]refund.Refunded{}}, nil)
	}
	list, err := h.Links.List(ctx, caller.MerchantID, attention == toApprove, listedRefunds)
	return httpapi.With(refundList{list}, err)
}

func (h *Refunds) get(ctx context.Context, caller access.Key, in *refundInput) (*httpapi.Out[refund.Refunded], error) {
	if err := h.live(ctx, caller, in.ID); err != nil {
		return nil, err
	}
	found, err := h.Links.Get(ctx, caller.MerchantID, in.ID)
	return httpapi.With(caller.Sees(found), err)
}

func (h *Refunds) approve(ctx context.Context, m db.Merchant, in *decisionInput) (*httpapi.Out[refund.Refunded], error) {
	caller := access.Key{MerchantID: m.MerchantID, Mode: config.Live, Permissions: permission.All()}
	return h.decide(ctx, caller, in, func(ctx context.Context, _ access.Key, id, claimID string) (refund.Refunded, error) {
		return h.Links.Approve(ctx, m, id, claimID)
	})
}

type newPayment struct {
	TxHash string `json:"tx_hash" required:"true" doc:"The transaction that pays it: 64 hex digits" example:"b1ac1f5e0e3a8b0f7c4d2e9a6b8c0d1e2f3a4b5c6d7e8f90a1b2c3d4e5f60718"`
	TxKey  string `json:"tx_key" required:"true" maxLength:"2048" doc:"Its secret keys, as your wallet shows them (monero-wallet-cli: get_tx_key): 64 hex digits, and as many more for each additional key. The buyer gets them as a proof" example:"3b1f9c0d5e7a2b4c6d8e0f1a3b5c7d9e0f2a4b6c8d0e1f3a5b7c9d0e2f4a6b08"`
}

func (h *Refunds) givePayment(ctx context.Context, m db.Merchant, in *struct {
	ID      string `path:"id" doc:"Refund identifier" pattern:"^rf_[0-9a-f]{24}$" example:"rf_0123456789abcdef01234567"`
	ClaimID string `path:"claim_id" doc:"Claim identifier" pattern:"^rc_[0-9a-f]{24}$" example:"rc_0123456789abcdef01234567"`
	Body    httpapi.Body[newPayment]
}) (*httpapi.Out[refund.Refunded], error) {
	fields := in.Body.Value()
	caller := access.Key{MerchantID: m.MerchantID, Mode: config.Live, Permissions: permission.All()}
	if err := access.StillOn(ctx, h.Links.Store, m); err != nil { // the session may have ended while the body was arriving
		return nil, err
	}
	given, err := h.Links.GivePayment(ctx, m.MerchantID, in.ID, workflows.GivePayment{
		ClaimID: in.ClaimID, TxHash: strings.ToLower(fields.TxHash), TxKey: strings.ToLower(fields.TxKey),
	})
	return httpapi.With(caller.Sees(given), err)
}

func (h *Refunds) approveByKey(ctx context.Context, caller access.Key, in *decisionInput) (*httpapi.Out[refund.Refunded], error) {
	return h.decide(ctx, caller, in, h.Links.ApproveByKey)
}

func (h *Refunds) cancel(ctx context.Context, caller access.Key, in *decisionInput) (*httpapi.Out[refund.Refunded], error) {
	return h.decide(ctx, caller, in, h.Links.Cancel)
}

func (h *Refunds) decide(
	ctx context.Context, caller access.Key, in *decisionInput, do func(ctx context.Context, caller access.Key, id, claimID string) (refund.Refunded, error),
) (*httpapi.Out[refund.Refunded], error) {
	fields := in.Body.Value()
	if err := h.live(ctx, caller, in.ID); err != nil {
		return nil, err
	}
	decided, err := do(ctx, caller, in.ID, fields.ClaimID)
	return httpapi.With(caller.Sees(decided), err)
}

type newClaim struct {
	Token     string          `json:"token" required:"true" doc:"The secret of the link: its last part"`
	Address   string          `json:"address" required:"true" doc:"Where it goes: a Monero address of the buyer's own wallet"`
	AmountXMR *money.Piconero `json:"amount_xmr,omitempty" doc:"A part of it, at least 0.001 XMR; without it all that is left"`
}

type claimed struct {
	ClaimID string              `json:"claim_id" doc:"The claim; that of before where the same was claimed already" example:"rc_0123456789abcdef01234567"`
	Refund  refund.PublicRefund `json:"refund"`
}

func (h *Refunds) public(ctx context.Context, in *struct {
	ID    string `path:"id" doc:"Refund identifier" pattern:"^rf_[0-9a-f]{24}$" example:"rf_0123456789abcdef01234567"`
	Token string `header:"X-Refund-Token" doc:"The secret of the link: its last part"`
}) (*httpapi.Out[refund.PublicRefund], error) {
	return httpapi.With(h.Links.Public(ctx, in.ID, in.Token))
}

func (h *Refunds) claim(ctx context.Context, in *struct {
	ID   string `path:"id" doc:"Refund identifier" pattern:"^rf_[0-9a-f]{24}$" example:"rf_0123456789abcdef01234567"`
	Body httpapi.Body[newClaim]
}) (*httpapi.Out[claimed], error) {
	fields := in.Body.Value()
	if fields.Token == "" {
		return nil, httpapi.BadRequest("token is required")
	}
	amount := money.Piconero(0)
	if fields.AmountXMR != nil {
		if amount = *fields.AmountXMR; amount == 0 {
			return nil, httpapi.BadRequest("amount_xmr must be more than 0")
		}
	}
	view, id, err := h.Links.Claim(ctx, in.ID, fields.Token, fields.Address, amount)
	return httpapi.With(claimed{id, view}, err)
}

// PublicRefund reads a refund for its page. It implements pages.Refunds.
func (h *Refunds) PublicRefund(ctx context.Context, id, token string) (refund.PublicRefund, error) {
	view, err := h.Links.Public(ctx, id, token)
	return view, pageError(err)
}

// ClaimRefund claims a part of a refund from its page. It implements pages.Refunds.
func (h *Refunds) ClaimRefund(ctx context.Context, id, token, address string, amount money.Piconero) error {
	_, _, err := h.Links.Claim(ctx, id, token, address, amount)
	return pageError(err)
}

// pageError returns the pages' error for an error of the API.
func pageError(err error) error {
	known := httpapi.ProblemOf(err)
	switch {
	case known == nil:
		return err
	case known.Status == http.StatusNotFound:
		return pages.ErrNotFound
	case known.Field == service.ClaimAmount:
		return pages.ErrAmount
	case known.Status == http.StatusBadRequest, known.Status == http.StatusForbidden:
		return pages.ErrInvalid
	default:
		return err
	}
}
