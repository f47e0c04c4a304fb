package example

import (
	"encoding/json"
	"time"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
)

// These are the values of the examples in the documents.
const (
	ChargeID   = "ch_0123456789abcdef01234567"
	WebhookID  = "wh_0123456789abcdef01234567"
	WebhookURL = "https://shop.example.com/hooks/monero"
	DeliveryID = "whd_0123456789abcdef01234567"
	MerchantID = "0123456789abcdef0123456789abcdef"
	LiveKey    = "cm_live_0123456789abcdef0123456789abcdef0123456789abcdef"
	TestKey    = "cm_test_0123456789abcdef0123456789abcdef0123456789abcdef"
	Secret     = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	Token      = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTIzIn0.c2lnbmF0dXJl" //nolint:gosec // not a token of any account
	Address    = "48DCHZHFQ2vd1VWZMzvbymBKcPUXYv9vwcgJY7fwe9ouPeuJuXuHKZjd5G5DaqbaHNRzek3wtCvrGM79AcCQF5QGG3FaS4u"
	Litecoin   = "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9"
	URL        = "https://pay.example.com"
)

// Time returns the time of the examples.
func Time() time.Time { return time.Date(2026, 11, 21, 9, 30, 0, 123_000_000, time.UTC) }

func chargeFacts() (charge.Charge, charge.Facts) {
	rate, at := money.MustDecimal("163.52"), Time()
	description, returnURL := "Two tickets", "https://shop.example.com/thanks"
	return charge.Charge{
		ID: ChargeID, MerchantID: MerchantID, Source: charge.FromAPI, SubaddressIndex: 7,
		Subaddress: Address, Amount: money.MustDecimal("49.9"), Currency: money.USD,
		AmountXMR: 305_161_448_141, ConfirmFrom: 305_161_448_141, XMRRate: &rate, RateAt: &at, Status: charge.Pending,
		ConfirmationsRequired: 10, CreatedAt: at, ExpiresAt: at.Add(time.Hour), LinkActive: true,
		Metadata:    json.RawMessage(`{"order_id":"A-1001","description":"Two tickets","return_url":"https://shop.example.com/thanks"}`),
		Description: &description, ReturnURL: &returnURL,
	}, charge.Facts{Now: at}
}

// Charge returns the merchant's view of an example charge.
func Charge() charge.View {
	c, f := chargeFacts()
	return charge.ViewOf(c, f, URL)
}

// PublicCharge returns the customer's view of the same charge.
func PublicCharge() charge.PublicView {
	c, f := chargeFacts()
	return charge.PublicViewOf(c, f, URL)
}
