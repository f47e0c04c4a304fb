package rates

import (
	"slices"
	"sync"
	"time"

	"github.com/durapay/durapay/internal/money"
)

// history stores recent prices. A process that has just started only knows the
// prices since then. It is safe for concurrent use.
type history struct {
	window time.Duration

	mu      sync.Mutex
	samples map[string][]sample
}

type sample struct {
	at  time.Time
	mid money.Decimal
}

// add stores a price and drops those that are older than the window.
func (h *history) add(ticker string, s sample) {
	h.mu.Lock()
	defer h.mu.Unlock()
	kept := slices.DeleteFunc(h.samples[ticker], func(old sample) bool { return s.at.Sub(old.at) > h.window })
	h.samples[ticker] = append(kept, s)
}

// volatilityBP returns the distance between the prices of the window, including
// the current one, in basis points, rounded up.
func (h *history) volatilityBP(ticker string, now sample) int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	low, high := now.mid, now.mid
	for _, s := range h.samples[ticker] {
		if now.at.Sub(s.at) > h.window {
			continue
		}
		if s.mid.Cmp(low) < 0 {
			low = s.mid
		}
		if s.mid.Cmp(high) > 0 {
			high = s.mid
		}
	}
	return apartBP(low, high)
}
