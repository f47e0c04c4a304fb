package charges

import (
	"context"
	"net/http"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/internal/event"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres/db"
)

type retried struct {
	Deliveries []string `json:"deliveries" doc:"Identifiers of the deliveries that are attempted now; empty where none waits"`
}

func (h *Sandbox) registerRetry(api operation.API) {
	operation.WithKey(api, operation.Route{
		ID: "sandboxRetry", Permission: permission.ModifyWebhooks, Method: http.MethodPost, Path: "/api/test/charges/{id}/retry-deliveries", Tag: operation.TagSandbox, Knocks: true,
		Summary: "Retry the deliveries of a charge now",
		Text: "Deliveries of the charge's events that failed and wait for their next attempt make it now. It counts as an attempt of its round. Safe to repeat: " +
			"a delivery that arrived or was given up is not sent again, see redeliver. For keys of the sandbox alone: a live one answers 403.",
		Errors:   []int{http.StatusNotFound},
		Response: retried{[]string{"whd_0123456789abcdef01234567"}},
	}, h.retryDeliveries)
}

// retryDeliveries makes waiting deliveries due.
func (h *Sandbox) retryDeliveries(ctx context.Context, caller access.Key, in *chargeInput) (*httpapi.Out[retried], error) {
	if _, err := h.own(ctx, caller, in.ID); err != nil {
		return nil, err
	}
	var due []string
	err := access.ChangeByKey(ctx, h.Store, caller, func(q *db.Queries) (err error) {
		due, err = event.RetryNow(ctx, q, caller.MerchantID, in.ID, h.Clock())
		return err
	})
	return httpapi.With(retried{due}, err)
}
