package accounts

import (
	"context"
	"net/http"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/wire"
)

type newRefundApproval struct {
	AutoUpTo *money.Piconero `json:"auto_up_to_xmr" required:"true" doc:"Refunds of at most so much need no approval, up to ten times as much on a day (UTC); 0: each claim needs one"`
	ByKey    *bool           `json:"approve_by_key,omitempty" doc:"Whether the account's own key may approve claims too; unchanged when it is missing. Off by default: who steals the key can then pay out to anybody"`
	TOTPCode *string         `json:"totp_code,omitempty" doc:"Six digits; required when two-factor authentication is on" example:"123456"`
}

type refundApprovalSet struct {
	OK        bool           `json:"ok" doc:"Always true"`
	AutoUpTo  money.Piconero `json:"auto_up_to_xmr"`
	ByKey     bool           `json:"approve_by_key"`
	HoldUntil *wire.Time     `json:"hold_until,omitempty" doc:"Until then every claim needs the approval of a session; only there while it does"`
}

// registerRefundApproval registers the setting up to which amount refunds are paid without
// approval.
func (h *Settings) registerRefundApproval(api operation.API) {
	tenth := money.OneXMR / 10
	operation.WithSession(api, operation.Route{
		ID: "setRefundApproval", Method: http.MethodPut, Path: "/api/account/refunds", Tag: operation.TagAccount,
		Confirmed: true, Recent: true, Summary: "Set which refunds need no approval",
		Text: "Claims of a refund wait for approval, unless the refund is of at most `auto_up_to_xmr` and those of the day (UTC) are " +
			"worth at most ten times as much. The merchant makes such refunds at the desk, right after giving the password. The " +
			"account's own key makes them, and a key of an application only with the permission " +
			"`" + string(permission.CreatePullPayments) + "`: refunds of any other wait for approval. Staff have sums of their own. It is " +
			"decided when a refund is made, and once more when it is claimed: a lower amount counts at once. Where the service " +
			"holds changes, every claim needs the approval of a session for that time after more was let go, which the owner " +
			"is told by mail. With two-factor authentication on, 400 without a code and 403 with a wrong one.",
		Errors:  []int{http.StatusLocked},
		Request: newRefundApproval{AutoUpTo: &tenth}, Response: refundApprovalSet{OK: true, AutoUpTo: tenth},
	}, h.setRefundApproval)
}

func (h *Settings) setRefundApproval(ctx context.Context, m db.Merchant, in *struct {
	Body httpapi.Body[newRefundApproval]
},
) (*httpapi.Out[refundApprovalSet], error) {
	fields, err := in.Body.Read()
	if err != nil {
		return nil, err
	}
	if fields.AutoUpTo == nil {
		return nil, httpapi.BadRequest("auto_up_to_xmr is required")
	}
	set := refundApprovalSet{OK: true, AutoUpTo: *fields.AutoUpTo}
	err = h.Confirm.Guarded(ctx, m, fields.TOTPCode, func(q *db.Queries, held db.Merchant) error {
		set.ByKey = held.RefundKeyApproves
		if fields.ByKey != nil {
			set.ByKey = *fields.ByKey
		}
		if err := q.SetRefundApproval(ctx, db.SetRefundApprovalParams{MerchantID: m.MerchantID, UpTo: set.AutoUpTo, KeyApproves: set.ByKey}); err != nil {
			return err
		}
		until := payout.HeldUntil(held.RefundHoldUntil, h.Clock())
		if set.AutoUpTo > held.RefundAutoUpTo || set.ByKey && !held.RefundKeyApproves {
			if until, err = h.Notices.Loosened(ctx, q, held, h.PayoutHold); err != nil {
				return err
			}
		}
		set.HoldUntil = wire.TimeOrNil(until)
		return nil
	})
	return httpapi.With(set, err)
}
