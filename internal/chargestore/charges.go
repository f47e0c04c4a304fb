package chargestore

import (
	"time"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/rates"
)

// Charges holds the settings of charges. Its methods are short transactions without external
// calls.
type Charges struct {
	Store *postgres.Store
	// Prices answers from memory; it never waits for an exchange.
	Prices interface {
		Price(currency money.Currency) (rates.Quote, error)
	}
	Rules                 charge.Rules
	ChargeTimeout         time.Duration
	ButtonChargeTimeout   time.Duration
	ConfirmationsRequired int32
	// ConfirmationSteps, if there are any, replace ConfirmationsRequired.
	ConfirmationSteps charge.Steps
	TolerancePercent  money.Decimal
	// PendingMax is how many charges of a merchant may be pending if the merchant has no
	// number of their own; 0 stands for charge.MaxPending.
	PendingMax int32
	// Simulated is set if charges of the sandbox are simulated: they have no wallet.
	Simulated bool
	// SandboxWallets are the configured wallets of mode sandbox. If a merchant's own wallet
	// is not among them, another one takes its place.
	SandboxWallets []string
	// PublicURL is the base URL of payment pages, without a trailing slash.
	PublicURL string
}
