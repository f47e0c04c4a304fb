package funds

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/wire"
)

// Refunds answers requests about refunds.
type Refunds struct{ Links service.RefundLinks }

// Register registers the routes of merchants and of buyers.
func (h *Refunds) Register(api operation.API) {
	h.registerRefunds(api)
	h.registerPublic(api)
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

// registerRefunds registers the merchants' routes about refunds.
func (h *Refunds) registerRefunds(api operation.API) {
	operation.WithKey(api, operation.Route{
		ID: "createRefund", Permission: permission.CreateNonApprovedPullPayments, Method: http.MethodPost, Path: "/api/charges/{id}/refunds", Tag: operation.TagRefunds, Limit: access.Create,
		Summary: "Create a refund",
		Text: "Makes a link with which the buyer claims the refund, or parts of it, to addresses of their own. The amount in XMR is " +
			"fixed now, and never more than what was received for the charge less what its other refunds hold: more answers 400. " +
			"The charge must be confirmed and live. Claims wait for approval, but for small refunds that the merchant lets go " +
			"(`PUT /api/account/refunds`), made with the account's key or one with the permission `" + string(permission.CreatePullPayments) + "`. Each is paid out of the unpaid balance, by a " +
			"transaction that pays the rest of what it spends to the payout address; where that is not possible now, it waits, " +
			"says for what, and goes on by itself. The chain's fee and the operator's share come out of that rest; the share is of " +
			"all that the transaction spends, so refunded money pays it too: fee_xmr shows it.",
		Errors: []int{http.StatusNotFound, http.StatusServiceUnavailable}, Request: exampleNewRefund(), Response: exampleRefund(),
	}, h.create)
	operation.WithKey(api, operation.Route{
		ID: "listChargeRefunds", Permission: permission.ViewPullPayments, Method: http.MethodGet, Path: "/api/charges/{id}/refunds", Tag: operation.TagRefunds,
		Summary: "List the refunds of a charge", Text: "The oldest first.",
		Errors: []int{http.StatusNotFound}, Response: refundList{[]refund.Refunded{exampleListed()}},
	}, h.ofCharge)
	operation.WithKey(api, operation.Route{
		ID: "listRefunds", Permission: permission.ViewPullPayments, Method: http.MethodGet, Path: "/api/refunds", Tag: operation.TagRefunds,
		Summary: "List refunds", Text: "The newest first, at most 100.",
		Query:    []*huma.Param{httpapi.AttentionParam("Only those with a claim that waits for an approval, which the overview counts.", toApprove)},
		Errors:   []int{http.StatusBadRequest},
		Response: refundList{[]refund.Refunded{exampleListed()}},
	}, h.list)
	operation.WithKey(api, operation.Route{
		ID: "getRefund", Permission: permission.ManagePullPayments, Method: http.MethodGet, Path: "/api/refunds/{id}", Tag: operation.TagRefunds,
		Summary: "Get a refund", Text: "With its link, its claims, and the keys that prove payments. A key sees the link of a refund that needs no approval only " +
			"with the permission to make one.",
		Errors: []int{http.StatusNotFound}, Response: exampleRefund(),
	}, h.get)
	operation.WithSession(api, operation.Route{
		ID: "approveRefund", Method: http.MethodPost, Path: "/api/account/refunds/{id}/approve", Tag: operation.TagRefunds, Confirmed: true, Recent: true, NoCode: true,
		Summary: "Approve claims", Text: "Lets a claim be paid, or all that wait for it. Safe to repeat. With two-factor authentication on, too, the password or a code is given by the step-up.",
		Errors: []int{http.StatusNotFound}, Request: decision{}, Response: exampleRefund(),
	}, h.approve)
	operation.WithKey(api, operation.Route{
		ID: "approveRefundByKey", Permission: permission.MoveMoney, Method: http.MethodPost, Path: "/api/refunds/{id}/approve", Tag: operation.TagRefunds,
		Summary: "Approve claims by the account's key", Text: "As with a session, where the merchant lets that key approve; 403 otherwise. Keys of applications never do.",
		Errors: []int{http.StatusNotFound}, Request: decision{}, Response: exampleRefund(),
	}, h.approveByKey)
	operation.WithKey(api, operation.Route{
		ID: "cancelRefund", Permission: permission.ArchivePullPayments, Method: http.MethodPost, Path: "/api/refunds/{id}/cancel", Tag: operation.TagRefunds,
		Summary: "Cancel a refund or a claim",
		Text: "Ends the refund with its claims that are not being paid; those that are go on. With claim_id only that claim is taken " +
			"back, and its amount can be claimed again. Safe to repeat.",
		Errors: []int{http.StatusNotFound}, Request: decision{}, Response: exampleRefund(),
	}, h.cancel)
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
	fields, err := in.Body.Read()
	if err != nil {
		return nil, err
	}
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
func live(caller access.Key) error {
	if caller.Mode == config.Sandbox {
		return httpapi.NotFound("refund")
	}
	return nil
}

func (h *Refunds) list(ctx context.Context, caller access.Key, in *struct{ httpapi.Query }) (*httpapi.Out[refundList], error) {
	attention, err := in.Attention(toApprove)
	if err != nil {
		return nil, err
	}
	if live(caller) != nil {
		return httpapi.With(refundList{[]refund.Refunded{}}, nil)
	}
	list, err := h.Links.List(ctx, caller.MerchantID, attention == toApprove, listedRefunds)
	return httpapi.With(refundList{list}, err)
}

func (h *Refunds) get(ctx context.Context, caller access.Key, in *refundInput) (*httpapi.Out[refund.Refunded], error) {
	if err := live(caller); err != nil {
		return nil, err
	}
	found, err := h.Links.Get(ctx, caller.MerchantID, in.ID)
	return httpapi.With(caller.Sees(found), err)
}

func (h *Refunds) approve(ctx context.Context, m db.Merchant, in *decisionInput) (*httpapi.Out[refund.Refunded], error) {
	caller := access.Key{MerchantID: m.MerchantID, Mode: config.Live, Permissions: permission.All()}
	return decide(ctx, caller, in, func(ctx context.Context, _ access.Key, id, claimID string) (refund.Refunded, error) {
		return h.Links.Approve(ctx, m, id, claimID)
	})
}

func (h *Refunds) approveByKey(ctx context.Context, caller access.Key, in *decisionInput) (*httpapi.Out[refund.Refunded], error) {
	return decide(ctx, caller, in, h.Links.ApproveByKey)
}

func (h *Refunds) cancel(ctx context.Context, caller access.Key, in *decisionInput) (*httpapi.Out[refund.Refunded], error) {
	return decide(ctx, caller, in, h.Links.Cancel)
}

func decide(
	ctx context.Context, caller access.Key, in *decisionInput, do func(ctx context.Context, caller access.Key, id, claimID string) (refund.Refunded, error),
) (*httpapi.Out[refund.Refunded], error) {
	fields, err := in.Body.Read()
	if err != nil {
		return nil, err
	}
	if err := live(caller); err != nil {
		return nil, err
	}
	decided, err := do(ctx, caller, in.ID, fields.ClaimID)
	return httpapi.With(caller.Sees(decided), err)
}

const (
	exampleID      = "rf_0123456789abcdef01234567"
	exampleClaimID = "rc_0123456789abcdef01234567"
)

func exampleNewRefund() newRefund {
	kept := money.DecimalFromInt(5)
	return newRefund{Variant: refund.RateThen, SubtractPercent: &kept, Name: "Order A-1001"}
}

func exampleNewClaim() newClaim { return newClaim{Token: example.Secret, Address: example.Address} }

func exampleClaim() refund.ClaimState {
	waits, at := refund.ForMoney, wire.TimeOf(example.Time())
	text := waits.Text()
	return refund.ClaimState{
		ID: exampleClaimID, Status: refund.AwaitingPayment, AmountXMR: 100_000_000_000, Address: payout.MaskAddress(example.Address),
		WaitsFor: &waits, WaitsText: &text, CreatedAt: at, ApprovedAt: &at,
	}
}

func exampleListed() refund.Refunded {
	at := wire.TimeOf(example.Time())
	return refund.Refunded{
		ID: exampleID, ChargeID: example.ChargeID, Status: refund.AwaitingPayment, Variant: refund.RateThen, AmountXMR: 289_903_375_733,
		ClaimedXMR: 100_000_000_000, LeftXMR: 189_903_375_733, FeeRate: money.MustDecimal("0.005"), FeeXMR: 1_449_516_878, Name: "Order A-1001", CreatedAt: at,
		ExpiresAt: wire.TimeOf(example.Time().Add(refund.DefaultLife)), Claims: []refund.ClaimState{exampleClaim()},
	}
}

func exampleRefund() refund.Refunded {
	v, link := exampleListed(), example.URL+"/refund/"+exampleID+"/"+example.Secret
	v.Link = &link
	return v
}

func examplePublic() refund.PublicRefund {
	v := exampleListed()
	return refund.PublicRefund{
		ID: v.ID, Status: v.Status, Shop: "Example shop", Name: v.Name, AmountXMR: v.AmountXMR, LeftXMR: v.LeftXMR,
		ExpiresAt: v.ExpiresAt, Claims: v.Claims,
	}
}
