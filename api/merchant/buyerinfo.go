package merchant

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/rawjson"
)

// buyerInfoKey is the reserved key of metadata that holds a buyer's values.
const buyerInfoKey = "buyer_info"

type buyerInfo struct {
	ID        string            `json:"id" doc:"Charge identifier" example:"ch_0123456789abcdef01234567"`
	BuyerInfo map[string]string `json:"buyer_info" doc:"What is stored now"`
}

// registerBuyerInfo adds the target of the form of a payment page.
func registerBuyerInfo(api huma.API, a *app) {
	const path = "/api/charges/{id}/buyer-info"
	public(api, a, route{
		id: "setBuyerInfo", method: http.MethodPost, path: path, tag: tagCharges, form: &form{},
		summary: "Send the buyer's details",
		text: "A flat object of the values by field name; it replaces what was sent before. Only names in the charge's fields, " +
			"at most 500 characters each, only while the charge is pending; else nothing is stored. A plain HTML form is " +
			"answered with the way back to the payment page.",
		errors:   []int{http.StatusNotFound, http.StatusGone},
		request:  map[string]string{"email": "buyer@example.com"},
		response: buyerInfo{exampleChargeID, map[string]string{"email": "buyer@example.com"}},
	}, a.setBuyerInfo)
	describeForm[buyerInfo](api, path)
}

func (a *app) setBuyerInfo(ctx context.Context, in *struct {
	ID   string `path:"id" doc:"Charge identifier" pattern:"^ch_[0-9a-f]{24}$" example:"ch_0123456789abcdef01234567"`
	Body body[map[string]string]
}) (*formAnswer[buyerInfo], error) {
	values, err := in.Body.read()
	if err != nil {
		return nil, err
	}
	found, err := a.anyCharge(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if charge.Unpayable(found.Charge, found.Facts) {
		return nil, gone("the payment link is no longer valid")
	}
	values = given(values)
	if len(values) == 0 && !isForm(ctx) {
		return nil, badRequest("at least one field is required")
	}
	if err := a.saveBuyerInfo(ctx, in.ID, values); err != nil {
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

// saveBuyerInfo stores a buyer's values under the reserved key and leaves the
// rest of the metadata as it was written. The charge is held meanwhile: it
// cannot be confirmed between the check and the change. No values change
// nothing.
func (a *app) saveBuyerInfo(ctx context.Context, id string, values map[string]string) error {
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		row, err := q.LockCharge(ctx, id)
		if postgres.IsNotFound(err) {
			return notFound("charge")
		}
		if err != nil {
			return err
		}
		if err := charge.CheckBuyerInfo(postgres.ChargeOf(row), values); err != nil {
			return badRequest("%s", err)
		}
		if len(values) == 0 {
			return nil
		}
		text, err := withBuyerInfo(row.Metadata, values)
		if err != nil {
			return err
		}
		return q.SetBuyerInfo(ctx, db.SetBuyerInfoParams{ID: id, Metadata: text})
	})
}

// withBuyerInfo is metadata with a buyer's values under the reserved key. It
// is refused when it gets larger than metadata may be.
func withBuyerInfo(metadata string, values map[string]string) (string, error) {
	members, err := rawjson.Members([]byte(metadata))
	if err != nil {
		return "", err
	}
	text := rawjson.Object(append(rawjson.Without(members, buyerInfoKey), rawjson.Member{Name: buyerInfoKey, Value: rawjson.Value(values)}))
	if len(text) > maxBody {
		return "", badRequest("the details are too long")
	}
	return text, nil
}
