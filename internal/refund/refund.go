// Package refund holds the rules of refunds by claim link: what a variant is
// worth in XMR, how much of what was received for a charge refunds may take, and
// where a refund stands. It does no input or output.
//
// A refund of a charge promises an amount to whoever has its link. A claim takes a
// part of it to an address. It is paid by a payout with a second destination, see
// package payout. A refund of no charge is bounded by the merchant's unpaid balance,
// and its claims always wait for approval.
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

// Status is where a refund stands, or a claim; a claim is never open or expired.
type Status string

// The states.
const (
	// Open waits for somebody to claim it, or what is left of it.
	Open             Status = "open"
	AwaitingApproval Status = "awaiting_approval"
	AwaitingPayment  Status = "awaiting_payment"
	// InProgress has a payout, which is not deep in the chain yet.
	InProgress Status = "in_progress"
	Completed  Status = "completed"
	Cancelled  Status = "cancelled"
	Expired    Status = "expired"
)

// Ended says that nothing more can be claimed and nothing is on its way.
func (s Status) Ended() bool { return s == Completed || s == Cancelled || s == Expired }

// Bounds of a refund.
const (
	// MaxClaims is how many claims a refund takes that were not cancelled.
	MaxClaims = 20
	// MinClaim is the least that a claim takes, in piconero, unless it takes all that
	// is left. Each claim costs the merchant the fee of a transaction.
	MinClaim money.Piconero = 1_000_000_000
	// MaxPerCharge is how many refunds a charge can have. Refunds of no charge are
	// bounded by the balance that they hold.
	MaxPerCharge = 50
	// DefaultLife is for how long a refund can be claimed, MaxLife the longest.
	DefaultLife = 30 * 24 * time.Hour
	MaxLife     = 365 * 24 * time.Hour
)

// Claim is a part of a refund that goes to one address.
type Claim struct {
	ID     string
	Status Status
	Amount money.Piconero
	// Address is where it goes; empty where the database does not know it any more.
	Address string
	// Minable reports whether a transaction of it that was given up may still be mined.
	Minable bool
}

// holdsCancelled reports whether the claim holds its amount though it was cancelled: it
// may still be paid all the same.
func (c Claim) holdsCancelled() bool { return c.Status == Cancelled && c.Minable }

// Refund is what was promised, and what was claimed of it.
type Refund struct {
	Amount    money.Piconero
	ExpiresAt time.Time
	Cancelled bool
	Claims    []Claim
}

// Claimed is the sum of the claims that hold their amount.
func (r Refund) Claimed() (money.Piconero, error) {
	var amounts []money.Piconero
	for _, c := range r.Claims {
		if c.Status != Cancelled || c.Minable {
			amounts = append(amounts, c.Amount)
		}
	}
	return money.Sum(amounts...)
}

// Left is what can still be claimed at now: nothing once the refund was
// cancelled or has expired.
func (r Refund) Left(now time.Time) (money.Piconero, error) {
	claimed, err := r.Claimed()
	if err != nil || r.Cancelled || !now.Before(r.ExpiresAt) {
		return 0, err
	}
	return r.Amount.SubFloor(claimed), nil
}

// StatusAt is where a refund stands at now. What somebody has to do goes first:
// the merchant, then what the payment waits for, then the chain. A cancelled claim that
// may still be paid keeps its refund in progress.
func (r Refund) StatusAt(now time.Time) (Status, error) {
	has := map[Status]bool{}
	for _, c := range r.Claims {
		if has[c.Status] = true; c.holdsCancelled() {
			has[InProgress] = true
		}
	}
	left, err := r.Left(now)
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
	case left > 0:
		return Open, nil
	case r.Cancelled:
		return Cancelled, nil
	default:
		return Expired, nil
	}
}

// Held is how much of what was received for the charge a refund holds at now: the
// whole amount while it can be claimed, and what was claimed from then on.
func (r Refund) Held(now time.Time) (money.Piconero, error) {
	claimed, err := r.Claimed()
	if err != nil || r.Cancelled || !now.Before(r.ExpiresAt) {
		return claimed, err
	}
	return max(r.Amount, claimed), nil
}

// Why a claim is refused. The texts are shown to buyers.
var (
	ErrCancelled = errors.New("the refund was cancelled")
	ErrExpired   = errors.New("the refund has expired")
	ErrNothing   = errors.New("nothing is left of the refund")
	ErrMinable   = errors.New("nothing is left of the refund until an earlier transaction of it cannot arrive any more")
	ErrTooMuch   = errors.New("the amount is more than what is left of the refund")
	ErrTooSmall  = errors.New("the amount is less than 0.001 XMR and less than what is left")
	ErrTooMany   = errors.New("the refund was claimed in too many parts")
)

// NewClaim judges a claim of an amount to an address at now; an amount of 0 stands
// for all that is left. It returns the amount, or, with again, the claim that asks
// for the same and has not been paid yet: whoever sends a form twice claims once. A
// claim that is paid is found again where nothing is left.
func (r Refund) NewClaim(address string, amount money.Piconero, now time.Time) (takes money.Piconero, again *Claim, err error) {
	left, err := r.Left(now)
	if err != nil {
		return 0, nil, err
	}
	if again = r.same(address, amount, left); again != nil {
		return again.Amount, again, nil
	}
	takes = amount
	if takes == 0 {
		takes = left
	}
	switch {
	case r.Cancelled:
		return 0, nil, ErrCancelled
	case !now.Before(r.ExpiresAt):
		return 0, nil, ErrExpired
	case left == 0 && slices.ContainsFunc(r.Claims, Claim.holdsCancelled):
		return 0, nil, ErrMinable
	case left == 0:
		return 0, nil, ErrNothing
	case takes > left:
		return 0, nil, ErrTooMuch
	case takes < MinClaim && takes < left:
		return 0, nil, ErrTooSmall
	case r.parts() >= MaxClaims:
		return 0, nil, ErrTooMany
	default:
		return takes, nil, nil
	}
}

// same is the claim that asks for the same, see NewClaim; nil for none.
func (r Refund) same(address string, amount, left money.Piconero) *Claim {
	for i, c := range r.Claims {
		asks := c.Address == address && (amount == c.Amount || amount == 0 && left == 0)
		if asks && c.Status != Cancelled && (c.Status != Completed || left == 0) {
			return &r.Claims[i]
		}
	}
	return nil
}

// parts is the number of claims that were not cancelled.
func (r Refund) parts() int {
	n := 0
	for _, c := range r.Claims {
		if c.Status != Cancelled {
			n++
		}
	}
	return n
}
