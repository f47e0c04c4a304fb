package ratelimit

import (
	"crypto/sha256"
	"sync"
	"time"
)

// refusedMost is how many clients are remembered as refused, at most.
const refusedMost = 10_000

// refused remembers until when the database would refuse clients for certain, so
// that their requests until then cost no statement. When it is full it forgets all
// clients, and Limiter asks the database for each of them.
type refused struct {
	mu    sync.Mutex
	until map[[sha256.Size]byte]time.Time
}

func (r *refused) has(key [sha256.Size]byte, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return now.Before(r.until[key])
}

func (r *refused) remember(key [sha256.Size]byte, until time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.until == nil || len(r.until) >= refusedMost {
		r.until = map[[sha256.Size]byte]time.Time{}
	}
	r.until[key] = until
}

// placeAt returns when a place is free again in the window that began at start, or
// the window's end. The requests of the window before (last) weigh less and less.
// Those of this window (now) stay, and more can only be added, so no place is free
// any earlier. The result is a moment early, because the database rounds.
func placeAt(start time.Time, per time.Duration, most, now, last int) time.Time {
	const moment = time.Millisecond
	end := start.Add(per)
	room := float64(most-1-now) + 0.5 // the weight that remains for the last window, as it is rounded
	if room < 0 || last == 0 {
		return end
	}
	share := room / float64(last)
	return start.Add(time.Duration((1-share)*float64(per)) - moment)
}
