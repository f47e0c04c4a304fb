package greenfield

import (
	"context"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/refund"
)

type newPayout struct {
	Destination    *string `json:"destination" required:"true" doc:"Where it goes: a Monero address of the buyer's own wallet"`
	Amount         *Amount `json:"amount,omitempty" nullable:"true" doc:"A part of it, in the currency of the pull payment, at least 0.001 XMR; without it all that is left"`
	PaymentMethod  *string `json:"paymentMethod,omitempty" nullable:"true" doc:"XMR-CHAIN"`
	PayoutMethodID *string `json:"payoutMethodId,omitempty" nullable:"true" doc:"The same in BTCPay 2.x"`
}

// opened returns the refund of an identifier with its secret.
func (h *PullPayments) opened(ctx context.Context, id string) (refund.Refunded, error) {
	refundID, token := parseID(id)
	r, err := h.Links.Opened(ctx, refundID, token)
	return r, missing(err, noPull)
}

func (h *PullPayments) get(ctx context.Context, in *PullPath) (*httpapi.Out[pullPayment], error) {
	r, err := h.opened(ctx, in.PullPaymentID)
	if err != nil {
		return nil, err
	}
	return httpapi.With(pullOf(r), nil)
}

func (h *PullPayments) claims(ctx context.Context, in *struct {
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

func (h *PullPayments) claimed(ctx context.Context, in *PayoutPath) (*httpapi.Out[payout], error) {
	r, err := h.opened(ctx, in.PullPaymentID)
	if err != nil {
		return nil, err
	}
	return claimIn(r, in.PayoutID)
}

func (h *PullPayments) claim(ctx context.Context, in *struct {
	PullPath
	Body httpapi.Body[newPayout]
},
) (*httpapi.Out[payout], error) {
	f := in.Body.Value()
	r, err := h.opened(ctx, in.PullPaymentID)
	if err != nil {
		return nil, err
	}
	for field, name := range map[string]*string{"paymentMethod": f.PaymentMethod, "payoutMethodId": f.PayoutMethodID} {
		if name != nil && *name != "" && !invoice.IsMethodXMR(*name) {
			return nil, invalid(field, "the only payment method is %s", invoice.MethodXMR)
		}
	}
	if f.Destination == nil {
		return nil, invalid("destination", "destination is required")
	}
	if to, err := monero.ParseAddress(*f.Destination); err != nil || to.Network != monero.Mainnet {
		return nil, invalid("destination", "destination must be a Monero address of the main network")
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
