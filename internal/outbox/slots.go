package outbox

import "sync"

// slots share the sends of a process between owners. The wakeups of an owner's new rows may
// not have more slots than remain free for those of others. So an owner who makes many rows
// delays no other, even if Temporal answers slowly. Other wakeups are not counted.
type slots struct {
	size int

	mu sync.Mutex
	// held is the number of slots that each owner has, and taken is their sum.
	held  map[string]int
	taken int
}

func newSlots(size int) *slots { return &slots{size: size, held: map[string]int{}} }

// take reports whether a wakeup may be sent now. If so, release must follow.
func (s *slots) take(w Wakeup) bool {
	if !IsNew(w) {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[w.Owner] >= s.size-s.taken {
		return false
	}
	s.held[w.Owner]++
	s.taken++
	return true
}

func (s *slots) release(w Wakeup) {
	if !IsNew(w) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken--
	if s.held[w.Owner]--; s.held[w.Owner] == 0 {
		delete(s.held, w.Owner)
	}
}
