package charges

import (
	"context"
	"net/http"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/wire"
)

// publicRequest is a payment request as its customer sees it.
type publicRequest struct {
	ID           string         `json:"id" doc:"Payment request identifier" example:"pr_0123456789abcdef01234567"`
	Amount       money.Decimal  `json:"amount" doc:"Amount asked for, in currency"`
	Currency     money.Currency `json:"currency" enum:"USD,EUR,XMR" doc:"Currency of amount"`
	Description  *string        `json:"description" doc:"What is paid for"`
	Fields       []string       `json:"fields" doc:"Buyer fields that the page asks for"`
	ExpiresAt    *wire.Time     `json:"expires_at" doc:"End of the link; null when it has none"`
	SingleUse    bool           `json:"single_use" doc:"Consumed by the first successful payment"`
	BusinessName string         `json:"business_name" doc:"Who asks"`
	XMRPrice     *money.Decimal `json:"xmr_price" doc:"Current price of 1 XMR in currency; null for XMR"`
	AmountXMR    money.Piconero `json:"amount_xmr" doc:"Amount in XMR at the current price"`
}

func (h *PaymentRequests) publicRequest(ctx context.Context, in *requestInput) (publicRequest, error) {
	found, err := service.OpenRequest(ctx, h.Store, in.ID, h.Clock())
	if err != nil {
		return publicRequest{}, err
	}
	r := found.Request
	v := publicRequest{
		ID: r.ID, Amount: r.Amount, Currency: r.Currency, Description: r.Description, Fields: r.Fields,
		ExpiresAt: wire.TimeOrNil(r.ExpiresAt), SingleUse: r.SingleUse, BusinessName: found.BusinessName,
	}
	if v.XMRPrice, v.AmountXMR, err = h.worth(r); err != nil {
		return publicRequest{}, err
	}
	return v, nil
}

// worth returns the current price of 1 XMR and the amount at that price. The price is nil for an
// amount in XMR.
func (h *PaymentRequests) worth(r charge.Request) (*money.Decimal, money.Piconero, error) {
	if r.Currency == money.XMR {
		amount, err := money.PiconeroFromXMR(r.Amount)
		return nil, amount, err
	}
	quote, err := h.Prices.Price(r.Currency)
	if err != nil {
		return nil, 0, httpapi.Unavailable("no exchange rate is available", httpapi.RetryPrice)
	}
	amount, err := money.FromFiat(r.Amount, quote.Price)
	return &quote.Price, amount, err
}

// PublicRequest reads a payment request for its page. It implements pages.Requests.
func (h *PaymentRequests) PublicRequest(ctx context.Context, id string) (pages.RequestView, error) {
	found, err := service.OpenRequest(ctx, h.Store, id, h.Clock())
	if err != nil {
		paid := found.Request.ConsumedAt != nil && !found.Suspended
		return pages.RequestView{BusinessName: found.BusinessName, Contact: found.Contact, Paid: paid}, pageError(err)
	}
	r := found.Request
	_, worth, err := h.worth(r)
	if err != nil {
		worth = 0 // the page then shows no estimate
	}
	return pages.RequestView{
		ID: r.ID, Amount: r.Amount, Currency: r.Currency, AmountXMR: worth, Description: web.OrEmpty(r.Description),
		BusinessName: found.BusinessName, Contact: found.Contact, Sandbox: r.Sandbox, Fields: r.Fields, Required: r.Required,
		MailsReceipt: h.Mails && found.MailsReceipts && !r.Sandbox,
	}, nil
}

// ResumesCharge reports whether a charge of the request is still pending and payable. It
// implements pages.Requests.
func (h *PaymentRequests) ResumesCharge(ctx context.Context, id, chargeID string) (bool, error) {
	found, err := h.Store.Charge(ctx, chargeID, h.Clock())
	if postgres.IsNotFound(err) {
		return false, nil
	}
	c := found.Charge
	return err == nil && c.PaymentRequestID != nil && *c.PaymentRequestID == id && c.Status == charge.Pending &&
		!charge.Unpayable(c, found.Facts), err
}

// OpenCharge creates a charge of the request and stores the buyer's values with it. It
// implements pages.Requests.
func (h *PaymentRequests) OpenCharge(r *http.Request, id, language string, buyer map[string]string) (string, error) {
	ctx := r.Context()
	found, err := service.OpenRequest(ctx, h.Store, id, h.Clock())
	if err != nil {
		return "", pageError(err)
	}
	req := service.ChargeOfRequest(found.Request)
	if charge.CheckBuyerValues(req.Fields, buyer) != nil || charge.CheckRequiredValues(found.Request.Required, buyer) != nil {
		return "", pages.ErrInvalid
	}
	if _, err := service.WithBuyerInfo(req.Metadata, buyer); err != nil {
		return "", pages.ErrInvalid
	}
	req.ClientCode, req.CrowdCode = h.Limits.ShareOf(r)
	if _, err := h.Start.CreateCharge(ctx, req); err != nil {
		return "", pageError(err)
	}
	if err := service.SaveBuyerInfo(ctx, h.Store, req.ChargeID, buyer, service.Receipts{Mails: h.Mails, Language: language}); err != nil {
		// Nothing is lost, because the page of the charge asks for the details again.
		h.Log.ErrorContext(ctx, "buyer's details were not stored", "error", err)
	}
	return req.ChargeID, nil
}

// pageError returns the pages' error for an error of the API.
func pageError(err error) error {
	known := httpapi.ProblemOf(err)
	if known == nil {
		return err
	}
	switch known.Status {
	case http.StatusNotFound:
		return pages.ErrNotFound
	case http.StatusGone, http.StatusForbidden:
		return pages.ErrGone
	case http.StatusTooManyRequests:
		return pages.ErrBusy
	default:
		return err
	}
}
