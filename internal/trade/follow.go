package trade

import (
	"slices"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
)

// Report is another provider's answer about the swap that fills a trade.
type Report struct {
	// Status is the provider's state as one of ours; empty if it cannot be mapped.
	Status Status
	// Final means that the provider will not change it any more.
	Final bool
	// Detail explains the status to the client.
	Detail string
	// Received is the amount of the deposit, as far as the provider reports it.
	Received money.Decimal
	// QuietSince is when the trade last changed.
	QuietSince time.Time
	Now        time.Time
}

// path returns the states of a successful swap, in order.
func path() []Status {
	return []Status{AwaitingDeposit, DepositDetected, Confirming, Processing, Sending, Completed}
}

// Follow returns the state of a trade that another provider fills, and the
// transitions that led there. It includes states of the path in which the
// provider was not seen.
//
// Once a deposit is being swapped, a trade does not go back. A trade whose
// provider has been quiet for too long is given up. An unpaid trade is polled
// for a while; provider.OrderOverdue says how long.
//
// closed means that the provider is not polled any more. Until then, running
// Follow again on its own result changes nothing.
func Follow(t Trade, r Report) (o Outcome, closed bool) {
	a := advance{Outcome: Outcome{Trade: t}}
	switch r.Status {
	case "":
	case AwaitingDeposit, Expired:
		a.noDeposit(r)
	default:
		a.forward(r)
	}
	quiet := !r.Final && len(a.Transitions) == 0 && provider.Quiet(r.QuietSince, r.Now)
	if quiet {
		a.giveUp()
	}
	t = a.Trade
	overdue := t.Status == Expired && provider.OrderOverdue(t.ExpiresAt, r.Now)
	return a.Outcome, r.Final || overdue || quiet
}

// giveUp ends a trade that its provider does not end. If a deposit was seen, a
// person must contact the provider.
func (a *advance) giveUp() {
	switch {
	case a.Trade.Status == AwaitingDeposit:
		a.to(Expired)
	case a.Trade.Status == Hold || !a.Trade.Status.Ended():
		a.fail("the provider did not bring the swap to an end")
	}
}

// noDeposit returns a trade to its start, or ends it there. A trade that had a
// deposit, held or not, fails when its provider lets it expire.
func (a *advance) noDeposit(r Report) {
	over := r.Status == Expired || !r.Now.Before(a.Trade.ExpiresAt)
	switch a.Trade.Status {
	case DepositDetected, Confirming:
		a.Trade.Received = money.Decimal{}
		a.to(AwaitingDeposit)
	case AwaitingDeposit, Expired:
	default:
		if r.Status == Expired && (a.Trade.Status == Hold || !a.Trade.Status.Ended()) {
			a.Trade.Detail = "the provider let the swap expire"
			a.to(Failed)
		}
		return
	}
	if over && a.to(Expired) {
		a.Trade.Detail = r.Detail
	}
}

// forward advances a trade that has a deposit.
func (a *advance) forward(r Report) {
	from, to := slices.Index(path(), a.Trade.Status), slices.Index(path(), r.Status)
	if r.Status == Refunded {
		to = slices.Index(path(), Processing)
	}
	settled := from >= slices.Index(path(), Processing)
	if settled && from > to && to >= 0 && r.Status != Refunded {
		return
	}
	if from >= 0 && to >= from {
		for _, next := range path()[from : to+1] {
			a.to(next)
		}
	}
	a.Trade.Detail = r.Detail
	if r.Status != Failed { // Failed does not imply a deposit
		a.Trade.Received = r.Received
	}
	a.to(r.Status)
}
