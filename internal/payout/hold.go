package payout

import "time"

// HeldUntil is until when sweeps wait that are held until a moment; nil when they
// do not wait at now. until is nil where nothing was held.
func HeldUntil(until *time.Time, now time.Time) *time.Time {
	if until == nil || !now.Before(*until) {
		return nil
	}
	return until
}
