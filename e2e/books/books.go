// Package books compares the statements of the services with the chains and with
// the actions of customers. A disagreement is a fault. The package does not decide
// what a fault means: tests fail on one, and a trial of many kills counts them.
package books

import (
	"fmt"
	"maps"
	"slices"
)

// Kind is the kind of a fault, as it stands in a table of counts.
type Kind string

// The kinds of faults.
const (
	Missing          Kind = "promised charges gone"
	AddressTwice     Kind = "addresses given out twice"
	NotConfirmed     Kind = "paid but not confirmed"
	Received         Kind = "received beside the chain"
	PaidOut          Kind = "payouts beside the chain"
	EventMissing     Kind = "events missing"
	EventTwice       Kind = "events emitted twice"
	TradeUnpaid      Kind = "trades unpaid"
	TradePaidTwice   Kind = "trades paid twice"
	TradeBesideChain Kind = "trades beside the chain"
	RefundBeside     Kind = "refunds beside the chain"
	RunFailed        Kind = "runs that failed or timed out"
	Stranded         Kind = "rows without a next step"
	ToldLate         Kind = "news told after a minute"
)

// Kinds are all kinds, in the order of a table.
func Kinds() []Kind {
	return []Kind{
		Missing, AddressTwice, NotConfirmed, Received, PaidOut, EventMissing, EventTwice, TradeUnpaid, TradePaidTwice, TradeBesideChain,
		RefundBeside, RunFailed, Stranded, ToldLate,
	}
}

// Fault is one thing that does not agree.
type Fault struct {
	Kind Kind
	// Subject is the name of the charge, payout or trade.
	Subject string
	What    string
}

// String is for humans.
func (f Fault) String() string { return fmt.Sprintf("%s: %s: %s", f.Kind, f.Subject, f.What) }

// Events compares the names of the events that a resource has with those that
// it must have. Their order is not looked at.
func Events(subject string, want, got []string) []Fault {
	var faults []Fault
	counts := map[string]int{}
	for _, name := range want {
		counts[name]++
	}
	for _, name := range got {
		counts[name]--
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		switch {
		case counts[name] > 0:
			faults = append(faults, Fault{EventMissing, subject, name})
		case counts[name] < 0:
			faults = append(faults, Fault{EventTwice, subject, fmt.Sprintf("%s, %d too many", name, -counts[name])})
		}
	}
	return faults
}
