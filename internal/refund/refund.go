// Package refund holds the rules of refunds by claim link: the value of a variant in
// XMR, how much of the amount received for a charge its refunds may take, and the state
// of a refund. It does no input or output.
//
// A refund of a charge promises an amount to the person who has its link. A claim takes
// a part of it to an address. A payout with a second destination pays the claim, see
// package payout. A refund without a charge is bounded by the merchant's unpaid
// balance, and its claims always wait for approval.
//
// A claim of a refund whose charge was paid to the shop's own wallet begins in
// awaiting_payment: the shop pays it, which is its approval too. See ShopPayment.
//
//	claim:  awaiting_approval ──▶ awaiting_payment ◀──failed── in_progress ──deep enough──▶ completed
//	             │                     │      └──reserved──▶ │ ▲                              │
//	             └─────cancelled───────┘                       └──────dropped by a reorg───────┘
package refund

import (
	"errors"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/money"
)

// Status is the state of a refund or of a claim. A claim is never open or expired.
type Status string

// The states.
const (
	// Open has an amount that is not claimed yet.
	Open             Status = "open"
	AwaitingApproval Status = "awaiting_approval"
	AwaitingPayment  Status = "awaiting_payment"
	// InProgress has a payout that is not deep in the chain yet.
	InProgress Status = "in_progress"
	Completed  Status = "completed"
	Cancelled  Status = "cancelled"
	Expired    Status = "expired"
)

// Ended reports whether nothing more can be claimed and no payment is on its way.
func (s Status) Ended() bool { return s == Completed || s == Cancelled || s == Expired }

// Bounds of a refund.
const (
	// MaxClaims is how many claims a refund may have, without cancelled ones.
	MaxClaims = 20
	// MinClaim is the smallest claim in piconero, except for one that takes the whole
	// remaining amount. The minimum exists because each claim costs the merchant a
	// transaction fee.
	MinClaim money.Piconero = 1_000_000_000
	// MaxPerCharge is how many refunds a charge can have. Refunds without a charge are
	// bounded by the balance that they hold.
	MaxPerCharge = 50
	// DefaultLife is how long a refund can be claimed; MaxLife is the maximum.
	DefaultLife = 30 * 24 * time.Hour
	MaxLife     = 365 * 24 * time.Hour
)

// Claim is a part of a refund that is paid to one address.
type Claim struct {
	ID     string
	Status Status
	Amount money.Piconero
	// Address is where the claim is paid to; empty where the database no longer has it.
	Address string
	// Minable reports whether an abandoned transaction of the claim may still be mined.
	Minable bool
}

// holdsCancelled reports whether a cancelled claim still holds its amount, because an
// abandoned transaction may still pay it.
func (c Claim) holdsCancelled() bool { return c.Status == Cancelled && c.Minable }

// Refund is the amount that was promised, and its claims.
type Refund struct {
	Amount    money.Piconero
	ExpiresAt time.Time
	Cancelled bool
	Claims    []Claim
}

// Claimed returns the sum of the claims that hold their amount.
func (r Refund) Claimed() (money.Piconero, error) {
	var amounts []money.Piconero
	for _, c := range r.Claims {
		if c.Status != Cancelled || c.Minable {
			amounts = append(amounts, c.Amount)
		}
	}
	return money.Sum(amounts...)
}

// Remaining returns the amount that can still be claimed at now. After cancellation or
// expiry it is 0.
func (r Refund) Remaining(now time.Time) (money.Piconero, error) {
	claimed, err := r.Claimed()
	if err != nil || r.Cancelled || !now.Before(r.ExpiresAt) {
		return 0, err
	}
	return r.Amount.SubFloor(claimed), nil
}

// StatusAt returns the state of a refund at now. If its claims have different states,
// the one that needs a person comes first: approval by the merchant, then payment, then
// the chain. A cancelled claim that may still be paid keeps its refund in progress.
func (r Refund) StatusAt(now time.Time) (Status, error) {
	has := map[Status]bool{}
	for _, c := range r.Claims {
		if has[c.Status] = true; c.holdsCancelled() {
			has[InProgress] = true
		}
	}
	remaining, err := r.Remaining(now)
	if err != nil {
		return "", err
	}
	for _, s := range []Status{AwaitingApproval, AwaitingPayment, InProgress} {
		if has[s] {
			return s, nil
		}
	}
	claimed, err := r.Claimed()
	switch {
	case err != nil:
		return "", err
	case claimed == r.Amount:
		return Completed, nil
	case remaining > 0:
		return Open, nil
	case r.Cancelled:
		return Cancelled, nil
	default:
		return Expired, nil
	}
}

// Held returns how much of the amount received for the charge a refund holds at now:
// the whole refund while it can be claimed, and the sum of its claims afterwards.
func (r Refund) Held(now time.Time) (money.Piconero, error) {
	claimed, err := r.Claimed()
	if err != nil || r.Cancelled || !now.Before(r.ExpiresAt) {
		return claimed, err
	}
	return max(r.Amount, claimed), nil
}

// Reasons for which a claim is refused. Buyers see the texts.
var (
	ErrCancelled = errors.New("the refund was cancelled")
	ErrExpired   = errors.New("the refund has expired")
	ErrNothing   = errors.New("nothing is left of the refund")
	ErrMinable   = errors.New("nothing is left of the refund until an earlier transaction of it cannot arrive any more")
	ErrTooMuch   = errors.New("the amount is more than what is left of the refund")
	ErrTooSmall  = errors.New("the amount is less than 0.001 XMR and less than what is left")
	ErrTooMany   = errors.New("the refund was claimed in too many parts")
)

// NewClaim checks a claim of an amount to an address at now. An amount of 0 means all
// that remains. It returns the amount, or, in again, an existing claim of the same
// amount to the same address that is not paid yet, so a form that is sent twice makes
// one claim. A paid claim is returned only when nothing remains.
func (r Refund) NewClaim(address string, amount money.Piconero, now time.Time) (takes money.Piconero, again *Claim, err error) {
	remaining, err := r.Remaining(now)
	if err != nil {
		return 0, nil, err
	}
	if again = r.same(address, amount, remaining); again != nil {
		return again.Amount, again, nil
	}
	takes = amount
	if takes == 0 {
		takes = remaining
	}
	switch {
	case r.Cancelled:
		return 0, nil, ErrCancelled
	case !now.Before(r.ExpiresAt):
		return 0, nil, ErrExpired
	case remaining == 0 && slices.ContainsFunc(r.Claims, Claim.holdsCancelled):
		return 0, nil, ErrMinable
	case remaining == 0:
		return 0, nil, ErrNothing
	case takes > remaining:
		return 0, nil, ErrTooMuch
	case takes < MinClaim && takes < remaining:
		return 0, nil, ErrTooSmall
	case r.parts() >= MaxClaims:
		return 0, nil, ErrTooMany
	default:
		return takes, nil, nil
	}
}

// same returns the existing claim for the same address and amount, see NewClaim; nil
// for none.
func (r Refund) same(address string, amount, remaining money.Piconero) *Claim {
	for i, c := range r.Claims {
		asks := c.Address == address && (amount == c.Amount || amount == 0 && remaining == 0)
		if asks && c.Status != Cancelled && (c.Status != Completed || remaining == 0) {
			return &r.Claims[i]
		}
	}
	return nil
}

// parts returns the number of claims that are not cancelled.
func (r Refund) parts() int {
	n := 0
	for _, c := range r.Claims {
		if c.Status != Cancelled {
			n++
		}
	}
	return n
}

// Leave is the permission for a refund to skip approval. It depends on who creates the
// refund.
type Leave string

// The leaves.
const (
	// NoLeave is for a key that only proposes refunds: each claim waits for approval.
	NoLeave Leave = ""
	// WithinSettings lets a refund skip approval within the limits of the merchant's settings.
	WithinSettings Leave = "within_settings"
	// AfterStepUp is WithinSettings once the user has confirmed the password in this session.
	// Until then a refund that would skip approval is not created.
	AfterStepUp Leave = "after_step_up"
)

// aDay bounds refunds without approval: in a day (UTC), a merchant and the shop's keys
// together may refund this many times the largest one.
const aDay = 10

// WithinADay reports whether a refund of more needs no approval, when made is the sum of
// today's refunds without approval. upTo is the limit of a single one. Amounts are in
// piconero.
func WithinADay(more, made, upTo money.Piconero) bool {
	// The comparison divides made, so that no setting overflows.
	return more <= upTo && (made+more-1)/aDay < upTo
}

// Proof proves that a claim was paid. It is stored sealed with the claim. The process
// that can open the claim's address makes it, because the process that shows it later
// cannot open the address.
type Proof struct {
	// TxKey is the secret key of the transaction.
	TxKey string `json:"tx_key"`
	// TxProof proves the payment to the claim's address only (OutProofV2). It is empty where
	// it could not be made.
	TxProof string `json:"tx_proof"`
}
