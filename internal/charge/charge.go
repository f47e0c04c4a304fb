// Package charge holds what a charge is and how it moves: types and pure
// decisions, no input or output. A charge asks for one amount on one
// subaddress; Advance looks at the payments that the chain shows and at the
// clock and says what the charge is now and which events follow.
//
//	pending ──paid in time──▶ confirmed
//	   │                          ▲
//	   └──timeout──▶ expired ─────┘ late
//
// A merchant who takes less than was asked for lowers what confirms the
// charge (AcceptUnderpaid); the rest is Advance's. A merchant may also mark a
// charge as settled with whatever has come, or as invalid (MarkAs).
package charge

import (
	"encoding/json"
	"time"

	"github.com/durapay/durapay/internal/money"
)

// Status is where a charge stands (contract: States and transitions).
type Status string

// The states of a charge.
const (
	Pending   Status = "pending"
	Confirmed Status = "confirmed"
	Expired   Status = "expired"
)

// Source tells how a charge came to be.
type Source string

// The sources of a charge.
const (
	FromAPI            Source = "api"
	FromButton         Source = "button"
	FromPaymentRequest Source = "payment_request"
)

// Charge is a request for payment and where it stands.
type Charge struct {
	ID               string
	MerchantID       string
	Sandbox          bool
	Source           Source
	PaymentRequestID *string
	WalletID         string
	SubaddressIndex  int32
	Subaddress       string

	// Amount is in the natural unit of Currency, AmountXMR what it was worth
	// at XMRRate (fiat per XMR, nil for XMR charges) at RateAt.
	Amount    money.Decimal
	Currency  money.Currency
	AmountXMR money.Piconero
	XMRRate   *money.Decimal
	RateAt    *time.Time

	// ConfirmFrom is AmountXMR less the merchant's tolerance.
	ConfirmFrom           money.Piconero
	ConfirmationsRequired int32
	// UnderpaidAcceptedAt is when the merchant took less; ConfirmFrom is then
	// what had come.
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
	// Mark is what the merchant has said of it.
	Mark Mark
	// CountsUntil is the moment after which a payment that is first seen confirms
	// nothing; nil for never.
	CountsUntil *time.Time
	// Checkout are the options of an invoice of the Greenfield surface, as JSON; nil
	// for a charge that was not made there.
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
	// Height is the block that holds it; nil while it is in the pool.
	Height *int64
	// Mature says that the watcher has found it in the chain, deep enough for this
	// charge and spendable. Neither depth nor time alone say so: the chain may have
	// lost it since the last scan.
	Mature      bool
	FirstSeenAt time.Time
	// UnlockHeight is the number of blocks, and UnlockAt the moment, before which the
	// payer locked it; 0 and nil for an ordinary payment.
	UnlockHeight int64
	UnlockAt     *time.Time
}

// Facts is what database and chain show of a charge at one moment.
type Facts struct {
	Payments []Payment
	// ChainHeight is the number of blocks of the chain.
	ChainHeight int64
	Now         time.Time
	// Rival is how far another charge of the same single-use request is; it is read where
	// a customer looks alone.
	Rival Rival
}

// Rival is how far another charge is that was made from the same single-use request.
type Rival string

// Of none there is a payment, of one a payment was seen, one is paid.
const (
	NoRival   Rival = ""
	RivalSeen Rival = "seen"
	RivalPaid Rival = "paid"
)

// LockedBy returns the payment whose payer's lock the charge waits for longest; nil when
// it waits for confirmations alone.
func LockedBy(c Charge, f Facts) *Payment {
	var last *Payment
	for i, p := range f.Payments {
		ordinary := f.ChainHeight
		if p.Height != nil {
			ordinary = *p.Height + int64(c.ConfirmationsRequired)
		}
		if p.Mature || p.UnlockHeight <= ordinary && (p.UnlockAt == nil || !p.UnlockAt.After(f.Now)) {
			continue
		}
		if last == nil || later(p, *last) {
			last = &f.Payments[i]
		}
	}
	return last
}

// later reports whether one lock ends after another: a moment counts more than a block,
// because only a lock of years is written as one.
func later(p, q Payment) bool {
	if p.UnlockAt != nil && q.UnlockAt != nil {
		return p.UnlockAt.After(*q.UnlockAt)
	}
	if p.UnlockAt != nil || q.UnlockAt != nil {
		return p.UnlockAt != nil
	}
	return p.UnlockHeight > q.UnlockHeight
}

// Confirmations is how many blocks, its own included, hold the payment.
func (p Payment) Confirmations(chainHeight int64) int32 {
	if p.Height == nil || chainHeight <= *p.Height {
		return 0
	}
	return int32(min(chainHeight-*p.Height, 1<<30))
}

// MatureHeight is the chain height (number of blocks) at which a payment in
// the block at height has the confirmations required and, when its payer set
// an unlock height, can be spent. A payment that its payer locked is not
// money yet, however deep it is.
func MatureHeight(height int64, required int32, unlockHeight int64) int64 {
	return max(height+int64(required), unlockHeight)
}
