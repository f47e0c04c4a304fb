package trade

import (
	"time"

	"github.com/durapay/durapay/internal/money"
)

// Status is where a trade stands.
type Status string

// The states of a trade.
const (
	AwaitingDeposit Status = "awaiting_deposit"
	DepositDetected Status = "deposit_detected"
	Confirming      Status = "confirming"
	Processing      Status = "processing"
	Sending         Status = "sending"
	Completed       Status = "completed"
	Refunded        Status = "refunded"
	Failed          Status = "failed"
	Expired         Status = "expired"
	Hold            Status = "hold"
)

// Ended says that only another deposit brings the trade to life again.
func (s Status) Ended() bool {
	switch s {
	case Completed, Refunded, Failed, Expired, Hold:
		return true
	default:
		return false
	}
}

// Risk is the level that a route is labelled with.
type Risk string

// The risk levels; the exchange's own fills are Precheck.
const (
	Auto       Risk = "auto"
	Flexible   Risk = "flexible"
	Precheck   Risk = "precheck"
	Controlled Risk = "controlled"
)

// Trade is what the decisions about a trade go by.
type Trade struct {
	Status Status
	// Detail says in a sentence why the trade stands where it does; empty on
	// the way that most trades take.
	Detail string
	Risk   Risk
	// Rate is what one unit of the deposit's coin pays, Min and Max what a
	// deposit may be: all three were locked at creation.
	Rate, Min, Max money.Decimal
	// DecimalsTo is the number of decimals of the coin that is paid out.
	DecimalsTo int32
	// Confirmations is how deep a deposit must lie, in blocks.
	Confirmations int64
	// ExpiresAt is until when a deposit must be seen.
	ExpiresAt time.Time
	// Grace is for how long after ExpiresAt the rate stays locked for a
	// deposit that was seen in time. Within it the deposit must be in a block,
	// see ConfirmBy. Within twice as long it must be spendable, see
	// SpendableBy.
	Grace time.Duration
	// AtLockedRate is how much of a deposit is paid at the locked rate: what was
	// announced, and a little more.
	AtLockedRate money.Decimal
	// Quoted is what the announced amount pays. So much is reserved for a
	// trade that waits for its deposit.
	Quoted money.Decimal
	// Reserved is the inventory that is reserved for the payout.
	Reserved money.Decimal
	// Received is the amount of the deposit that the status follows.
	Received money.Decimal
	// Counted is the deposit that is settled as this trade's; 0 before.
	Counted int64
	// Payout is what Counted pays; 0 when it is sent back.
	Payout money.Decimal
}

// Deposit is money that came to the trade's address in one transaction.
type Deposit struct {
	ID          int64
	Amount      money.Decimal
	FirstSeenAt time.Time
	// Confirmations is 0 while it is in the pool.
	Confirmations int64
	// MinedAt is when it was first seen in a block; zero when it never was.
	MinedAt time.Time
	// Locked says that it cannot be spent yet, however deep it lies.
	Locked bool
	// Missing says that the chain does not have it any more.
	Missing bool
	// Blocked says that it comes from an address on a sanctions list, or that nobody
	// can tell.
	Blocked bool
	// Unscreened says that nobody could read yet where the deposit comes from.
	// Such a deposit is neither swapped nor sent back. It is not given up for
	// want of time either.
	Unscreened bool
	// Abandoned says that the deposit was unconfirmed or locked for too long,
	// and that nobody waits for it any more. It is sent back once it can be
	// spent.
	Abandoned bool
}

// Kind is what a transaction of the exchange is for.
type Kind string

// The kinds of transactions.
const (
	Payout Kind = "payout"
	Refund Kind = "refund"
)

// PaymentState is where a transaction of the exchange stands.
type PaymentState string

// The states of a transaction, in order; Failed ends it from any but
// confirmed.
const (
	Planned          PaymentState = "planned"
	Building         PaymentState = "building"
	Built            PaymentState = "built"
	Sent             PaymentState = "sent"
	PaymentConfirmed PaymentState = "confirmed"
	PaymentFailed    PaymentState = "failed"
)

// Payment is a transaction that answers a deposit.
type Payment struct {
	Kind      Kind
	DepositID int64
	State     PaymentState
	// Amount is what a payout pays for the deposit; of a refund it is not read.
	Amount money.Decimal
	// Reason tells why it failed.
	Reason string
}

// Facts are what is known when a trade is looked at.
type Facts struct {
	// Deposits are in the order in which they were first seen.
	Deposits []Deposit
	Payments []Payment
	// CurrentRate is what one unit of the deposit's coin pays now, without the
	// network fee; zero when there is no current price.
	CurrentRate money.Decimal
	// Free is the part of the inventory, in the coin that is paid out, that
	// neither this trade nor another has reserved.
	Free money.Decimal
	// Unsure says that the database may not know every payment that was made: its
	// wallets are in safe mode, or were not compared with the witness. Nothing is
	// settled meanwhile, since another deposit may be the one that is answered.
	Unsure bool
	Now    time.Time
}

// Transition is one change of the status.
type Transition struct {
	From, To Status
}

// PlannedTransaction is a transaction that is to be built, once.
type PlannedTransaction struct {
	Kind      Kind
	DepositID int64
	// Amount is what a payout pays; a refund pays the deposit's amount less
	// its chain fee.
	Amount money.Decimal
}

// Outcome is what follows from the facts.
type Outcome struct {
	Trade       Trade
	Transitions []Transition
	Planned     []PlannedTransaction
	// Abandoned are the deposits that are given up now: they must count as
	// Deposit.Abandoned from now on.
	Abandoned []int64
	// Unbacked says that the deposit that counts has left its depth. Nothing
	// more is sent for it until it lies as deep as it must.
	Unbacked bool
	// Postponed says that a deposit is answered only once the facts are sure.
	Postponed bool
}
