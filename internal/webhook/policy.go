package webhook

import (
	"slices"
	"time"
)

// Policy is when a failed attempt is retried. A pause counts from the end of the
// failed attempt.
type Policy struct {
	// Pauses are those between the attempts of a round, in their order.
	Pauses []time.Duration
	// Within is set where the last pause repeats: the time from the beginning of a
	// round in which its last attempt begins.
	Within time.Duration
}

// Retries name how long a webhook's deliveries are tried.
type Retries string

// The policies of webhooks.
const (
	// Short is the contract's: three attempts within a quarter of a minute.
	Short Retries = "short"
	// Long retries for almost a day.
	Long Retries = "long"
	// AsBTCPay retries for an hour and 70 seconds, as BTCPay Server does with
	// automaticRedelivery.
	AsBTCPay Retries = "btcpay"
	// Once is one attempt: a webhook without automaticRedelivery.
	Once Retries = "once"
)

// PolicyOf is the policy of a webhook, a round of it; false for a name that is none.
func PolicyOf(r Retries) (Policy, bool) {
	switch r {
	case Short:
		return Policy{Pauses: []time.Duration{5 * time.Second, 10 * time.Second}}, true
	case Long:
		return Policy{Pauses: append(doubling(10*time.Second, time.Hour), slices.Repeat([]time.Duration{time.Hour}, 21)...)}, true
	case AsBTCPay:
		return Policy{Pauses: append([]time.Duration{10 * time.Second, time.Minute}, slices.Repeat([]time.Duration{10 * time.Minute}, 6)...)}, true
	case Once:
		return Policy{}, true
	}
	return Policy{}, false
}

// PolicyOfPartners is that of the contract for the statuses of trades.
func PolicyOfPartners() Policy {
	return Policy{Pauses: doubling(10*time.Second, time.Hour), Within: 24 * time.Hour}
}

// doubling are pauses of which each is twice as long as the one before, and the last
// is longest.
func doubling(first, longest time.Duration) (pauses []time.Duration) {
	for pause := first; pause < longest; pause *= 2 {
		pauses = append(pauses, pause)
	}
	return append(pauses, longest)
}

// Next is when the attempt after number n (from 1) of a round is due. The round
// began at begun, the attempt failed at ended. It is false when n was the last.
func (p Policy) Next(begun, ended time.Time, n int) (time.Time, bool) {
	if p.Within == 0 {
		if n > len(p.Pauses) {
			return time.Time{}, false
		}
		return ended.Add(p.Pauses[n-1]), true
	}
	next := ended.Add(p.Pauses[min(n, len(p.Pauses))-1])
	return next, next.Before(begun.Add(p.Within))
}
