package workflows

import "time"

// ClockAdvancedSignal says to a delivery that its test clock was moved or deleted. A
// charge is told by PaymentsSignal.
const ClockAdvancedSignal = "clock-advanced"

// clockRecheck is for how long a run waits for its test clock before it looks by
// itself: a clock that nobody deletes counts as deleted after 30 days.
const clockRecheck = 24 * time.Hour

// clockPause is how long a run waits for its test clock.
func clockPause(reached bool) time.Duration {
	if reached {
		return 0
	}
	return clockRecheck
}
