package merchant

import (
	"encoding/json"
	"time"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/paymentrequest"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/report"
	"github.com/durapay/durapay/internal/timestamp"
	"github.com/durapay/durapay/internal/webhook"
)

// Values of the examples in the documents.
const (
	exampleChargeID   = "ch_0123456789abcdef01234567"
	exampleMerchantID = "0123456789abcdef0123456789abcdef"
	exampleLiveKey    = "cm_live_0123456789abcdef0123456789abcdef0123456789abcdef"
	exampleTestKey    = "cm_test_0123456789abcdef0123456789abcdef0123456789abcdef"
	exampleSecret     = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	exampleToken      = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTIzIn0.c2lnbmF0dXJl" //nolint:gosec // not a token of any account
	exampleAddress    = "48DCHZHFQ2vd1VWZMzvbymBKcPUXYv9vwcgJY7fwe9ouPeuJuXuHKZjd5G5DaqbaHNRzek3wtCvrGM79AcCQF5QGG3FaS4u"
	exampleLitecoin   = "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9"
	exampleURL        = "https://pay.example.com"
)

func exampleTime() time.Time { return time.Date(2026, 11, 21, 9, 30, 0, 123_000_000, time.UTC) }

func exampleNewCharge() any {
	return map[string]any{
		"amount": money.MustDecimal("49.9"), "currency": money.USD,
		"metadata": map[string]string{"order_id": "A-1001", "description": "Two tickets", "return_url": "https://shop.example.com/thanks"},
	}
}

func exampleButton() any {
	return map[string]any{
		"merchant_id": exampleMerchantID, "amount": money.MustDecimal("49.9"), "currency": money.USD,
		"description": "Two tickets", "fields": []string{"email"},
	}
}

func exampleOfCharge() (charge.Charge, charge.Facts) {
	rate, at := money.MustDecimal("163.52"), exampleTime()
	description, returnURL := "Two tickets", "https://shop.example.com/thanks"
	return charge.Charge{
		ID: exampleChargeID, MerchantID: exampleMerchantID, Source: charge.FromAPI, SubaddressIndex: 7,
		Subaddress: exampleAddress, Amount: money.MustDecimal("49.9"), Currency: money.USD,
		AmountXMR: 305_161_448_141, ConfirmFrom: 305_161_448_141, XMRRate: &rate, RateAt: &at, Status: charge.Pending,
		ConfirmationsRequired: 10, CreatedAt: at, ExpiresAt: at.Add(time.Hour), LinkActive: true,
		Metadata:    json.RawMessage(`{"order_id":"A-1001","description":"Two tickets","return_url":"https://shop.example.com/thanks"}`),
		Description: &description, ReturnURL: &returnURL,
	}, charge.Facts{Now: at}
}

func exampleCharge() charge.View {
	c, f := exampleOfCharge()
	return charge.ViewOf(c, f, exampleURL)
}

func examplePublicCharge() charge.PublicView {
	c, f := exampleOfCharge()
	return charge.PublicViewOf(c, f, exampleURL)
}

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
		SingleUse: true, Fields: []string{"email"}, Active: true, Status: paymentrequest.Active, URL: exampleURL + "/pay/" + id,
		CreatedAt: timestamp.Of(exampleTime()),
	}
}

func examplePublicRequest() publicRequest {
	r, price := exampleRequest(), money.MustDecimal("150")
	return publicRequest{
		ID: r.ID, Amount: r.Amount, Currency: r.Currency, Description: r.Description, Fields: r.Fields, SingleUse: true,
		BusinessName: "Example Shop", XMRPrice: &price, AmountXMR: 270_000_000_000,
	}
}

func exampleProfile() profile {
	masked, at := payout.MaskAddress(exampleAddress), timestamp.Of(exampleTime())
	return profile{
		ID: 1, MerchantID: exampleMerchantID, Email: "shop@example.com", BusinessName: "Example Shop", EmailVerified: true,
		HasPayoutAddress: true, PayoutAddress: &masked, ReportingCurrency: money.USD, FeeRate: money.MustDecimal("0.005"),
		APIKeys: keyInfos{&keyInfo{exampleLiveKey[:shownOfKey], at}, &keyInfo{exampleTestKey[:shownOfKey], at}}, CreatedAt: at,
	}
}

func exampleWebhook() webhookView {
	return webhookView{
		ID: "wh_0123456789abcdef01234567", URL: "https://shop.example.com/hooks/monero", Events: webhook.DefaultEvents(),
		Status: "active", CreatedAt: timestamp.Of(exampleTime()),
	}
}

func exampleDelivery() delivery {
	status, at := int32(200), timestamp.Of(exampleTime())
	return delivery{
		ID: "whd_0123456789abcdef01234567", WebhookID: "wh_0123456789abcdef01234567", Event: charge.EventConfirmed,
		ResourceID: exampleChargeID, Status: webhook.Delivered, HTTPStatus: &status, Attempts: 1,
		Payload:   json.RawMessage(`{"event":"charge.confirmed","data":{"id":"` + exampleChargeID + `"},"timestamp":"2026-11-21T09:30:00.123Z"}`),
		CreatedAt: at, LastAttemptAt: &at, DeliveredAt: &at,
	}
}

func examplePing() delivery {
	d := exampleDelivery()
	d.Event, d.ResourceID, d.Status, d.HTTPStatus, d.Attempts = webhook.EventPing, d.ID, webhook.Pending, nil, 0
	d.Payload = json.RawMessage(`{"event":"ping","data":{"id":"` + d.ID + `","webhook_id":"` + d.WebhookID + `"},"timestamp":"2026-11-21T09:30:00.123Z"}`)
	d.NextAttemptAt, d.LastAttemptAt, d.DeliveredAt = d.LastAttemptAt, nil, nil
	return d
}

func exampleBalance() balance {
	return balance{
		UnpaidCharges: 3, TotalXMR: 1_500_000_000_000, FeeRate: money.MustDecimal("0.005"), NetXMR: 1_492_500_000_000,
		HasPayoutAddress: true, LockedXMR: 250_000_000_000,
	}
}

func examplePayout() payoutView {
	hash, at := exampleSecret, timestamp.Of(exampleTime())
	return payoutView{
		PayoutID: "po_0123456789abcdef01234567", Status: payout.Broadcast, AmountXMR: 1_492_469_300_000,
		FeeXMR: 7_500_000_000, NetworkFeeXMR: 30_700_000, TxHash: &hash, ChargesPaid: 3,
		Address: payout.MaskAddress(exampleAddress), CreatedAt: at, SentAt: &at,
	}
}

func exampleReport() transactionReport {
	order, payoutID, value, rate, currency := "A-1001", "po_0123456789abcdef01234567", money.MustDecimal("49.85"), money.MustDecimal("163.36"), money.USD
	at := exampleTime()
	return transactionReport{timestamp.Of(at.AddDate(0, 0, -reportDays)), timestamp.Of(at), []report.Transaction{{
		ChargeID: exampleChargeID, CreatedAt: timestamp.Of(at.Add(-time.Hour)), ConfirmedAt: timestamp.Of(at.Add(-time.Minute)),
		Amount: money.MustDecimal("49.9"), Currency: money.USD, AmountXMR: 305_161_448_141, AmountReceivedXMR: 305_161_448_141,
		OrderID: &order, PayoutID: &payoutID, Fiat: &report.Fiat{FiatValue: &value, FiatCurrency: &currency, FiatRate: &rate},
	}}}
}

func exampleSummary() summary {
	month := 11
	return summary{
		Period: report.Monthly, Year: 2026, Month: &month, From: timestamp.Of(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)),
		To: timestamp.Of(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)), ChargesConfirmed: 3, TotalXMR: money.MustDecimal("1.5"),
		TotalFiat: money.MustDecimal("245.28"), FiatCurrency: money.USD, PlatformFeesXMR: money.MustDecimal("0.0075"),
		Payouts: 1, PayoutsXMR: money.MustDecimal("1.4924693"),
	}
}

func exampleTwoFactor() twoFactorSetup {
	const key = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
	return twoFactorSetup{key, "data:image/png;base64,iVBORw0KGgo=", []string{"abcd-efgh-2345-ijkl", "mnop-qrst-6723-uvwx"}}
}
