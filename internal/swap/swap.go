package swap

import (
	"strings"
	"time"

	"github.com/durapay/durapay/internal/money"
)

// Status is the state of a swap, in the words of the contract.
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

// Ended reports whether a status is shown as an end.
func (s Status) Ended() bool { return s == Finished || s == Failed || s == Refunded }

// step returns how far a swap with this status has come.
func (s Status) step() int {
	switch s {
	case Waiting, Confirming:
		return 0 // a reorg may drop the block
	case Exchanging:
		return 1
	case Sending:
		return 2
	default:
		return 3
	}
}

// Swap holds the data of a swap that the rules use. Amounts are in whole coins.
type Swap struct {
	Status Status
	// Detail explains the status to the merchant; empty without an explanation.
	Detail string
	// Word is the provider's own name for the last state that it reported.
	Word string
	// AmountFrom and Expected were agreed, and DepositAddress was set, at creation.
	// They never change.
	AmountFrom, Expected money.Decimal
	DepositAddress       string
	// AmountTo is the amount that the provider pays; zero until it reports it.
	AmountTo money.Decimal
	// Transactions, as far as they are known.
	DepositTx, PayoutTx, RefundTx string
	// ExpiresAt is the end of the time to deposit.
	ExpiresAt time.Time
	// QuietSince is the time since which the provider, while it answers, has
	// reported the same. AnsweredAt is the time of its last answer.
	QuietSince, AnsweredAt time.Time
	// Closed means that later reports are ignored and that the provider is not
	// polled.
	Closed bool
}

// Shows reports whether a merchant sees the same in both.
func (s Swap) Shows(o Swap) bool {
	return s.Status == o.Status && s.Detail == o.Detail && s.AmountTo.Cmp(o.AmountTo) == 0 &&
		s.DepositTx == o.DepositTx && s.PayoutTx == o.PayoutTx && s.RefundTx == o.RefundTx
}

// Bounds of the pause between two polls of a swap.
const (
	shortestPause = 10 * time.Second
	longestPause  = 10 * time.Minute
	latePause     = time.Hour
)

// Pause returns how long to wait before the next poll of a provider: a tenth of
// the time for which it has reported the same state. So a swap that moves is
// polled often, and one that stands still rarely.
func Pause(s Swap, now time.Time) time.Duration {
	longest := longestPause
	if s.Status == Failed {
		longest = latePause
	}
	return min(max(now.Sub(s.QuietSince)/10, shortestPause), longest)
}

// NotSent is the detail of a swap that failed with its payout. Merchants read it.
const NotSent = "the payout that was to pay the swap was not sent"

// OfPayout returns the ID of the swap that a payout pays. A payout has at most one.
func OfPayout(payoutID string) string { return "swp_" + strings.TrimPrefix(payoutID, "po_") }
