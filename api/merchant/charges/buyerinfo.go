package charges

import (
	"context"
	"net/http"
	"strings"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/charge"
)

type buyerInfo struct {
	ID        string            `json:"id" doc:"Charge identifier" example:"ch_0123456789abcdef01234567"`
	BuyerInfo map[string]string `json:"buyer_info" doc:"What is stored now"`
}

// registerBuyerInfo registers the route to which a payment page sends the buyer's details.
func (h *Charges) registerBuyerInfo(api operation.API) {
	const path = "/api/charges/{id}/buyer-info"
	operation.Public(api, operation.Route{
		ID: "setBuyerInfo", Method: http.MethodPost, Path: path, Tag: operation.TagCharges, Form: &httpapi.Form{},
		Summary: "Send the buyer's details",
		Text: "A flat object of the values by field name; it replaces what was sent before. Only names in the charge's " +
			"fields, at most 500 characters each, only while the charge is pending; else 400, and nothing is stored. A plain " +
			"HTML form is answered with the way back to the payment page. A form that is refused gets a page of the same " +
			"status where its sender accepts `text/html`, and the error body elsewhere.",
		Errors:   []int{http.StatusNotFound, http.StatusGone},
		Request:  map[string]string{"email": "buyer@example.com"},
		Response: buyerInfo{example.ChargeID, map[string]string{"email": "buyer@example.com"}},
	}, h.setBuyerInfo)
	operation.DescribeForm[buyerInfo](api, path)
}

func (h *Charges) setBuyerInfo(ctx context.Context, in *struct {
	ID   string `path:"id" doc:"Charge identifier" pattern:"^ch_[0-9a-f]{24}$" example:"ch_0123456789abcdef01234567"`
	Body httpapi.Body[map[string]string]
}) (*service.FormAnswer[buyerInfo], error) {
	values, err := in.Body.Read()
	if err != nil {
		return nil, err
	}
	found, err := service.Charge(ctx, h.Store, in.ID, h.Clock())
	if err != nil {
		return nil, err
	}
	if charge.Unpayable(found.Charge, found.Facts) {
		return nil, httpapi.Gone("the payment link is no longer valid")
	}
	values = given(values)
	if _, sent := httpapi.FormOf(ctx); len(values) == 0 && !sent {
		return nil, httpapi.BadRequest("at least one field is required")
	}
	if err := service.SaveBuyerInfo(ctx, h.Store, in.ID, values); err != nil {
		return nil, err
	}
	return service.ToPage(ctx, in.ID, buyerInfo{in.ID, values}), nil
}

// given returns the values that are not empty.
func given(values map[string]string) map[string]string {
	kept := make(map[string]string, len(values))
	for name, value := range values {
		if text := strings.TrimSpace(value); text != "" {
			kept[name] = text
		}
	}
	return kept
}
