package charges

import (
	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/paymentrequest"
	"github.com/durapay/durapay/internal/wire"
)

func exampleNewRequest() any {
	return map[string]any{
		"amount": money.MustDecimal("40.5"), "currency": money.EUR, "description": "Consultation, one hour",
		"reference": "INV-7", "single_use": true, "fields": []string{"email"},
	}
}

func exampleRequest() requestView {
	description, reference, id := "Consultation, one hour", "INV-7", "pr_0123456789abcdef01234567"
	return requestView{
		ID: id, Amount: money.MustDecimal("40.5"), Currency: money.EUR, Description: &description, Reference: &reference,
		SingleUse: true, Fields: []string{"email"}, Active: true, Status: paymentrequest.Active, URL: example.URL + "/pay/" + id,
		CreatedAt: wire.TimeOf(example.Time()),
	}
}

func examplePublicRequest() publicRequest {
	r, price := exampleRequest(), money.MustDecimal("150")
	return publicRequest{
		ID: r.ID, Amount: r.Amount, Currency: r.Currency, Description: r.Description, Fields: r.Fields, SingleUse: true,
		BusinessName: "Example Shop", XMRPrice: &price, AmountXMR: 270_000_000_000,
	}
}
