package pullpayments

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/greenfield/dialect"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/refund"
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
func (h *Handler) registerPayouts(api dialect.API) {
	add := func(id, method, path string, needs permission.Permission, summary, text string, errors ...int) dialect.Route {
		return dialect.Route{
			ID: "Payouts_" + id, Method: method, Path: path, Tag: dialect.TagPayouts, Permission: needs, Summary: summary, Text: text,
			Errors: append(errors, http.StatusNotFound), Response: examplePayout(),
		}
	}
	list := dialect.Route{
		ID: "Payouts_GetStorePayouts", Method: http.MethodGet, Path: pathPayouts, Tag: dialect.TagPayouts, Permission: permission.ViewPayouts,
		Summary: "List payouts", Text: "Claims of the newest 100 refunds, the newest first, without the keys that prove payments.",
		Errors: []int{http.StatusUnprocessableEntity}, Response: []payout{examplePayout()},
		Query: []*huma.Param{flag("includeCancelled", "Those that were cancelled too.")},
	}
	dialect.WithKey(api, list, h.payouts)
	dialect.WithKey(api, add("GetStorePayout", http.MethodGet, pathPayout, permission.ViewPayouts, "Get a payout", "A claim of a refund."), h.payout)
	approve := add("ApprovePayout", http.MethodPost, pathPayout, permission.MoveMoney, "Approve a payout",
		"Lets the claim be paid. No application can be given the permission: the account's own key has it, where the merchant lets it approve (403 otherwise). Safe to repeat.", http.StatusBadRequest)
	approve.Request = approval{}
	dialect.WithKey(api, approve, h.approve)
	cancel := add("CancelPayout", http.MethodDelete, pathPayout, permission.ManagePayouts, "Cancel a payout",
		"Takes the claim back, so that its amount can be claimed again. Safe to repeat. One that is being paid answers 400.", http.StatusBadRequest)
	cancel.Response = nil
	dialect.WithKey(api, cancel, h.cancel)
	paid := add("MarkPayoutPaid", http.MethodPost, pathPayout+"/mark-paid", permission.ManagePayouts, "Mark a payout as paid",
		"Always refused: the service pays claims itself, and nobody else can say that one is paid. One that was paid otherwise is cancelled, "+
			"with its pull payment.", http.StatusBadRequest)
	paid.Response = nil
	dialect.WithKey(api, paid, h.markPaid)
}

func (h *Handler) payouts(ctx context.Context, caller access.Key, in *struct {
	StorePath
	httpapi.Query
},
) (*httpapi.Out[[]payout], error) {
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
	return httpapi.With(list, nil)
}

func (h *Handler) own(ctx context.Context, caller access.Key, claimID string) (refund.Refunded, error) {
	if inSandbox(caller) {
		return refund.Refunded{}, dialect.NotFound(noPayout)
	}
	r, err := h.Links.OfClaim(ctx, caller.MerchantID, claimID)
	return r, missing(err, noPayout)
}

func claimIn(r refund.Refunded, claimID string) (*httpapi.Out[payout], error) {
	for _, c := range r.Claims {
		if c.ID == claimID {
			return httpapi.With(payoutOf(r, c), nil)
		}
	}
	return nil, dialect.NotFound(noPayout)
}

func (h *Handler) payout(ctx context.Context, caller access.Key, in *PayoutInStore) (*httpapi.Out[payout], error) {
	r, err := h.own(ctx, caller, in.PayoutID)
	if err != nil {
		return nil, err
	}
	return claimIn(caller.Sees(r), in.PayoutID)
}

func (h *Handler) approve(ctx context.Context, caller access.Key, in *struct {
	PayoutInStore
	Body httpapi.Body[approval]
},
) (*httpapi.Out[payout], error) {
	f, err := in.Body.Read()
	if err != nil {
		return nil, err
	}
	if f.Revision != nil && *f.Revision != 0 {
		return nil, dialect.Invalid("revision", "revision must be 0")
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
func (h *Handler) cancel(ctx context.Context, caller access.Key, in *PayoutInStore) (*struct{}, error) {
	r, err := h.own(ctx, caller, in.PayoutID)
	if err != nil {
		return nil, err
	}
	_, err = h.Links.Cancel(ctx, caller, r.ID, in.PayoutID)
	return nil, stands(err)
}

func (h *Handler) markPaid(ctx context.Context, caller access.Key, in *PayoutInStore) (*struct{}, error) {
	if _, err := h.own(ctx, caller, in.PayoutID); err != nil {
		return nil, err
	}
	return nil, dialect.InvalidState("the service pays claims itself: cancel one that was paid otherwise")
}
