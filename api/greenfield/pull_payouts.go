package greenfield

import (
	"context"
	"slices"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/refund"
)

type approval struct {
	Revision *int64  `json:"revision,omitempty" nullable:"true" doc:"Only 0: the amount in XMR was fixed when the refund was made"`
	RateRule *string `json:"rateRule,omitempty" nullable:"true" doc:"Of no effect, for the same reason"`
}

func (h *PullPayments) payouts(ctx context.Context, caller access.Key, in *struct {
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

func (h *PullPayments) own(ctx context.Context, caller access.Key, claimID string) (refund.Refunded, error) {
	if inSandbox(caller) {
		return refund.Refunded{}, notFound(noPayout)
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
	return nil, notFound(noPayout)
}

func (h *PullPayments) payout(ctx context.Context, caller access.Key, in *PayoutInStore) (*httpapi.Out[payout], error) {
	r, err := h.own(ctx, caller, in.PayoutID)
	if err != nil {
		return nil, err
	}
	return claimIn(caller.Sees(r), in.PayoutID)
}

func (h *PullPayments) approve(ctx context.Context, caller access.Key, in *struct {
	PayoutInStore
	Body httpapi.Body[approval]
},
) (*httpapi.Out[payout], error) {
	f := in.Body.Value()
	if f.Revision != nil && *f.Revision != 0 {
		return nil, invalid("revision", "revision must be 0")
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
func (h *PullPayments) cancel(ctx context.Context, caller access.Key, in *PayoutInStore) (*struct{}, error) {
	r, err := h.own(ctx, caller, in.PayoutID)
	if err != nil {
		return nil, err
	}
	_, err = h.Links.Cancel(ctx, caller, r.ID, in.PayoutID)
	return nil, stands(err)
}

func (h *PullPayments) markPaid(ctx context.Context, caller access.Key, in *PayoutInStore) (*struct{}, error) {
	if _, err := h.own(ctx, caller, in.PayoutID); err != nil {
		return nil, err
	}
	return nil, invalidState("the service pays claims itself: cancel one that was paid otherwise")
}
