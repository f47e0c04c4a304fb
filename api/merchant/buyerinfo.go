package merchant

import (
	"context"
	"net/http"
	"strings"

	"github.com/durapay/durapay/internal/charge"
)

type buyerInfo struct {
	ID        string            `json:"id" doc:"Charge identifier" example:"ch_0123456789abcdef01234567"`
	BuyerInfo map[string]string `json:"buyer_info" doc:"What is stored now"`
}

// registerBuyerInfo adds the target of the form of a payment page.
func (h *chargesRoom) registerBuyerInfo(api operations) {
	const path = "/api/charges/{id}/buyer-info"
	public(api, route{
		id: "setBuyerInfo", method: http.MethodPost, path: path, tag: tagCharges, form: &form{},
		summary: "Send the buyer's details",
		text: "A flat object of the values by field name; it replaces what was sent before. Only names in the charge's fields, " +
			"at most 500 characters each, only while the charge is pending; else nothing is stored. A plain HTML form is " +
			"answered with the way back to the payment page.",
		errors:   []int{http.StatusNotFound, http.StatusGone},
		request:  map[string]string{"email": "buyer@example.com"},
		response: buyerInfo{exampleChargeID, map[string]string{"email": "buyer@example.com"}},
	}, h.setBuyerInfo)
	describeForm[buyerInfo](api, path)
}

func (h *chargesRoom) setBuyerInfo(ctx context.Context, in *struct {
	ID   string `path:"id" doc:"Charge identifier" pattern:"^ch_[0-9a-f]{24}$" example:"ch_0123456789abcdef01234567"`
	Body body[map[string]string]
}) (*formAnswer[buyerInfo], error) {
	values, err := in.Body.read()
	if err != nil {
		return nil, err
	}
	found, err := findCharge(ctx, h.Store, in.ID, h.Clock())
	if err != nil {
		return nil, err
	}
	if charge.Unpayable(found.Charge, found.Facts) {
		return nil, gone("the payment link is no longer valid")
	}
	values = given(values)
	if _, sent := formOf(ctx); len(values) == 0 && !sent {
		return nil, badRequest("at least one field is required")
	}
	if err := saveBuyerInfo(ctx, h.Store, in.ID, values); err != nil {
		return nil, err
	}
	return toPage(ctx, in.ID, buyerInfo{in.ID, values}), nil
}

// given are the values that are not empty.
func given(values map[string]string) map[string]string {
	kept := make(map[string]string, len(values))
	for name, value := range values {
		if text := strings.TrimSpace(value); text != "" {
			kept[name] = text
		}
	}
	return kept
}
