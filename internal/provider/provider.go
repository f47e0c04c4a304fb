package provider

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
)

// Provider swaps one coin for another. Amounts are in whole coins. Every call
// ends by itself, after 30 seconds at the latest.
type Provider interface {
	// Profile returns the facts about the provider that are known without a call to
	// it.
	Profile() Profile
	// Quote asks for the output of an amount at present. It is not binding. Errors:
	// LimitError, ErrPairUnsupported, ErrUnavailable.
	Quote(ctx context.Context, r Request) (Quote, error)
	// Create orders a swap. Every error but ErrUncertain means that no swap was
	// made, or only one that must not be paid. After ErrUncertain there may be a
	// swap that we do not know, so the caller must not blindly repeat the order.
	// Errors: those of Quote, ErrRefused, ErrRateChanged, ErrUncertain.
	Create(ctx context.Context, o Order) (Swap, error)
	// Status looks a swap up by the provider's ID. Errors: ErrUnknownSwap,
	// ErrUnavailable.
	Status(ctx context.Context, id string) (Swap, error)
}

// Profile describes a provider.
type Profile struct {
	// Name is unique among the configured providers, and in lower case.
	Name string
	Risk Risk
	// Rating is the rating of the provider's identity checks that an aggregator
	// would give.
	Rating Rating
	// Net is the net of the provider's coins. It does not accept addresses of the
	// other net.
	Net coin.Net
}

// Risk is how a route treats a deposit that the provider objects to.
type Risk string

// The risk levels of the contract, from the least to the most exposed.
const (
	// RiskAuto never stops a swap.
	RiskAuto Risk = "auto"
	// RiskFlexible refunds without questions.
	RiskFlexible Risk = "flexible"
	// RiskPrecheck checks a deposit before it accepts it, and not afterwards.
	RiskPrecheck Risk = "precheck"
	// RiskControlled may hold a deposit (State Held).
	RiskControlled Risk = "controlled"
)

// Rating grades how often a provider demands an identity check, from A (never)
// to D (often).
type Rating string

// The ratings.
const (
	RatingA Rating = "A"
	RatingB Rating = "B"
	RatingC Rating = "C"
	RatingD Rating = "D"
)

// Known reports whether the rating is one of these.
func (r Rating) Known() bool { return r >= RatingA && r <= RatingD && len(r) == 1 }

// Known reports whether the level is one of the contract's.
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
	// Amount is the amount to send, in whole coins of From.
	Amount money.Decimal
}

// Quote is the offer of a provider.
type Quote struct {
	Request
	// AmountTo is the amount that would arrive, in whole coins of To, after fees.
	AmountTo money.Decimal
	// Rate is AmountTo per Amount, rounded down to 18 decimals.
	Rate money.Decimal
	// Min and Max bound Amount; nil if the provider does not report them.
	Min, Max *money.Decimal
	// ETA is the expected time from deposit to payout; 0 when unknown.
	ETA time.Duration
	// ExpiresAt is the end of the offer; zero if the provider does not report it.
	ExpiresAt time.Time
	// Route is the provider behind an aggregator; empty when there is none.
	Route string
	// Rating is the rating of the route.
	Rating Rating
	// Reference is the provider's own ID of the quote. An Order passes it on.
	Reference string
}

// Order asks for a swap.
type Order struct {
	Request
	// Address and Memo receive the output. Refund and RefundMemo receive the
	// deposit if the swap fails. Memos are empty if there are none.
	Address, Memo      string
	Refund, RefundMemo string
	// Route and Reference are those of the quote, or empty.
	Route, Reference string
	// LeastAmountTo is the lowest acceptable output: a swap that would pay less
	// fails with ErrRateChanged. 0 accepts any output.
	LeastAmountTo money.Decimal
}

// Swap is an order as the provider reports it. Fields that it does not report
// are zero.
type Swap struct {
	// ID is the provider's ID of the swap.
	ID    string
	State State
	// Word is the provider's word for the state.
	Word string
	// DepositAddress and DepositMemo are the destination of the deposit. The
	// address has been checked to be one of the coin.
	DepositAddress, DepositMemo string
	// AmountFrom is the amount to deposit, AmountTo the amount that was paid or is
	// expected to be paid.
	AmountFrom, AmountTo money.Decimal
	// The hashes of the transactions, as far as they exist.
	DepositTx, PayoutTx, RefundTx string
	// ExpiresAt is the end of the time for the deposit.
	ExpiresAt time.Time
	// Unpaid reports whether the provider would report a deposit and reports none.
	// It is false if the provider does not report deposits.
	Unpaid bool
}

// State is the state of a swap, in our own words.
type State string

// The states. Unknown stands for a word of the provider that we do not know.
const (
	Waiting    State = "waiting"
	Confirming State = "confirming"
	Exchanging State = "exchanging"
	Sending    State = "sending"
	Finished   State = "finished"
	// Verifying is a hold that the provider expects to lift by itself.
	Verifying State = "verifying"
	// Halted is a hold that requires action by people.
	Halted    State = "halted"
	Refunding State = "refunding"
	Refunded  State = "refunded"
	Failed    State = "failed"
	Expired   State = "expired"
	Unknown   State = "unknown"
)

// Final reports whether the state of a swap can no longer change. Halted is not
// final, because people may act. Unknown is not final, because the provider may
// use a new word for a swap that continues.
func (s State) Final() bool {
	switch s {
	case Finished, Refunded, Failed, Expired:
		return true
	default:
		return false
	}
}

// Merchant returns the status that the merchant API shows: waiting, confirming,
// exchanging, sending, finished, failed or refunded. A swap that it shows as
// failed may still end in another state, unless the State is Final.
func (s State) Merchant() string {
	switch s {
	case Waiting, Confirming, Exchanging, Sending, Finished, Refunded:
		return string(s)
	case Verifying, Refunding:
		return string(Exchanging)
	default:
		return string(Failed)
	}
}
