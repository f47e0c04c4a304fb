package deliveries

import (
	"context"
	"math/rand/v2"
	"net/url"
	"strings"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
)

// Slots shares the attempts of a worker between receivers, so that receivers that hang do
// not delay other deliveries. A receiver may not have more running attempts than there
// are free slots: one alone may fill half of them, three a quarter each, and some stay
// free however many receivers there are. Owners (merchants or partners) and hosts are
// counted alike, because one receiver may serve many accounts and one account may have
// many receivers. A merchant may name another's host, so a host that has its share still gets the first
// attempt of each owner, as long as more than a quarter of the slots is free. Attempts
// through Tor, which may take three times as long, share a smaller number in the same way.
//
// Temporal's fairness keys do not do this: they order the tasks that wait for a slot, and
// take no slot from a running task.
type Slots struct {
	mu sync.Mutex
	// all and tor are the slots that are shared, and those that are taken.
	all, tor share
}

// share is a number of slots and their holders.
type share struct {
	size, taken int
	by          map[string]int
}

// torPart is the divisor for the part of all slots that attempts through Tor may take.
const torPart = 4

// NewSlots shares size attempts, at least torPart.
func NewSlots(size int) *Slots {
	return &Slots{
		all: share{size: size, by: map[string]int{}},
		tor: share{size: max(size/torPart, 1), by: map[string]int{}},
	}
}

// firstPart is the divisor for the part of the slots that first attempts of owners to a host
// that has its share leave free.
const firstPart = 4

// hasFor reports whether an owner may have one more attempt at a host.
func (s *share) hasFor(owner, host string) bool {
	free := s.size - s.taken
	return s.by[owner] < free && (s.by[host] < free || s.by[owner] == 0 && free > s.size/firstPart)
}

func (s *share) add(n int, names ...string) {
	s.taken += n
	for _, name := range names {
		if s.by[name] += n; s.by[name] == 0 {
			delete(s.by, name)
		}
	}
}

// Take takes a slot for an attempt to deliver owner's event to a URL. It returns false if
// the owner or the host has its share. If s is nil, there is always a slot. release frees
// the slot and must be called once.
func (s *Slots) Take(owner, target string, tor bool) (release func(), ok bool) {
	if s == nil {
		return func() {}, true
	}
	owner, host := "owner "+owner, "host "+hostOf(target)
	shares := []*share{&s.all}
	if tor {
		shares = append(shares, &s.tor)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, from := range shares {
		if !from.hasFor(owner, host) {
			return nil, false
		}
	}
	for _, from := range shares {
		from.add(1, owner, host)
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, from := range shares {
			from.add(-1, owner, host)
		}
	}, true
}

// Taken returns how many slots are taken, and how many of them by Tor.
func (s *Slots) Taken() (all, tor int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.taken, s.tor.taken
}

// hostOf returns the host of a URL as receivers are counted: any spelling, any port.
func hostOf(target string) string {
	u, err := url.Parse(target)
	if err != nil {
		return ""
	}
	return strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
}

// BusyType is the type of the error of an attempt that found no slot.
const BusyType = "receiver_busy"

// busyPause and busyLongest bound the pause after an attempt found no slot, so that many
// attempts to hanging receivers do not keep Temporal busy.
const (
	busyPause   = 4 * time.Second
	busyLongest = 2 * time.Minute
)

// errBusy makes Temporal repeat the same attempt after a pause that doubles each time it
// finds no slot. Nothing was sent, so nothing is recorded, and the attempt is not used
// up.
func errBusy(ctx context.Context) error {
	times := int32(1)
	if activity.IsActivity(ctx) {
		times = activity.GetInfo(ctx).Attempt
	}
	longest := min(busyPause<<min(times-1, 10), busyLongest)
	return temporal.NewApplicationErrorWithOptions("the receiver has its share of the attempts under way", BusyType,
		temporal.ApplicationErrorOptions{
			NextRetryDelay: longest/2 + rand.N(longest/2), //nolint:gosec // a pause is no secret
			Category:       temporal.ApplicationErrorCategoryBenign,
		})
}
