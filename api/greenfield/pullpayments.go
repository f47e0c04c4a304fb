package greenfield

import (
	"context"
	"net/http"
	"strings"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/refund"
)

// PullPayments answers requests about refunds, which are pull payments, and about their claims,
// which are payouts. Some routes are for stores, and some for buyers who have the identifier of
// a pull payment.
//
// On this surface, knowing the identifier of a pull payment is enough to claim it. So the
// identifier is the refund's own identifier, a dash, and the secret of its link. A key that
// may not see links gets only the refund's identifier, which allows no claim.
type PullPayments struct{ Links service.RefundLinks }

// PullPath names a pull payment with its secret.
type PullPath struct {
	PullPaymentID string `path:"pullPaymentId" doc:"Pull payment, with the secret of its link"`
}

// PullInStore names a pull payment in a store.
type PullInStore struct {
	StorePath
	PullPaymentID string `path:"pullPaymentId" doc:"Pull payment; its secret is not needed here"`
}

// PayoutPath names a payout of a pull payment.
type PayoutPath struct {
	PullPath
	PayoutID string `path:"payoutId" doc:"Payout: the claim's identifier" example:"rc_0123456789abcdef01234567"`
}

// PayoutInStore names a payout in a store.
type PayoutInStore struct {
	StorePath
	PayoutID string `path:"payoutId" doc:"Payout: the claim's identifier" example:"rc_0123456789abcdef01234567"`
}

// Resources that may not be found, named as in BTCPay's codes.
const (
	noPull    = "pullpayment"
	noPayout  = "payout"
	noInvoice = "invoice"
)

// stands converts an error about a resource's state to this surface's format.
func stands(err error) error {
	if p := httpapi.ProblemOf(err); p != nil && p.Status == http.StatusBadRequest {
		return invalidState(p.Text)
	}
	return err
}

// inSandbox reports whether a key is of the sandbox, which has no refunds.
func inSandbox(caller access.Key) bool { return caller.Mode == config.Sandbox }

// parseID returns the refund and the secret of an identifier of this surface. The secret is
// empty if there is none.
func parseID(id string) (refundID, token string) {
	refundID, token, _ = strings.Cut(id, "-")
	return refundID, token
}

// linked returns the identifier of a refund, with the secret of its link if that is known.
func linked(r refund.Refunded) string {
	if r.Link == nil {
		return r.ID
	}
	return r.ID + "-" + (*r.Link)[strings.LastIndex(*r.Link, "/")+1:]
}

// listed is the number of refunds in a store's list.
const listed = 100

// isSet reads a flag. True and False may begin with a capital letter.
func isSet(q *httpapi.Query, name string) (bool, error) {
	value, err := q.OneOf(name, "false", "true", "False", "True", "")
	return value == "true" || value == "True", err
}

func (h *PullPayments) list(ctx context.Context, caller access.Key, in *struct {
	StorePath
	httpapi.Query
},
) (*httpapi.Out[[]pullPayment], error) {
	all, err := isSet(&in.Query, "includeArchived")
	if err != nil {
		return nil, err
	}
	refunds, err := h.refunds(ctx, caller)
	if err != nil {
		return nil, err
	}
	list := make([]pullPayment, 0, len(refunds))
	for _, r := range refunds {
		if all || r.CancelledAt == nil {
			list = append(list, pullOf(r))
		}
	}
	return httpapi.With(list, nil)
}

// refunds returns the newest refunds of a store, as the key may see them.
func (h *PullPayments) refunds(ctx context.Context, caller access.Key) ([]refund.Refunded, error) {
	if inSandbox(caller) {
		return nil, nil
	}
	list, err := h.Links.ListLinked(ctx, caller.MerchantID, listed)
	for i := range list {
		list[i] = caller.Sees(list[i])
	}
	return list, err
}

// archive answers an empty body, as BTCPay does.
func (h *PullPayments) archive(ctx context.Context, caller access.Key, in *PullInStore) (*struct{}, error) {
	if inSandbox(caller) {
		return nil, notFound(noPull)
	}
	id, _ := parseID(in.PullPaymentID)
	_, err := h.Links.Cancel(ctx, caller, id, "")
	return nil, stands(missing(err, noPull))
}
