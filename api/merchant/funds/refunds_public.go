package funds

import (
	"context"
	"net/http"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/refund"
)

type newClaim struct {
	Token     string          `json:"token" required:"true" doc:"The secret of the link: its last part"`
	Address   string          `json:"address" required:"true" doc:"Where it goes: a Monero address of the buyer's own wallet"`
	AmountXMR *money.Piconero `json:"amount_xmr,omitempty" doc:"A part of it, at least 0.001 XMR; without it all that is left"`
}

type claimed struct {
	ClaimID string              `json:"claim_id" doc:"The claim; that of before where the same was claimed already" example:"rc_0123456789abcdef01234567"`
	Refund  refund.PublicRefund `json:"refund"`
}

func (h *Refunds) public(ctx context.Context, in *struct {
	ID    string `path:"id" doc:"Refund identifier" pattern:"^rf_[0-9a-f]{24}$" example:"rf_0123456789abcdef01234567"`
	Token string `header:"X-Refund-Token" doc:"The secret of the link: its last part"`
}) (*httpapi.Out[refund.PublicRefund], error) {
	return httpapi.With(h.Links.Public(ctx, in.ID, in.Token))
}

func (h *Refunds) claim(ctx context.Context, in *struct {
	ID   string `path:"id" doc:"Refund identifier" pattern:"^rf_[0-9a-f]{24}$" example:"rf_0123456789abcdef01234567"`
	Body httpapi.Body[newClaim]
}) (*httpapi.Out[claimed], error) {
	fields := in.Body.Value()
	if fields.Token == "" {
		return nil, httpapi.BadRequest("token is required")
	}
	amount := money.Piconero(0)
	if fields.AmountXMR != nil {
		if amount = *fields.AmountXMR; amount == 0 {
			return nil, httpapi.BadRequest("amount_xmr must be more than 0")
		}
	}
	view, id, err := h.Links.Claim(ctx, in.ID, fields.Token, fields.Address, amount)
	return httpapi.With(claimed{id, view}, err)
}

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
