package chargestore

import (
	"time"

	"github.com/durapay/durapay/internal/money"
)

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

// countsUntil returns the moment after which a payment confirms nothing by itself.
func (t Terms) countsUntil(expiresAt time.Time) *time.Time {
	if t.Monitoring == nil {
		return nil
	}
	end := expiresAt.Add(*t.Monitoring)
	return &end
}
