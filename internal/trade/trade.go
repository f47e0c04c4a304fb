package trade

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/wire"
)

// Status is the state of a trade.
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

// Statuses returns all states.
func Statuses() []Status {
	return []Status{AwaitingDeposit, DepositDetected, Confirming, Processing, Sending, Completed, Refunded, Failed, Expired, Hold}
}

// Ended reports whether the status is final, unless a late deposit arrives or an
// operator retries a failed payment.
func (s Status) Ended() bool {
	switch s {
	case Completed, Refunded, Failed, Expired, Hold:
		return true
	default:
		return false
	}
}

// Trade holds the data of a trade that decisions depend on.
type Trade struct {
	Status Status
	// Detail explains the status in a sentence; empty for the usual course of a
	// trade.
	Detail string
	Risk   provider.Risk
	// Rate is how much one unit of the deposit's coin pays. Min and Max bound a
	// deposit. All three were locked at creation.
	Rate, Min, Max money.Decimal
	// DecimalsTo is the number of decimals of the coin that is paid out.
	DecimalsTo int32
	// Confirmations is how many blocks deep a deposit must be.
	Confirmations int64
	// ExpiresAt is the time before which a deposit must be seen.
	ExpiresAt time.Time
	// Grace is how long after ExpiresAt the rate stays locked for a deposit that was
	// seen in time. The deposit must be in a block by the end of one Grace, see
	// ConfirmBy, and spendable by the end of two, see SpendableBy.
	Grace time.Duration
	// AtLockedRate is the part of a deposit that is paid at the locked rate: the
	// announced amount and a little more.
	AtLockedRate money.Decimal
	// Quoted is what the announced amount pays. This much is reserved for a trade
	// that waits for its deposit.
	Quoted money.Decimal
	// Reserved is the inventory that is reserved for the payout.
	Reserved money.Decimal
	// Received is the amount of the deposit that the status follows.
	Received money.Decimal
	// Counted is the deposit that was settled as this trade's; 0 before.
	Counted int64
	// Payout is the amount that Counted pays; 0 when Counted is sent back.
	Payout money.Decimal
}

// Deposit is an amount that one transaction paid to the trade's address.
type Deposit struct {
	ID          int64
	Amount      money.Decimal
	FirstSeenAt time.Time
	// Confirmations is 0 while the deposit is in the pool.
	Confirmations int64
	// MinedAt is when the deposit was first seen in a block; zero if it never was.
	MinedAt time.Time
	// Locked reports whether the deposit cannot be spent yet, however deep it is.
	Locked bool
	// Missing reports whether the chain no longer has the deposit.
	Missing bool
	// Blocked reports whether the deposit comes from an address on a sanctions list,
	// or from one that cannot be determined.
	Blocked bool
	// Unscreened reports whether the deposit's origin could not be read yet. Such a
	// deposit is neither swapped nor sent back. If it was mined in time, it is not
	// abandoned while it is unscreened.
	Unscreened bool
	// Abandoned reports whether the deposit was unconfirmed or locked for too long,
	// so that the trade no longer waits for it. It is sent back once it can be
	// spent.
	Abandoned bool
}

// Kind is the purpose of a transaction of the exchange.
type Kind string

// The kinds of transactions.
const (
	Payout Kind = "payout"
	Refund Kind = "refund"
)

// PaymentState is the state of a transaction of the exchange.
type PaymentState string

// The states of a transaction, in order. Failed can follow any state but
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
	// Amount is how much a payout pays for the deposit. It is not read for a refund.
	Amount money.Decimal
	// Reason explains why it failed.
	Reason string
}

// Facts is the data that a decision about a trade uses.
type Facts struct {
	// Deposits are in the order in which they were first seen.
	Deposits []Deposit
	Payments []Payment
	// CurrentRate is how much one unit of the deposit's coin pays now, without the
	// network fee; zero when there is no current price.
	CurrentRate money.Decimal
	// Free is the part of the inventory, in the coin that is paid out, that
	// neither this trade nor another has reserved.
	Free money.Decimal
	// Unsure reports whether the database may lack payments that were made: its
	// wallets are in safe mode, or were not compared with the witness. Nothing is
	// settled meanwhile, because another deposit may be the one that was answered.
	Unsure bool
	Now    time.Time
}

// Transition is one change of the status.
type Transition struct {
	From, To Status
}

// PlannedTransaction is a transaction to build, once.
type PlannedTransaction struct {
	Kind      Kind
	DepositID int64
	// Amount is the amount of a payout. A refund pays the deposit's amount less its
	// chain fee.
	Amount money.Decimal
}

// Outcome is the result of the facts.
type Outcome struct {
	Trade       Trade
	Transitions []Transition
	Planned     []PlannedTransaction
	// Abandoned lists the deposits that are abandoned now. They must have
	// Deposit.Abandoned set from now on.
	Abandoned []int64
	// Unbacked reports whether the deposit that counts is no longer deep enough. No
	// transaction is sent for it until it is.
	Unbacked bool
	// Postponed reports whether a deposit waits for its answer until the facts are
	// sure.
	Postponed bool
}

// The name of the event and the headers of a status webhook.
const (
	EventName       = "swap.status_changed"
	EventHeader     = "X-SWAP-EVENT"
	SignatureHeader = "X-SWAP-SIGNATURE"
)

// Event is the body of a status webhook.
type Event struct {
	ID         string    `json:"id"          doc:"Trade"`
	Status     Status    `json:"status"      doc:"Status that the trade has now"`
	PrevStatus Status    `json:"prev_status" doc:"Status that it had before"`
	OccurredAt wire.Time `json:"occurred_at" doc:"When the status changed"`
}

// EventBody returns the exact body of every delivery of a transition.
func EventBody(tradeID string, change Transition, at time.Time) ([]byte, error) {
	body, err := json.Marshal(Event{ID: tradeID, Status: change.To, PrevStatus: change.From, OccurredAt: wire.TimeOf(at)})
	if err != nil {
		return nil, fmt.Errorf("event body: %w", err)
	}
	return body, nil
}
