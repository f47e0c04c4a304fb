package pullpayments

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/greenfield/dialect"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/refund"
)

const pathPublic = "/api/v1/pull-payments/{pullPaymentId}"

type newPayout struct {
	Destination    *string         `json:"destination" required:"true" doc:"Where it goes: a Monero address of the buyer's own wallet"`
	Amount         *dialect.Amount `json:"amount,omitempty" nullable:"true" doc:"A part of it, in the currency of the pull payment, at least 0.001 XMR; without it all that is left"`
	PaymentMethod  *string         `json:"paymentMethod,omitempty" nullable:"true" doc:"XMR-CHAIN"`
	PayoutMethodID *string         `json:"payoutMethodId,omitempty" nullable:"true" doc:"The same in BTCPay 2.x"`
}

// registerPublic adds the routes for buyers, who have the identifier with its secret.
func (h *Handler) registerPublic(api dialect.API) {
	add := func(id, method, path, summary, text string) dialect.Route {
		return dialect.Route{
			ID: "PullPayments_" + id, Method: method, Path: pathPublic + path, Tag: dialect.TagPulls, Summary: summary, Text: text,
			Errors: []int{http.StatusNotFound}, Limit: access.Public, Response: examplePayout(),
		}
	}
	get := add("GetPullPayment", http.MethodGet, "", "Get a pull payment", "A wrong secret answers 404, as on all routes of buyers.")
	get.Response = viewOf(exampleRefund())
	dialect.Public(api, get, h.get)
	list := add("GetPayouts", http.MethodGet, "/payouts", "List the payouts of a pull payment", "The oldest first.")
	list.Response, list.Query = []payout{examplePayout()}, []*huma.Param{flag("includeCancelled", "Those that were cancelled too.")}
	list.Errors = append(list.Errors, http.StatusUnprocessableEntity)
	dialect.Public(api, list, h.claims)
	claim := add("CreatePayout", http.MethodPost, "/payouts", "Claim a pull payment",
		"Asks for the refund, or a part of it, to an address. 422 says why not: the address is no address of the main network, belongs "+
			"to this service or is blocked; less is left; the refund was cancelled or has expired. The same claim twice is one.")
	claim.Limit, claim.Request = access.Create, exampleNewPayout()
	dialect.Public(api, claim, h.claim)
	dialect.Public(api, add("GetPayout", http.MethodGet, "/payouts/{payoutId}", "Get a payout of a pull payment",
		"With the transaction and its key, which prove the payment."), h.claimed)
}

// opened returns the refund of an identifier with its secret.
func (h *Handler) opened(ctx context.Context, id string) (refund.Refunded, error) {
	refundID, token := parseID(id)
	r, err := h.Links.Opened(ctx, refundID, token)
	return r, missing(err, noPull)
}

func (h *Handler) get(ctx context.Context, in *PullPath) (*httpapi.Out[pullPayment], error) {
	r, err := h.opened(ctx, in.PullPaymentID)
	if err != nil {
		return nil, err
	}
	return httpapi.With(viewOf(r), nil)
}

func (h *Handler) claims(ctx context.Context, in *struct {
	PullPath
	httpapi.Query
},
) (*httpapi.Out[[]payout], error) {
	all, err := isSet(&in.Query, "includeCancelled")
	if err != nil {
		return nil, err
	}
	r, err := h.opened(ctx, in.PullPaymentID)
	if err != nil {
		return nil, err
	}
	return httpapi.With(payoutsOf(r, all), nil)
}

func (h *Handler) claimed(ctx context.Context, in *PayoutPath) (*httpapi.Out[payout], error) {
	r, err := h.opened(ctx, in.PullPaymentID)
	if err != nil {
		return nil, err
	}
	return claimIn(r, in.PayoutID)
}

func (h *Handler) claim(ctx context.Context, in *struct {
	PullPath
	Body httpapi.Body[newPayout]
},
) (*httpapi.Out[payout], error) {
	f, err := in.Body.Read()
	if err != nil {
		return nil, err
	}
	r, err := h.opened(ctx, in.PullPaymentID)
	if err != nil {
		return nil, err
	}
	for field, name := range map[string]*string{"paymentMethod": f.PaymentMethod, "payoutMethodId": f.PayoutMethodID} {
		if name != nil && *name != "" && !invoice.IsMethodXMR(*name) {
			return nil, dialect.Invalid(field, "the only payment method is %s", invoice.MethodXMR)
		}
	}
	if f.Destination == nil {
		return nil, dialect.Invalid("destination", "destination is required")
	}
	if to, err := monero.ParseAddress(*f.Destination); err != nil || to.Network != monero.Mainnet {
		return nil, dialect.Invalid("destination", "destination must be a Monero address of the main network")
	}
	amount, err := asked(r, f.Amount)
	if err != nil {
		return nil, err
	}
	_, token := parseID(in.PullPaymentID)
	_, claimID, err := h.Links.Claim(ctx, r.ID, token, *f.Destination, amount)
	if err != nil {
		return nil, err
	}
	if r, err = h.opened(ctx, in.PullPaymentID); err != nil {
		return nil, err
	}
	return claimIn(r, claimID)
}
