package incoming

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/money"
)

// Charges has the activity of the charge workflow. It runs as a local activity: short
// transactions without external calls.
type Charges struct{ Charges *chargestore.Charges }

// ChargeState is the state that the workflow of a charge needs to continue.
type ChargeState struct {
	MerchantID    string
	Sandbox       bool
	Status        charge.Status
	Amount        money.Decimal
	Currency      money.Currency
	AmountXMR     money.Piconero
	Received      money.Piconero
	Confirmations int32
	Required      int32
	ExpiresAt     time.Time
	Unbacked      bool
	// Deliveries are the deliveries that have not been attempted yet.
	Deliveries []string
}

// AdvanceCharge names the charge to advance.
type AdvanceCharge struct {
	ChargeID string
	// Now is the workflow's clock.
	Now time.Time
}

// AdvanceCharge advances a charge, see chargestore.Charges.Advance.
func (a *Charges) AdvanceCharge(ctx context.Context, in AdvanceCharge) (ChargeState, error) {
	advanced, err := a.Charges.Advance(ctx, in.ChargeID, in.Now)
	if err != nil {
		return ChargeState{}, err
	}
	c, view := advanced.Charge, charge.PublicViewOf(advanced.Charge, advanced.Facts, "")
	return ChargeState{
		MerchantID: c.MerchantID, Sandbox: c.Sandbox, Status: c.Status, Amount: c.Amount, Currency: c.Currency,
		AmountXMR: c.AmountXMR, Received: view.AmountReceivedXMR, Confirmations: view.Confirmations,
		Required: c.ConfirmationsRequired, ExpiresAt: c.ExpiresAt, Unbacked: c.Unbacked, Deliveries: advanced.Deliveries,
	}, nil
}
