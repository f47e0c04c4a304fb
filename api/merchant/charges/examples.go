package charges

import "github.com/durapay/durapay/internal/money"

func exampleNewCharge() any {
	return map[string]any{
		"amount": money.MustDecimal("49.9"), "currency": money.USD,
		"metadata": map[string]string{"order_id": "A-1001", "description": "Two tickets", "return_url": "https://shop.example.com/thanks"},
	}
}
