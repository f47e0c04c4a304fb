// Package testclock holds the rules of test clocks: clocks of the sandbox whose time
// stands until their merchant moves it, as Stripe's.
package testclock

import (
	"errors"
	"fmt"
	"time"
)

// Status is where a clock stands, in Stripe's words.
type Status string

// The states of a clock.
const (
	// Ready: its time has come everywhere.
	Ready Status = "ready"
	// Advancing: what is bound to it is doing what was due meanwhile.
	Advancing Status = "advancing"
	// InternalFailure: what is bound to it did not answer. It can only be deleted.
	InternalFailure Status = "internal_failure"
)

const (
	// Life is how long a clock is kept, in real time, as at Stripe.
	Life = 30 * 24 * time.Hour
	// MaxAdvance is how far one advance goes at most. Nothing that is bound waits
	// longer than a day or two, so that a month skips whatever there is to skip.
	MaxAdvance = 31 * 24 * time.Hour
	// MaxOfMerchant is how many clocks a merchant has at most.
	MaxOfMerchant = 100
	// MaxName is the longest name of a clock, in bytes.
	MaxName = 300
)

// The times that a clock can show: the contract writes years with four digits, and
// what is bound counts on from there.
var (
	First = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // a constant that Go cannot spell
	Last  = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // a constant that Go cannot spell
)

// CheckTime refuses times that no clock shows; the error is for clients.
func CheckTime(t time.Time) error {
	if t.Before(First) || t.After(Last) {
		return fmt.Errorf("frozen_time must be between %d and %d", First.Unix(), Last.Unix())
	}
	return nil
}

// MayAdvance refuses an advance from a time to another; the error is for clients.
func MayAdvance(status Status, from, to time.Time) error {
	switch {
	case status == Advancing:
		return errors.New("the test clock is still advancing; wait until its status is ready")
	case status != Ready:
		return errors.New("the test clock could not be advanced before; it can only be deleted")
	case !to.After(from):
		return fmt.Errorf("frozen_time must be later than the time of the test clock, which is %d", from.Unix())
	case to.Sub(from) > MaxAdvance:
		return fmt.Errorf("a test clock is advanced by %d days at most: frozen_time must not be later than %d", int(MaxAdvance.Hours()/24), from.Add(MaxAdvance).Unix())
	default:
		return CheckTime(to)
	}
}
