package swap

import "time"

// Pauses between two looks at a swap.
const (
	shortestPause = 10 * time.Second
	longestPause  = 10 * time.Minute
	latePause     = time.Hour
)

// Pause is how long to wait before a provider is asked again: a tenth of the
// time for which it has said the same, so that a swap which moves is looked at
// often and one that stands seldom.
func Pause(s Swap, now time.Time) time.Duration {
	longest := longestPause
	if s.Status == Failed {
		longest = latePause
	}
	return min(max(now.Sub(s.QuietSince)/10, shortestPause), longest)
}
