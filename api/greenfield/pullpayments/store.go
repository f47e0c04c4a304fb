package pullpayments

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/greenfield/dialect"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/refund"
)

// listed is the number of refunds in a store's list.
const listed = 100

const pathPulls = "/api/v1/stores/{storeId}/pull-payments"

// registerStore adds the routes for a store's refunds.
func (h *Handler) registerStore(api dialect.API) {
	list := dialect.Route{
		ID: "PullPayments_GetPullPayments", Method: http.MethodGet, Path: pathPulls, Tag: dialect.TagPulls,
		Permission: permission.ViewPullPayments, Summary: "List pull payments",
		Text: "Refunds that were made otherwise are pull payments too. The newest first, at most 100. Without the secrets of " +
			"their links, unless the key manages pull payments (`" + string(permission.ManagePullPayments) + "`); those of refunds that need no " +
			"approval, only if it may make such as well (`" + string(permission.CreatePullPayments) + "`).",
		Errors: []int{http.StatusUnprocessableEntity}, Response: []pullPayment{viewOf(exampleRefund())},
		Query: []*huma.Param{flag("includeArchived", "Those that were cancelled too.")},
	}
	dialect.WithKey(api, list, h.list)
	dialect.WithKey(api, dialect.Route{
		ID: "PullPayments_ArchivePullPayment", Method: http.MethodDelete, Path: pathPulls + "/{pullPaymentId}", Tag: dialect.TagPulls,
		Permission: permission.ArchivePullPayments, Summary: "Archive a pull payment",
		Text: "Cancels the refund with its claims that are not being paid; those that are go on. Safe to repeat. What is paid or " +
			"has expired is no longer there to be cancelled, and answers 400.",
		Errors: []int{http.StatusBadRequest, http.StatusNotFound},
	}, h.archive)
}

// flag returns a parameter that is true or false.
func flag(name, text string) *huma.Param {
	return &huma.Param{Name: name, In: "query", Description: text, Schema: &huma.Schema{Type: huma.TypeBoolean, Default: false}}
}

// isSet reads a flag. True and False may begin with a capital letter.
func isSet(q *httpapi.Query, name string) (bool, error) {
	value, err := q.OneOf(name, "false", "true", "False", "True", "")
	return value == "true" || value == "True", err
}

func (h *Handler) list(ctx context.Context, caller access.Key, in *struct {
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
			list = append(list, viewOf(r))
		}
	}
	return httpapi.With(list, nil)
}

// refunds returns the newest refunds of a store, as the key may see them.
func (h *Handler) refunds(ctx context.Context, caller access.Key) ([]refund.Refunded, error) {
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
func (h *Handler) archive(ctx context.Context, caller access.Key, in *PullInStore) (*struct{}, error) {
	if inSandbox(caller) {
		return nil, dialect.NotFound(noPull)
	}
	id, _ := parseID(in.PullPaymentID)
	_, err := h.Links.Cancel(ctx, caller, id, "")
	return nil, stands(missing(err, noPull))
}
