package pages

import (
	"time"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/wire"
)

const (
	testID      = "ch_0123456789abcdef01234567"
	testAddress = "888tNkZrPN6JsEgekjMnABU4TBzc2Dt29EPAvkRxbANsAnjyPbb3iQ1YBRk1UXcdRsiKc9dhwMVgN5S9cQUiyoogDavup3H"
)

// testNow is the clock of every test.
var testNow = time.Date(2026, 11, 21, 13, 53, 0, 0, time.UTC)

func waiting() View {
	description, back := "Two tickets, row 7", "https://shop.example/thanks?order=1&ok=2"
	return View{
		PublicView: charge.PublicView{
			ID: testID, Amount: money.MustDecimal("25"), Currency: money.EUR,
			AmountXMR: xmr("0.123456789012"), AmountDueXMR: xmr("0.123456789012"), Subaddress: testAddress,
			PaymentURI: "monero:" + testAddress + "?tx_amount=0.123456789012",
			Status:     charge.Pending, ConfirmationsRequired: 10,
			ExpiresAt:   wire.TimeOf(testNow.Add(12*time.Minute + 40*time.Second)),
			Description: &description, ReturnURL: &back,
			Active: true, LinkState: charge.LinkActive, PaymentState: charge.Unpaid,
		},
		BusinessName: "Example Shop", Contact: "help@shop.example\n+1 555 0100",
	}
}

func xmr(text string) money.Piconero {
	p, err := money.ParseXMR(text)
	if err != nil {
		panic(err)
	}
	return p
}

func with(change func(*View)) View {
	v := waiting()
	change(&v)
	return v
}

func received(v *View, amount string) {
	v.AmountReceivedXMR = xmr(amount)
	v.AmountDueXMR = v.AmountXMR.SubFloor(v.AmountReceivedXMR)
	switch {
	case v.AmountDueXMR > 0:
		v.PaymentState = charge.Partial
	case v.AmountReceivedXMR > v.AmountXMR:
		v.PaymentState = charge.Overpaid
	default:
		v.PaymentState = charge.Paid
	}
}

func confirmed(v *View) {
	at := wire.TimeOf(testNow.Add(-time.Minute))
	v.Status, v.ConfirmedAt, v.Confirmations = charge.Confirmed, &at, v.ConfirmationsRequired
}

func expired(v *View) {
	v.Status, v.ExpiresAt = charge.Expired, wire.TimeOf(testNow.Add(-20*time.Minute))
}

// views holds a charge in every state that has a page of its own.
func views() map[string]View {
	return map[string]View{
		"waiting":    waiting(),
		"partial":    with(func(v *View) { received(v, "0.1") }),
		"seen":       with(func(v *View) { received(v, "0.123456789012") }),
		"confirming": with(func(v *View) { received(v, "0.123456789012"); v.Confirmations = 3 }),
		"overpaid":   with(func(v *View) { received(v, "0.2"); v.Confirmations = 4 }),
		"confirmed":  with(func(v *View) { received(v, "0.123456789012"); confirmed(v) }),
		"overpaid_confirmed": with(func(v *View) {
			received(v, "0.2")
			confirmed(v)
		}),
		"expired":         with(expired),
		"expired_partial": with(func(v *View) { received(v, "0.1"); expired(v) }),
		"late_confirming": with(func(v *View) { received(v, "0.123456789012"); expired(v); v.Late = true; v.Confirmations = 1 }),
		"late_confirmed": with(func(v *View) {
			received(v, "0.123456789012")
			confirmed(v)
			v.Late = true
		}),
		"unwatched":         with(func(v *View) { v.Unwatched = true }),
		"unwatched_seen":    with(func(v *View) { received(v, "0.123456789012"); v.Unwatched = true }),
		"unwatched_expired": with(func(v *View) { expired(v); v.Unwatched = true }),
		"locked": with(func(v *View) {
			received(v, "0.123456789012")
			v.Confirmations, v.Lock = 10, &Lock{At: new(testNow.Add(49 * time.Hour))}
		}),
		"fields_given":  with(func(v *View) { v.Fields, v.FieldsGiven = []string{"email"}, true }),
		"rival":         with(func(v *View) { v.RivalSeen = true }),
		"sandbox":       with(func(v *View) { v.Sandbox = true }),
		"fields":        with(func(v *View) { v.Fields, v.MailsReceipt = []string{"email", "shipping_note"}, true }),
		"link_inactive": with(func(v *View) { v.Active, v.LinkState, v.Unpayable = false, charge.LinkInactive, true }),
		"link_expired":  with(func(v *View) { v.LinkState, v.Unpayable = charge.LinkExpired, true }),
		"long": with(func(v *View) {
			v.BusinessName = "An-exceptionally-long-business-name-without-any-place-to-break-it-in-two"
			long := "A description that goes on, and https://shop.example/a/very/long/path/that/does/not/break/anywhere/at/all/0123456789"
			v.Description = &long
			v.AmountXMR, v.AmountDueXMR = xmr("1234567.123456789012"), xmr("1234567.123456789012")
		}),
	}
}
