package pullpayments

import (
	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/internal/money"
	internalpayout "github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/wire"
)

const exampleID = "rf_0123456789abcdef01234567"

func examplePull() any {
	return map[string]any{
		"name": "Refund of order A-1001", "description": "Sent back", "amount": "49.90", "currency": "USD", "autoApproveClaims": false,
		"paymentMethods": []string{},
	}
}

func exampleNewRefund() any {
	return map[string]any{"name": "Refund of order A-1001", "refundVariant": "RateThen", "subtractPercentage": "5"}
}

func exampleNewPayout() any {
	return map[string]any{"destination": example.Address, "amount": "49.90", "payoutMethodId": "XMR-CHAIN"}
}

func exampleRefund() refund.Refunded {
	at, fiat, usd := wire.TimeOf(example.Time()), money.MustDecimal("49.9"), money.USD
	link := example.URL + "/refund/" + exampleID + "/" + example.Secret
	return refund.Refunded{
		ID: exampleID, AmountXMR: 305_161_448_141, FiatAmount: &fiat, FiatCurrency: &usd, Name: "Refund of order A-1001", Description: "Sent back",
		Link: &link, CreatedAt: at, ExpiresAt: wire.TimeOf(example.Time().Add(refund.DefaultLife)),
	}
}

func examplePayout() payout {
	waits := refund.ForMoney.Text()
	r := exampleRefund()
	return payoutOf(r, refund.ClaimState{
		ID: "rc_0123456789abcdef01234567", Status: refund.AwaitingPayment, AmountXMR: r.AmountXMR, WaitsText: &waits,
		Address: internalpayout.MaskAddress(example.Address), CreatedAt: r.CreatedAt,
	})
}
