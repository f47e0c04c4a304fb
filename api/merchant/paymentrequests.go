package merchant

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/paymentrequest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/timestamp"
)

// listedRequests is the longest list of payment requests.
const listedRequests = 200

type newPaymentRequest struct {
	Amount      *money.Decimal  `json:"amount" required:"true" minimum:"0.01" maximum:"10000000" doc:"In the unit of currency, at most 2 decimals (12 for XMR)"`
	Currency    *string         `json:"currency,omitempty" enum:"USD,EUR,XMR" default:"USD" doc:"Currency of amount"`
	Description *string         `json:"description,omitempty" doc:"Text shown to the customer, at most 500 characters; markup is removed"`
	Reference   *string         `json:"reference,omitempty" doc:"The merchant's own identifier, at most 100 characters; markup is removed"`
	SingleUse   *bool           `json:"single_use,omitempty" default:"true" doc:"Consumed by the first successful payment"`
	Fields      fieldNames      `json:"fields,omitempty"`
	ExpiresAt   *timestamp.Time `json:"expires_at,omitempty" doc:"End of the link, in the future"`
}

type requestView struct {
	ID                string                `json:"id" doc:"Payment request identifier" example:"pr_0123456789abcdef01234567"`
	Amount            money.Decimal         `json:"amount" doc:"Amount asked for, in currency"`
	Currency          money.Currency        `json:"currency" enum:"USD,EUR,XMR" doc:"Currency of amount"`
	Description       *string               `json:"description" doc:"Text shown to the customer"`
	Reference         *string               `json:"reference" doc:"The merchant's own identifier"`
	SingleUse         bool                  `json:"single_use" doc:"Consumed by the first successful payment"`
	Fields            []string              `json:"fields" doc:"Buyer fields that the page asks for"`
	ExpiresAt         *timestamp.Time       `json:"expires_at" doc:"End of the link; null when it has none"`
	Active            bool                  `json:"active" doc:"Whether the link is switched on"`
	Status            paymentrequest.Status `json:"status" enum:"active,inactive,consumed,expired" doc:"State of the link"`
	CompletedPayments int32                 `json:"completed_payments" doc:"Confirmed charges made from it"`
	URL               string                `json:"url" doc:"The link to share" example:"https://pay.example.com/pay/pr_0123456789abcdef01234567"`
	CreatedAt         timestamp.Time        `json:"created_at"`
}

type requestList struct {
	PaymentRequests []requestView `json:"payment_requests" doc:"Newest first"`
}

type requestInput struct {
	ID string `path:"id" doc:"Payment request identifier" pattern:"^pr_[0-9a-f]{24}$" example:"pr_0123456789abcdef01234567"`
}

type deletedRequest struct {
	ID      string `json:"id" example:"pr_0123456789abcdef01234567"`
	Deleted bool   `json:"deleted" doc:"Always true"`
}

// registerRequests adds what merchants do with payment requests.
func (h *requestsRoom) registerRequests(api operations) {
	withKey(api, route{
		id: "createPaymentRequest", method: http.MethodPost, path: "/api/payment-requests", tag: tagRequests,
		summary: "Create a payment request",
		text:    "A link to share: a charge is made when it is visited.",
		request: exampleNewRequest(), response: exampleRequest(),
	}, h.createRequest)
	withKey(api, route{
		id: "listPaymentRequests", method: http.MethodGet, path: "/api/payment-requests", tag: tagRequests,
		summary: "List payment requests", text: "The newest payment requests of the key's mode.",
		query:    []*huma.Param{limitParam(listedRequests)},
		errors:   []int{http.StatusBadRequest},
		response: requestList{[]requestView{exampleRequest()}},
	}, h.listRequests)
	withKey(api, route{
		id: "togglePaymentRequest", method: http.MethodPost, path: "/api/payment-requests/{id}/toggle", tag: tagRequests,
		summary: "Switch the link on or off", text: "An inactive link answers 410. Charges made from it before go on.",
		errors: []int{http.StatusNotFound}, response: exampleRequest(),
	}, h.toggleRequest)
	withKey(api, route{
		id: "deletePaymentRequest", method: http.MethodPost, path: "/api/payment-requests/{id}/delete", tag: tagRequests,
		summary:  "Delete a payment request",
		text:     "Refused while it is active and once it has completed payments.",
		errors:   []int{http.StatusBadRequest, http.StatusNotFound},
		response: deletedRequest{exampleRequest().ID, true},
	}, h.deleteRequest)
}

func (h *requestsRoom) createRequest(ctx context.Context, caller keyCaller, in *struct{ Body body[newPaymentRequest] }) (*out[requestView], error) {
	fields, err := in.Body.read()
	if err != nil {
		return nil, err
	}
	row, err := h.newRequest(fields, caller)
	if err != nil {
		return nil, err
	}
	var made db.PaymentRequest
	if err := changeByKey(ctx, h.Store, caller, func(q *db.Queries) error {
		made, err = q.InsertPaymentRequest(ctx, row)
		return err
	}); err != nil {
		return nil, err
	}
	return answer(h.requestView(postgres.RequestOf(made)), nil)
}

// newRequest checks what a merchant asks for.
func (h *requestsRoom) newRequest(f newPaymentRequest, caller keyCaller) (db.InsertPaymentRequestParams, error) {
	now := h.Clock().Truncate(time.Millisecond)
	row := db.InsertPaymentRequestParams{
		ID: secret.NewID("pr_"), MerchantID: caller.MerchantID, Mode: string(caller.Mode),
		SingleUse: f.SingleUse == nil || *f.SingleUse, CreatedAt: now,
	}
	amount, currency, err := price(f.Amount, f.Currency)
	if err != nil {
		return row, err
	}
	row.Amount, row.Currency = amount, string(currency)
	if row.Description, err = shortText("description", f.Description, paymentrequest.MaxDescription); err != nil {
		return row, err
	}
	if row.Reference, err = shortText("reference", f.Reference, paymentrequest.MaxReference); err != nil {
		return row, err
	}
	if row.Fields, err = charge.CheckFields(f.Fields); err != nil {
		return row, badRequest("%s", err)
	}
	if f.ExpiresAt != nil {
		end := time.Time(*f.ExpiresAt).Truncate(time.Millisecond)
		if !end.After(now) {
			return row, badRequest("expires_at must be in the future")
		}
		row.ExpiresAt = &end
	}
	return row, nil
}

func (h *requestsRoom) listRequests(ctx context.Context, caller keyCaller, in *struct{ query }) (*out[requestList], error) {
	limit, err := in.limit(listedRequests)
	if err != nil {
		return nil, err
	}
	rows, err := h.Store.ListPaymentRequests(ctx, db.ListPaymentRequestsParams{MerchantID: caller.MerchantID, Mode: string(caller.Mode), Limit: limit})
	if err != nil {
		return nil, err
	}
	list := requestList{make([]requestView, 0, len(rows))}
	for _, row := range rows {
		list.PaymentRequests = append(list.PaymentRequests, h.requestView(postgres.RequestOf(row)))
	}
	return answer(list, nil)
}

func (h *requestsRoom) toggleRequest(ctx context.Context, caller keyCaller, in *requestInput) (*out[requestView], error) {
	if !isRequestID(in.ID) {
		return nil, notFound("payment request")
	}
	row, err := h.Store.TogglePaymentRequest(ctx, db.TogglePaymentRequestParams{ID: in.ID, MerchantID: caller.MerchantID, Mode: string(caller.Mode)})
	if postgres.IsNotFound(err) {
		return nil, notFound("payment request")
	}
	if err != nil {
		return nil, err
	}
	return answer(h.requestView(postgres.RequestOf(row)), nil)
}

func (h *requestsRoom) deleteRequest(ctx context.Context, caller keyCaller, in *requestInput) (*out[deletedRequest], error) {
	found, err := findRequest(ctx, h.Store, in.ID)
	if err != nil {
		return nil, err
	}
	if found.Request.MerchantID != caller.MerchantID || found.Request.Sandbox != (caller.Mode == config.Sandbox) {
		return nil, notFound("payment request")
	}
	// The statement decides: the request may have been paid since it was read.
	gone, err := h.Store.DeletePaymentRequest(ctx, db.DeletePaymentRequestParams{ID: in.ID, MerchantID: caller.MerchantID, Mode: string(caller.Mode)})
	if err != nil {
		return nil, err
	}
	if gone == 0 {
		return nil, badRequest("only an inactive payment request without completed payments can be deleted")
	}
	return answer(deletedRequest{in.ID, true}, nil)
}

func (h *requestsRoom) requestView(r paymentrequest.Request) requestView {
	return requestView{
		ID: r.ID, Amount: r.Amount, Currency: r.Currency, Description: r.Description, Reference: r.Reference,
		SingleUse: r.SingleUse, Fields: r.Fields, ExpiresAt: timestamp.OfPtr(r.ExpiresAt), Active: r.Active,
		Status: r.StatusAt(h.Clock()), CompletedPayments: r.CompletedPayments, URL: h.PublicURL + "/pay/" + r.ID,
		CreatedAt: timestamp.Of(r.CreatedAt),
	}
}
