package charges

import (
	"context"
	"net/http"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/postgres"
)

// PublicRequest reads a payment request for its page. It implements pages.Requests.
func (h *PaymentRequests) PublicRequest(ctx context.Context, id string) (pages.RequestView, error) {
	found, err := service.OpenRequest(ctx, h.Store, id, h.Clock())
	if err != nil {
		return pages.RequestView{}, pageError(err)
	}
	r := found.Request
	_, worth, err := h.worth(r)
	if err != nil {
		worth = 0 // the page then shows no estimate
	}
	return pages.RequestView{
		ID: r.ID, Amount: r.Amount, Currency: r.Currency, AmountXMR: worth, Description: web.OrEmpty(r.Description),
		BusinessName: found.BusinessName, Sandbox: r.Sandbox, Fields: r.Fields,
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
func (h *PaymentRequests) OpenCharge(r *http.Request, id string, buyer map[string]string) (string, error) {
	ctx := r.Context()
	found, err := service.OpenRequest(ctx, h.Store, id, h.Clock())
	if err != nil {
		return "", pageError(err)
	}
	req := service.ChargeOfRequest(found.Request)
	if err := charge.CheckBuyerValues(req.Fields, buyer); err != nil {
		return "", pages.ErrInvalid
	}
	if _, err := service.WithBuyerInfo(req.Metadata, buyer); err != nil {
		return "", pages.ErrInvalid
	}
	req.ClientCode, req.CrowdCode = h.Limits.ShareOf(r)
	if _, err := h.Start.CreateCharge(ctx, req); err != nil {
		return "", pageError(err)
	}
	if err := service.SaveBuyerInfo(ctx, h.Store, req.ChargeID, buyer); err != nil {
		// Nothing is lost, because the page of the charge asks for the details again.
		h.Log.ErrorContext(ctx, "buyer's details were not stored", "error", err)
	}
	return req.ChargeID, nil
}

// pageError returns the pages' error for an error of the API.
func pageError(err error) error {
	known := httpapi.Told(err)
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
