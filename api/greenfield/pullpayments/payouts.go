package pullpayments

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/greenfield/problem"
	"github.com/durapay/durapay/api/greenfield/route"
	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/api/merchant/auth"
	"github.com/durapay/durapay/api/merchant/request"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/scopedkey"
)

const (
	pathPayouts = "/api/v1/stores/{storeId}/payouts"
	pathPayout  = pathPayouts + "/{payoutId}"
)

type approval struct {
	Revision *int64  `json:"revision,omitempty" nullable:"true" doc:"Only 0: the amount in XMR was fixed when the refund was made"`
	RateRule *string `json:"rateRule,omitempty" nullable:"true" doc:"Of no effect, for the same reason"`
}

// registerPayouts adds the routes for the claims of a store's refunds.
func (h *Handler) registerPayouts(api route.API) {
	add := func(id, method, path string, needs scopedkey.Permission, summary, text string, errors ...int) route.Route {
		return route.Route{
			ID: "Payouts_" + id, Method: method, Path: path, Tag: route.TagPayouts, Permission: needs, Summary: summary, Text: text,
			Errors: append(errors, http.StatusNotFound), Response: examplePayout(),
		}
	}
	list := route.Route{
		ID: "Payouts_GetStorePayouts", Method: http.MethodGet, Path: pathPayouts, Tag: route.TagPayouts, Permission: scopedkey.ViewPayouts,
		Summary: "List payouts", Text: "Claims of the newest 100 refunds, the newest first, without the keys that prove payments.",
		Errors: []int{http.StatusUnprocessableEntity}, Response: []payout{examplePayout()},
		Query: []*huma.Param{flag("includeCancelled", "Those that were cancelled too.")},
	}
	route.WithKey(api, list, h.payouts)
	route.WithKey(api, add("GetStorePayout", http.MethodGet, pathPayout, scopedkey.ViewPayouts, "Get a payout", "A claim of a refund."), h.payout)
	approve := add("ApprovePayout", http.MethodPost, pathPayout, scopedkey.MoveMoney, "Approve a payout",
		"Lets the claim be paid. No application can be given the permission: the account's own key has it, where the merchant lets it approve (403 otherwise). Safe to repeat.", http.StatusBadRequest)
	approve.Request = approval{}
	route.WithKey(api, approve, h.approve)
	cancel := add("CancelPayout", http.MethodDelete, pathPayout, scopedkey.ManagePayouts, "Cancel a payout",
		"Takes the claim back, so that its amount can be claimed again. Safe to repeat. One that is being paid answers 400.", http.StatusBadRequest)
	cancel.Response = nil
	route.WithKey(api, cancel, h.cancel)
	paid := add("MarkPayoutPaid", http.MethodPost, pathPayout+"/mark-paid", scopedkey.ManagePayouts, "Mark a payout as paid",
		"Always refused: the service pays claims itself, and nobody else can say that one is paid. One that was paid otherwise is cancelled, "+
			"with its pull payment.", http.StatusBadRequest)
	paid.Response = nil
	route.WithKey(api, paid, h.markPaid)
}

func (h *Handler) payouts(ctx context.Context, caller auth.Key, in *struct {
	StorePath
	request.Query
},
) (*answer.Out[[]payout], error) {
	all, err := isSet(&in.Query, "includeCancelled")
	if err != nil {
		return nil, err
	}
	refunds, err := h.refunds(ctx, caller)
	if err != nil {
		return nil, err
	}
	list := []payout{}
	for _, r := range refunds {
		list = append(list, payoutsOf(r, all)...)
	}
	slices.SortStableFunc(list, func(a, b payout) int { return int(b.Date - a.Date) })
	return answer.With(list, nil)
}

// own returns the refund of one of the caller's claims.
func (h *Handler) own(ctx context.Context, caller auth.Key, claimID string) (refund.Refunded, error) {
	if inSandbox(caller) {
		return refund.Refunded{}, problem.NotFound(noPayout)
	}
	r, err := h.Links.OfClaim(ctx, caller.MerchantID, claimID)
	return r, missing(err, noPayout)
}

// claimIn returns one claim of a refund.
func claimIn(r refund.Refunded, claimID string) (*answer.Out[payout], error) {
	for _, c := range r.Claims {
		if c.ID == claimID {
			return answer.With(payoutOf(r, c), nil)
		}
	}
	return nil, problem.NotFound(noPayout)
}

func (h *Handler) payout(ctx context.Context, caller auth.Key, in *PayoutInStore) (*answer.Out[payout], error) {
	r, err := h.own(ctx, caller, in.PayoutID)
	if err != nil {
		return nil, err
	}
	return claimIn(caller.Sees(r), in.PayoutID)
}

func (h *Handler) approve(ctx context.Context, caller auth.Key, in *struct {
	PayoutInStore
	Body request.Body[approval]
},
) (*answer.Out[payout], error) {
	f, err := in.Body.Read()
	if err != nil {
		return nil, err
	}
	if f.Revision != nil && *f.Revision != 0 {
		return nil, problem.Invalid("revision", "revision must be 0")
	}
	r, err := h.own(ctx, caller, in.PayoutID)
	if err != nil {
		return nil, err
	}
	if r, err = h.Links.ApproveByKey(ctx, caller, r.ID, in.PayoutID); err != nil {
		return nil, stands(err)
	}
	return claimIn(r, in.PayoutID)
}

// cancel answers an empty body, as BTCPay does.
func (h *Handler) cancel(ctx context.Context, caller auth.Key, in *PayoutInStore) (*struct{}, error) {
	r, err := h.own(ctx, caller, in.PayoutID)
	if err != nil {
		return nil, err
	}
	_, err = h.Links.Cancel(ctx, caller, r.ID, in.PayoutID)
	return nil, stands(err)
}

func (h *Handler) markPaid(ctx context.Context, caller auth.Key, in *PayoutInStore) (*struct{}, error) {
	if _, err := h.own(ctx, caller, in.PayoutID); err != nil {
		return nil, err
	}
	return nil, problem.InvalidState("the service pays claims itself: cancel one that was paid otherwise")
}
