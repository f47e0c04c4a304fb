package webhook

import "time"

// Policy says when an attempt that failed is made again. A pause counts from
// the end of the failed attempt.
type Policy struct {
	// First is the first pause. Each is twice as long as the one before, up to
	// Longest.
	First, Longest time.Duration
	// Attempts is how many there are in a round; 0 for as many as fit.
	Attempts int
	// Within is the time from the beginning of a round in which its last attempt
	// begins; 0 for any time.
	Within time.Duration
}

// PolicyOf is the policy of a receiver, as its contract has it.
func PolicyOf(to Receiver) Policy {
	if to == Partner {
		return Policy{First: 10 * time.Second, Longest: time.Hour, Within: 24 * time.Hour}
	}
	return Policy{First: 5 * time.Second, Longest: 10 * time.Second, Attempts: 3}
}

// Next is when the attempt after number n (from 1) of a round is due. The round
// began at begun, the attempt failed at ended. It is false when n was the last.
func (p Policy) Next(begun, ended time.Time, n int) (time.Time, bool) {
	if p.Attempts > 0 && n >= p.Attempts {
		return time.Time{}, false
	}
	pause := p.First
	for i := 1; i < n && pause < p.Longest; i++ {
		pause *= 2
	}
	next := ended.Add(min(pause, p.Longest))
	return next, p.Within == 0 || next.Before(begun.Add(p.Within))
}
