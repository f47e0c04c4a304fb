package swap

import (
	"time"

	"github.com/durapay/durapay/internal/money"
)

// Status is where a swap stands, in the words of the contract.
type Status string

// The statuses.
const (
	Waiting    Status = "waiting"
	Confirming Status = "confirming"
	Exchanging Status = "exchanging"
	Sending    Status = "sending"
	Finished   Status = "finished"
	Failed     Status = "failed"
	Refunded   Status = "refunded"
)

// Ended says whether a status is shown as an end.
func (s Status) Ended() bool { return s == Finished || s == Failed || s == Refunded }

// step is how far the way has been gone.
func (s Status) step() int {
	switch s {
	case Waiting, Confirming:
		return 0 // a block may be lost again
	case Exchanging:
		return 1
	case Sending:
		return 2
	default:
		return 3
	}
}

// Swap is what the rules see of a swap. Amounts are in whole coins.
type Swap struct {
	Status Status
	// Detail explains the status to the merchant; empty when there is nothing to
	// explain.
	Detail string
	// Word is the provider's last word for the state.
	Word string
	// AmountFrom and Expected were agreed on, DepositAddress was answered at
	// creation: they never change.
	AmountFrom, Expected money.Decimal
	DepositAddress       string
	// AmountTo is what the provider pays; zero until it says so.
	AmountTo money.Decimal
	// Transactions, as far as they are known.
	DepositTx, PayoutTx, RefundTx string
	// ExpiresAt is the end of the time to deposit.
	ExpiresAt time.Time
	// QuietSince is since when the provider, while it answers, says the same;
	// HeardAt is when it last answered.
	QuietSince, HeardAt time.Time
	// Closed says that nothing more is believed, and that nobody asks.
	Closed bool
}

// Shows says whether a merchant sees the same in both.
func (s Swap) Shows(o Swap) bool {
	return s.Status == o.Status && s.Detail == o.Detail && s.AmountTo.Cmp(o.AmountTo) == 0 &&
		s.DepositTx == o.DepositTx && s.PayoutTx == o.PayoutTx && s.RefundTx == o.RefundTx
}
