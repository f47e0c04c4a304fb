package funds

import (
	"context"
	"net/http"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/refund"
)

// PublicRefund reads a refund for its page. It implements pages.Refunds.
func (h *Refunds) PublicRefund(ctx context.Context, id, token string) (refund.PublicRefund, error) {
	view, err := h.Links.Public(ctx, id, token)
	return view, pageError(err)
}

// ClaimRefund claims a part of a refund from its page. It implements pages.Refunds.
func (h *Refunds) ClaimRefund(ctx context.Context, id, token, address string, amount money.Piconero) error {
	_, _, err := h.Links.Claim(ctx, id, token, address, amount)
	return pageError(err)
}

// pageError returns the pages' error for an error of the API.
func pageError(err error) error {
	known := httpapi.Told(err)
	switch {
	case known == nil:
		return err
	case known.Status == http.StatusNotFound:
		return pages.ErrNotFound
	case known.Status == http.StatusBadRequest, known.Status == http.StatusForbidden:
		return pages.ErrInvalid
	default:
		return err
	}
}
