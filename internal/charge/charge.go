// Package charge defines a charge and its state machine: types and pure decisions, no
// input or output. A charge requests one amount on one subaddress. From the payments
// that the chain shows and the time, Advance computes the charge's state and the
// events that follow.
//
//	pending ──paid in time──▶ confirmed
//	   │                          ▲
//	   └──timeout──▶ expired ─────┘ late
//
// A merchant who accepts less than the amount lowers the sum that confirms the charge
// (AcceptUnderpaid); Advance then confirms it. A merchant may also mark a charge as
// settled with the money received so far, or as invalid (MarkAs).
package charge

import (
	"encoding/json"
	"time"

	"github.com/durapay/durapay/internal/money"
)

// Status is the state of a charge (contract: States and transitions).
type Status string

// The states of a charge.
const (
	Pending   Status = "pending"
	Confirmed Status = "confirmed"
	Expired   Status = "expired"
)

// Source is the way in which a charge was created.
type Source string

// The sources of a charge.
const (
	FromAPI            Source = "api"
	FromButton         Source = "button"
	FromPaymentRequest Source = "payment_request"
)

// Charge is a request for payment and its state.
type Charge struct {
	ID               string
	MerchantID       string
	Sandbox          bool
	Source           Source
	PaymentRequestID *string
	WalletID         string
	// SubaddressIndex is the number of the address, see NumberOf.
	SubaddressIndex int32
	Subaddress      string

	// Amount is in the natural unit of Currency. AmountXMR is its value at XMRRate, which
	// is fiat per XMR (nil for XMR charges) and was read at RateAt.
	Amount    money.Decimal
	Currency  money.Currency
	AmountXMR money.Piconero
	XMRRate   *money.Decimal
	RateAt    *time.Time

	// ConfirmFrom is AmountXMR less the merchant's tolerance.
	ConfirmFrom           money.Piconero
	ConfirmationsRequired int32
	// UnderpaidAcceptedAt is when the merchant accepted less. ConfirmFrom is then the
	// amount received until that moment.
	UnderpaidAcceptedAt *time.Time

	Status      Status
	CreatedAt   time.Time
	ExpiresAt   time.Time
	Extended    bool
	SeenAt      *time.Time
	ConfirmedAt *time.Time
	Late        bool
	Unbacked    bool
	PayoutID    *string
	// Mark is the merchant's decision about the charge, made by hand.
	Mark Mark
	// CountsUntil is the end of the monitoring: a payment that is first seen later does
	// not confirm the charge. Nil means no end.
	CountsUntil *time.Time
	// Checkout holds the options of an invoice of the Greenfield surface, as JSON. It is
	// nil for a charge that was created elsewhere.
	Checkout *string

	Metadata      json.RawMessage
	Description   *string
	ReturnURL     *string
	Fields        []string
	LinkActive    bool
	LinkExpiresAt *time.Time
}

// Payment is money that the chain shows on the charge's subaddress.
type Payment struct {
	TxHash string
	Amount money.Piconero
	// Height is the height of the block that holds the payment; nil while it is in the
	// pool.
	Height *int64
	// Mature reports whether the watcher has found the payment in the chain, deep enough
	// for this charge and spendable. Depth and time alone do not prove this, because a
	// reorganization may have dropped it since the last scan.
	Mature      bool
	FirstSeenAt time.Time
	// UnlockHeight is the number of blocks, and UnlockAt the moment, before which the
	// payer locked it; 0 and nil for an ordinary payment.
	UnlockHeight int64
	UnlockAt     *time.Time
}

// Facts is the data about a charge at one moment, from the database and the chain.
type Facts struct {
	Payments []Payment
	// ChainHeight is the number of blocks of the chain.
	ChainHeight int64
	Now         time.Time
	// Rival is how far another charge of the same single-use request is. Only reads for a
	// customer set it.
	Rival Rival
}

// Rival is how far another charge of the same single-use request is.
type Rival string

// No other charge has a payment, a payment of another charge was seen, or another
// charge is paid.
const (
	NoRival   Rival = ""
	RivalSeen Rival = "seen"
	RivalPaid Rival = "paid"
)

// Confirmations returns how many blocks hold the payment, its own included.
func (p Payment) Confirmations(chainHeight int64) int32 {
	if p.Height == nil || chainHeight <= *p.Height {
		return 0
	}
	return int32(min(chainHeight-*p.Height, 1<<30))
}

// MatureHeight returns the chain height (number of blocks) at which a payment in the
// block at height has the required confirmations and its unlock height, if its payer
// set one, has passed. A payment that its payer locked does not count before it
// unlocks, however deep it is.
func MatureHeight(height int64, required int32, unlockHeight int64) int64 {
	return max(height+int64(required), unlockHeight)
}

// MaxPendingButtons limits the pending charges of one merchant that were
// created without a key. Anyone can create such charges, so the limit keeps
// them from using up the merchant's addresses.
const MaxPendingButtons = 50

// The shares of MaxPendingButtons, which keep one visitor from using all of it.
// MaxPendingOfClient is the share of one client: as many charges as it may
// create in a minute. MaxPendingOfCrowd is the share of all clients that came
// through Tor together, because one of them could appear as many.
const (
	MaxPendingOfClient = 30
	MaxPendingOfCrowd  = MaxPendingButtons / 2
)

// MaxPending limits the pending charges of one merchant where neither the
// merchant nor the configuration sets another number. Each charge has an
// address that is never used for another charge.
const MaxPending = 10_000
