package payout

import "time"

// HeldUntil is the moment until which sweeps wait, or nil when they do not
// wait at now. until is what the account's row says; nil where nothing was
// held.
func HeldUntil(until *time.Time, now time.Time) *time.Time {
	if until == nil || !now.Before(*until) {
		return nil
	}
	return until
}
