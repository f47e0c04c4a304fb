package charges

import (
	"context"
	"log/slog"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/operation"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/wire"
)

// PaymentRequests answers requests about payment requests.
type PaymentRequests struct {
	Store  *postgres.Store
	Start  service.Workflows
	Prices service.Prices
	Limits *access.Limits
	Clock  func() time.Time
	Log    *slog.Logger
	// PublicURL is the base URL that customers see, without a trailing slash.
	PublicURL string
	// Mails is set when a mail server is configured.
	Mails bool
}

// Register registers the routes of merchants and of customers.
func (h *PaymentRequests) Register(api operation.API) {
	operation.WithKey(api, operation.Route{ID: "createPaymentRequest", At: "POST /api/payment-requests", Permission: permission.ModifyPaymentRequests}, h.createRequest)
	operation.WithKey(api, operation.Route{ID: "listPaymentRequests", At: "GET /api/payment-requests", Permission: permission.ViewPaymentRequests}, h.listRequests)
	operation.WithKey(api, operation.Route{ID: "togglePaymentRequest", At: "POST /api/payment-requests/{id}/toggle", Permission: permission.ModifyPaymentRequests}, h.toggleRequest)
	operation.WithKey(api, operation.Route{ID: "deletePaymentRequest", At: "POST /api/payment-requests/{id}/delete", Permission: permission.ModifyPaymentRequests}, h.deleteRequest)
	operation.PublicRead(api, operation.Route{ID: "getPublicPaymentRequest", At: "GET /api/payment-requests/{id}/public", Limit: access.Public}, h.publicRequest)
}

// listedRequests is the maximum length of the list of payment requests.
const listedRequests = 200

type newPaymentRequest struct {
	Amount      *money.Decimal     `json:"amount" required:"true" minimum:"0.01" maximum:"10000000" doc:"In the unit of currency, at most 2 decimals (12 for XMR)"`
	Currency    *string            `json:"currency,omitempty" enum:"USD,EUR,XMR" default:"USD" doc:"Currency of amount"`
	Description *string            `json:"description,omitempty" doc:"Text shown to the customer, at most 500 characters; markup is removed"`
	Reference   *string            `json:"reference,omitempty" doc:"The merchant's own identifier, at most 100 characters; markup is removed"`
	SingleUse   *bool              `json:"single_use,omitempty" default:"true" doc:"Consumed by the first successful payment"`
	Fields      service.FieldNames `json:"fields,omitempty"`
	Required    []string           `json:"required_fields,omitempty" doc:"Those of fields that the buyer has to fill in; none by default" example:"[\"email\"]"`
	ExpiresAt   *wire.Time         `json:"expires_at,omitempty" doc:"End of the link, in the future"`
}

type requestView struct {
	ID                string               `json:"id" doc:"Payment request identifier" example:"pr_0123456789abcdef01234567"`
	Amount            money.Decimal        `json:"amount" doc:"Amount asked for, in currency"`
	Currency          money.Currency       `json:"currency" enum:"USD,EUR,XMR" doc:"Currency of amount"`
	Description       *string              `json:"description" doc:"Text shown to the customer"`
	Reference         *string              `json:"reference" doc:"The merchant's own identifier"`
	SingleUse         bool                 `json:"single_use" doc:"Consumed by the first successful payment"`
	Fields            []string             `json:"fields" doc:"Buyer fields that the page asks for"`
	Required          []string             `json:"required_fields" doc:"Those that the buyer has to fill in"`
	ExpiresAt         *wire.Time           `json:"expires_at" doc:"End of the link; null when it has none"`
	Active            bool                 `json:"active" doc:"Whether the link is switched on"`
	Status            charge.RequestStatus `json:"status" enum:"active,inactive,consumed,expired" doc:"State of the link"`
	CompletedPayments int32                `json:"completed_payments" doc:"Confirmed charges made from it"`
	URL               string               `json:"url" doc:"The link to share" example:"https://pay.example.com/pay/pr_0123456789abcdef01234567"`
	CreatedAt         wire.Time            `json:"created_at"`
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

func (h *PaymentRequests) createRequest(ctx context.Context, caller access.Key, in *struct {
	Body httpapi.Body[newPaymentRequest]
}) (*httpapi.Out[requestView], error) {
	fields := in.Body.Value()
	row, err := h.newRequest(fields, caller)
	if err != nil {
		return nil, err
	}
	var made db.PaymentRequest
	if err := access.ChangeByKey(ctx, h.Store, caller, func(q *db.Queries) error {
		made, err = q.InsertPaymentRequest(ctx, row)
		return err
	}); err != nil {
		return nil, err
	}
	return httpapi.With(h.requestView(postgres.RequestOf(made)), nil)
}

// newRequest checks a merchant's request for a new payment request.
func (h *PaymentRequests) newRequest(f newPaymentRequest, caller access.Key) (db.InsertPaymentRequestParams, error) {
	now := h.Clock().Truncate(time.Millisecond)
	row := db.InsertPaymentRequestParams{
		ID: secret.NewID("pr_"), MerchantID: caller.MerchantID, Mode: string(caller.Mode),
		SingleUse: f.SingleUse == nil || *f.SingleUse, CreatedAt: now,
	}
	amount, currency, err := service.CheckAmount(f.Amount, f.Currency)
	if err != nil {
		return row, err
	}
	row.Amount, row.Currency = amount, string(currency)
	if row.Description, err = service.ShortText("description", f.Description, charge.MaxRequestDescription); err != nil {
		return row, err
	}
	if row.Reference, err = service.ShortText("reference", f.Reference, charge.MaxRequestReference); err != nil {
		return row, err
	}
	if row.Fields, err = charge.CheckFields(f.Fields); err != nil {
		return row, httpapi.BadRequest("%s", err)
	}
	if row.RequiredFields, err = charge.CheckRequired(row.Fields, f.Required); err != nil {
		return row, httpapi.BadRequest("%s", err)
	}
	if f.ExpiresAt != nil {
		end := time.Time(*f.ExpiresAt).Truncate(time.Millisecond)
		if !end.After(now) {
			return row, httpapi.BadRequest("expires_at must be in the future")
		}
		row.ExpiresAt = &end
	}
	return row, nil
}

func (h *PaymentRequests) listRequests(ctx context.Context, caller access.Key, in *struct{ httpapi.Query }) (*httpapi.Out[requestList], error) {
	limit, err := in.Limit(listedRequests)
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
	return httpapi.With(list, nil)
}

func (h *PaymentRequests) toggleRequest(ctx context.Context, caller access.Key, in *requestInput) (*httpapi.Out[requestView], error) {
	if err := service.OwnRequest(ctx, h.Store, in.ID, caller.MerchantID, caller.Mode); err != nil {
		return nil, err
	}
	row, err := h.Store.TogglePaymentRequest(ctx, db.TogglePaymentRequestParams{ID: in.ID, MerchantID: caller.MerchantID, Mode: string(caller.Mode)})
	if err != nil {
		return nil, httpapi.Missing(err, httpapi.NotFound("payment request"))
	}
	return httpapi.With(h.requestView(postgres.RequestOf(row)), nil)
}

func (h *PaymentRequests) deleteRequest(ctx context.Context, caller access.Key, in *requestInput) (*httpapi.Out[deletedRequest], error) {
	if err := service.OwnRequest(ctx, h.Store, in.ID, caller.MerchantID, caller.Mode); err != nil {
		return nil, err
	}
	// The statement itself checks whether it may delete, because the request may have been paid
	// since it was read.
	gone, err := h.Store.DeletePaymentRequest(ctx, db.DeletePaymentRequestParams{ID: in.ID, MerchantID: caller.MerchantID, Mode: string(caller.Mode)})
	if err != nil {
		return nil, err
	}
	if gone == 0 {
		return nil, httpapi.BadRequest("only an inactive payment request without completed payments can be deleted")
	}
	return httpapi.With(deletedRequest{in.ID, true}, nil)
}

func (h *PaymentRequests) requestView(r charge.Request) requestView {
	return requestView{
		ID: r.ID, Amount: r.Amount, Currency: r.Currency, Description: r.Description, Reference: r.Reference,
		SingleUse: r.SingleUse, Fields: r.Fields, Required: r.Required, ExpiresAt: wire.TimeOrNil(r.ExpiresAt), Active: r.Active,
		Status: r.StatusAt(h.Clock()), CompletedPayments: r.CompletedPayments, URL: h.PublicURL + "/pay/" + r.ID,
		CreatedAt: wire.TimeOf(r.CreatedAt),
	}
}
