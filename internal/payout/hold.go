package payout

import "time"

// HeldUntil returns the moment until which sweeps wait, or nil if they do not
// wait at now. until is the value in the account's row; nil if nothing was
// held.
func HeldUntil(until *time.Time, now time.Time) *time.Time {
	if until == nil || !now.Before(*until) {
		return nil
	}
	return until
}
