package provider

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
)

// Provider swaps one coin for another. Amounts are in whole coins. All calls
// end by themselves, after 30 seconds at the latest.
type Provider interface {
	// Profile is what is known of the provider without asking it.
	Profile() Profile
	// Quote asks what an amount would bring now; it binds nobody. Errors:
	// LimitError, ErrPairUnsupported, ErrUnavailable.
	Quote(ctx context.Context, r Request) (Quote, error)
	// Create orders a swap. Every error but ErrUncertain says that no swap was
	// made, or none that may be paid. After ErrUncertain there may be one,
	// unknown to us: the order must not be sent again blindly. Errors: those of
	// Quote, ErrRefused, ErrRateChanged, ErrUncertain.
	Create(ctx context.Context, o Order) (Swap, error)
	// Status looks a swap up by the provider's ID. Errors: ErrUnknownSwap,
	// ErrUnavailable.
	Status(ctx context.Context, id string) (Swap, error)
}

// Profile describes a provider.
type Profile struct {
	// Name is unique among the configured ones, in lower case.
	Name string
	Risk Risk
	// Rating is what an aggregator would say of its demands for identity.
	Rating Rating
	// Net is where its coins live: addresses of another net are not for it.
	Net coin.Net
}

// Risk is how a route treats a deposit that displeases it.
type Risk string

// The risk levels of the contract, from the least to the most exposed.
const (
	// RiskAuto never stops a swap.
	RiskAuto Risk = "auto"
	// RiskFlexible refunds without questions.
	RiskFlexible Risk = "flexible"
	// RiskPrecheck checks before it accepts, not afterwards.
	RiskPrecheck Risk = "precheck"
	// RiskControlled may hold a deposit (State Held).
	RiskControlled Risk = "controlled"
)

// Rating is A (never asks who one is) to D (asks often).
type Rating string

// The ratings.
const (
	RatingA Rating = "A"
	RatingB Rating = "B"
	RatingC Rating = "C"
	RatingD Rating = "D"
)

// Known says whether the rating is one of these.
func (r Rating) Known() bool { return r >= RatingA && r <= RatingD && len(r) == 1 }

// Known says whether the level is one of the contract's.
func (r Risk) Known() bool {
	switch r {
	case RiskAuto, RiskFlexible, RiskPrecheck, RiskControlled:
		return true
	}
	return false
}

// Request asks for a quote.
type Request struct {
	From, To coin.Coin
	// Amount is what would be sent, in whole coins of From.
	Amount money.Decimal
}

// Quote is what a provider would pay.
type Quote struct {
	Request
	// AmountTo is what would arrive, in whole coins of To, fees taken off.
	AmountTo money.Decimal
	// Rate is AmountTo per Amount, rounded to 18 decimals.
	Rate money.Decimal
	// Min and Max bound Amount; nil when the provider does not tell.
	Min, Max *money.Decimal
	// ETA is the expected time from deposit to payout; 0 when unknown.
	ETA time.Duration
	// ExpiresAt is when the offer ends; zero when the provider does not tell.
	ExpiresAt time.Time
	// Route is the provider behind an aggregator; empty when there is none.
	Route string
	// Rating is that of the route.
	Rating Rating
	// Reference is the provider's own name of the quote, passed on in an Order.
	Reference string
}

// Order asks for a swap.
type Order struct {
	Request
	// Address and Memo receive the output; Refund and RefundMemo get the
	// deposit back if the swap fails. Memos are empty when there are none.
	Address, Memo      string
	Refund, RefundMemo string
	// Route and Reference are those of the quote, or empty.
	Route, Reference string
	// LeastAmountTo refuses a swap that would pay less (ErrRateChanged); 0
	// takes what there is.
	LeastAmountTo money.Decimal
}

// Swap is an order as the provider shows it. What it does not show is zero.
type Swap struct {
	// ID is the provider's.
	ID    string
	State State
	// Word is the provider's own word for the state.
	Word string
	// DepositAddress and DepositMemo are where the coins are to be sent; the
	// address has been checked to be one of the coin.
	DepositAddress, DepositMemo string
	// AmountFrom is what is to be sent, AmountTo what is, or is expected to be, paid.
	AmountFrom, AmountTo money.Decimal
	// Transactions, as far as they exist.
	DepositTx, PayoutTx, RefundTx string
	// ExpiresAt is the end of the time to deposit.
	ExpiresAt time.Time
	// Unpaid says that the provider shows deposits and shows none; false where
	// it does not tell.
	Unpaid bool
}
