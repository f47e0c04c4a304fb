package merchant

import (
	"encoding/json"
	"time"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
)

// Values of the examples in the documents.
const (
	exampleChargeID   = "ch_0123456789abcdef01234567"
	exampleWebhookID  = "wh_0123456789abcdef01234567"
	exampleWebhookURL = "https://shop.example.com/hooks/monero"
	exampleDeliveryID = "whd_0123456789abcdef01234567"
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
