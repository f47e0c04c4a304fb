package swap

import "time"

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
