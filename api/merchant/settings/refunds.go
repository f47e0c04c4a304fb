package settings

import (
	"context"
	"net/http"

	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/api/merchant/request"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
)

type newRefundApproval struct {
	AutoUpTo *money.Piconero `json:"auto_up_to_xmr" required:"true" doc:"Refunds of at most so much need no approval; 0: each claim needs one"`
	ByKey    *bool           `json:"approve_by_key,omitempty" doc:"Whether the account's own key may approve claims too; unchanged when it is missing. Off by default: who steals the key can then pay out to anybody"`
	TOTPCode *string         `json:"totp_code,omitempty" doc:"Six digits; required when two-factor authentication is on" example:"123456"`
}

type refundApprovalSet struct {
	OK       bool           `json:"ok" doc:"Always true"`
	AutoUpTo money.Piconero `json:"auto_up_to_xmr"`
	ByKey    bool           `json:"approve_by_key"`
}

// registerRefundApproval adds up to which amount refunds are paid without approval.
func (h *Handler) registerRefundApproval(api operation.API) {
	tenth := money.OneXMR / 10
	operation.WithSession(api, operation.Route{
		ID: "setRefundApproval", Method: http.MethodPut, Path: "/api/account/refunds", Tag: operation.TagAccount,
		Recent: true, Summary: "Set which refunds need no approval",
		Text: "Claims of a refund wait for approval, unless the refund is of at most `auto_up_to_xmr`. That is decided when a refund is " +
			"made: a change is for later ones. It counts for each refund, and whoever may make refunds with a key makes as many as " +
			"charges have received. With two-factor authentication on, 400 without a code and 403 with a wrong one.",
		Errors:  []int{http.StatusLocked},
		Request: newRefundApproval{AutoUpTo: &tenth}, Response: refundApprovalSet{true, tenth, false},
	}, h.setRefundApproval)
}

func (h *Handler) setRefundApproval(ctx context.Context, m db.Merchant, in *struct {
	Body request.Body[newRefundApproval]
},
) (*answer.Out[refundApprovalSet], error) {
	fields, err := in.Body.Read()
	if err != nil {
		return nil, err
	}
	if fields.AutoUpTo == nil {
		return nil, answer.BadRequest("auto_up_to_xmr is required")
	}
	byKey := m.RefundKeyApproves
	if fields.ByKey != nil {
		byKey = *fields.ByKey
	}
	err = h.Confirm.Guarded(ctx, m, fields.TOTPCode, func(q *db.Queries, _ db.Merchant) error {
		return q.SetRefundApproval(ctx, db.SetRefundApprovalParams{MerchantID: m.MerchantID, UpTo: *fields.AutoUpTo, KeyApproves: byKey})
	})
	return answer.With(refundApprovalSet{true, *fields.AutoUpTo, byKey}, err)
}
