package chargestore

import (
	"cmp"
	"time"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
)

// New is a charge to create.
type New struct {
	ChargeID         string
	MerchantID       string
	Mode             config.Mode
	Source           charge.Source
	PaymentRequestID *string
	// Amount is in the natural unit of Currency.
	Amount   money.Decimal
	Currency money.Currency
	// Metadata is a JSON object as it was sent.
	Metadata      string
	OrderID       *string
	Description   *string
	ReturnURL     *string
	Fields        []string
	LinkExpiresAt *time.Time
	Terms
	// ClientCode distinguishes the clients that make charges without a key. CrowdCode is the
	// code of all clients that come through Tor. Both are nil if shares are not bounded.
	ClientCode, CrowdCode []byte
	// Now is the API's clock.
	Now time.Time
}

// newRow returns the row of a charge without its address, and the settings from which it is
// made.
func (s *Charges) newRow(in New, begun db.BeginChargeRow) (db.InsertChargeParams, error) {
	row := db.InsertChargeParams{
		ChosenWalletID: begun.WalletID, OwnConfirmations: begun.ConfirmationsRequired, OwnTolerance: begun.TolerancePercent,
		HasInvoiceWebhook: begun.HasInvoiceWebhook, PendingMax: s.pendingMax(),
		ID: in.ChargeID, MerchantID: in.MerchantID, Mode: string(in.Mode), Source: string(in.Source),
		PaymentRequestID: in.PaymentRequestID, Amount: in.Amount,
		Currency: string(in.Currency), ConfirmationsRequired: s.confirmations(in), Metadata: in.Metadata,
		OrderID: in.OrderID, Description: in.Description, ReturnUrl: in.ReturnURL, Fields: in.Fields,
		LinkExpiresAt: in.LinkExpiresAt, CreatedAt: in.Now, ExpiresAt: in.Now.Add(cmp.Or(in.Timeout, s.timeout(in.Source))),
		ClientCode: in.ClientCode, CrowdCode: in.CrowdCode, Checkout: in.Checkout,
	}
	if in.Monitoring != nil { // later payments confirm nothing by themselves
		row.CountsUntil = new(row.ExpiresAt.Add(*in.Monitoring))
	}
	if row.Fields == nil {
		row.Fields = []string{}
	}
	if begun.ConfirmationsRequired != nil {
		row.ConfirmationsRequired = *begun.ConfirmationsRequired
	}
	bound := begun.ConfirmationsRequired != nil || len(s.ConfirmationSteps) > 0
	row.ConfirmationsRequired = in.confirmations(row.ConfirmationsRequired, bound)
	tolerance := s.TolerancePercent
	if begun.TolerancePercent != nil {
		tolerance = *begun.TolerancePercent
	}
	tolerance = in.tolerance(tolerance, begun.TolerancePercent)
	if err := s.price(&row, in); err != nil {
		return row, err
	}
	slack, err := row.AmountPiconero.Percent(tolerance)
	if err != nil {
		return row, err
	}
	row.ConfirmFromPiconero = max(1, row.AmountPiconero.SubFloor(slack))
	return row, nil
}

// confirmations returns how many blocks the payment of such a charge needs. USD and EUR
// count alike; XMR counts by its price in USD.
func (s *Charges) confirmations(in New) int32 {
	if len(s.ConfirmationSteps) == 0 {
		return s.ConfirmationsRequired
	}
	if in.Currency != money.XMR {
		return s.ConfirmationSteps.For(&in.Amount)
	}
	quote, err := s.Prices.Price(money.USD)
	if err != nil {
		return s.ConfirmationSteps.For(nil)
	}
	return s.ConfirmationSteps.For(new(in.Amount.Mul(quote.Price)))
}

func (s *Charges) timeout(source charge.Source) time.Duration {
	if source == charge.FromAPI {
		return s.ChargeTimeout
	}
	return s.ButtonChargeTimeout
}

// price fixes the amount in XMR.
func (s *Charges) price(row *db.InsertChargeParams, in New) error {
	if in.Currency == money.XMR {
		amount, err := money.PiconeroFromXMR(in.Amount)
		if err != nil {
			return refusals.New(refusals.Amount, "the amount is out of range")
		}
		row.AmountPiconero = amount
		return nil
	}
	quote, err := s.Prices.Price(in.Currency)
	if err != nil {
		return refusals.New(refusals.NoPrice, "no exchange rate is available")
	}
	amount, err := money.FromFiat(in.Amount, quote.Price)
	if err != nil || amount == 0 {
		return refusals.New(refusals.Amount, "the amount is out of range")
	}
	row.AmountPiconero, row.XmrRate, row.RateAt = amount, &quote.Price, &quote.At
	return nil
}

// Terms are what an invoice of the Greenfield surface may request. The zero value
// requests nothing. The operators' settings for the merchant bound it: not fewer blocks,
// not more tolerance. The blocks that operators require by value bound it too.
type Terms struct {
	// Checkout are the options as JSON, for the surface to show; nil for a charge that
	// was not made there.
	Checkout *string
	// Confirmations is how many blocks a payment needs; 0 for the usual number.
	Confirmations int32
	// Timeout is how long the charge waits for money; 0 for the usual time.
	Timeout time.Duration
	// Tolerance is how many percent less confirm the charge; nil for the usual.
	Tolerance *money.Decimal
	// Monitoring is how long after the timeout money confirms the charge by itself;
	// nil for ever.
	Monitoring *time.Duration
}

// confirmations returns how many blocks the charge needs: usual, if it requests none.
// bound reports whether operators have set usual for this merchant or this value.
func (t Terms) confirmations(usual int32, bound bool) int32 {
	switch {
	case t.Confirmations == 0:
		return usual
	case bound:
		return max(t.Confirmations, usual)
	}
	return t.Confirmations
}

func (t Terms) tolerance(usual money.Decimal, ofMerchant *money.Decimal) money.Decimal {
	if t.Tolerance == nil || (ofMerchant != nil && t.Tolerance.Cmp(*ofMerchant) > 0) {
		return usual
	}
	return *t.Tolerance
}
