package invoices

import (
	"encoding/json"
	"time"

	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
)

func exampleCharge() (charge.Charge, charge.Facts) {
	rate, at := money.MustDecimal("163.52"), example.Time()
	options := `{"speedPolicy":"LowSpeed","expirationMinutes":60,"redirectURL":"https://shop.example.com/thanks","defaultLanguage":"de-DE"}`
	return charge.Charge{
		ID: example.ChargeID, MerchantID: example.MerchantID, Source: charge.FromAPI, Subaddress: example.Address,
		Amount: money.MustDecimal("49.9"), Currency: money.USD, AmountXMR: 305_161_448_141, ConfirmFrom: 305_161_448_141,
		XMRRate: &rate, RateAt: &at, Status: charge.Pending, ConfirmationsRequired: 6, CreatedAt: at, ExpiresAt: at.Add(time.Hour),
		LinkActive: true, Metadata: json.RawMessage(`{"orderId":"A-1001"}`), Checkout: &options,
	}, charge.Facts{Now: at}
}

func (h *Handler) example() invoiceData {
	c, f := exampleCharge()
	return viewOf(c, f, example.URL)
}

func exampleRequest() any {
	return map[string]any{
		"amount": "49.90", "currency": "USD", "metadata": map[string]string{"orderId": "A-1001"},
		"checkout": map[string]any{"expirationMinutes": 60, "redirectURL": "https://shop.example.com/thanks", "defaultLanguage": "de-DE"},
	}
}
