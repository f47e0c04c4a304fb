package buttons

import (
	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/internal/money"
)

func exampleButton() any {
	return map[string]any{
		"merchant_id": example.MerchantID, "amount": money.MustDecimal("49.9"), "currency": money.USD,
		"description": "Two tickets", "fields": []string{"email"},
	}
}
