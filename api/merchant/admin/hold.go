package admin

import (
	"context"
	"net/http"
	"time"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/wire"
)

type newHold struct {
	Until wire.Time `json:"until" doc:"In the future, at most 720 hours from now" example:"2026-11-28T09:30:00.123Z"`
}

type holdInput struct {
	ID   string `path:"id" doc:"Merchant identifier, 32 hex digits" example:"0123456789abcdef0123456789abcdef"`
	Body httpapi.Body[newHold]
}

// registerAdminHold registers the route with which operators make a merchant's sweeps and
// refunds wait.
func (h *Admin) registerAdminHold(api operation.API) {
	until := wire.TimeOf(example.Time().AddDate(0, 0, 7))
	held := exampleMerchant()
	held.PayoutHoldUntil = &until
	operation.WithAdmin(api, operation.Route{
		ID: "adminHold", Method: http.MethodPost, Path: "/api/admin/merchants/{id}/hold",
		Summary: "Have a merchant's sweeps and refunds wait",
		Text: "As after a change of where they go: for a merchant who writes that it was not them. A payout that has begun goes on. A hold is " +
			"made longer, never shorter.",
		Errors: []int{http.StatusNotFound}, Request: newHold{until}, Response: held,
	}, func(ctx context.Context, who operator.Actor, in *holdInput) (*httpapi.Out[operator.Merchant], error) {
		fields, err := in.Body.Read()
		if err != nil {
			return nil, err
		}
		return httpapi.With(h.Admin.Hold(ctx, who, merchantOf(in.ID), time.Time(fields.Until)))
	})
}
