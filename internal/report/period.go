package report

import (
	"errors"
	"time"
)

// Kind is the length of a summary's period.
type Kind string

// The kinds of period.
const (
	Monthly   Kind = "monthly"
	Quarterly Kind = "quarterly"
	Annual    Kind = "annual"
)

// Years that a period may lie in.
const (
	MinYear = 1970
	MaxYear = 2999
)

// ErrPeriod is returned for a year, month or quarter that does not exist.
var ErrPeriod = errors.New("no such period")

// Span is the time from From up to, and without, To.
type Span struct{ From, To time.Time }

// Period is a month, a quarter or a year of the calendar in UTC. Month (1 to
// 12) counts for Monthly only, Quarter (1 to 4) for Quarterly only.
type Period struct {
	Kind                 Kind
	Year, Month, Quarter int
}

// Current is the period of that kind in which a moment lies; the fields that
// do not count for the kind are set too.
func Current(kind Kind, now time.Time) Period {
	now = now.UTC()
	return Period{Kind: kind, Year: now.Year(), Month: int(now.Month()), Quarter: (int(now.Month())-1)/3 + 1}
}

// Span is the time that the period covers; ErrPeriod when there is none.
func (p Period) Span() (Span, error) {
	first, months := 1, 12
	switch p.Kind {
	case Monthly:
		first, months = p.Month, 1
	case Quarterly:
		first, months = 3*p.Quarter-2, 3
	case Annual:
	default:
		return Span{}, ErrPeriod
	}
	if p.Year < MinYear || p.Year > MaxYear || first < 1 || first > 12 {
		return Span{}, ErrPeriod
	}
	from := time.Date(p.Year, time.Month(first), 1, 0, 0, 0, 0, time.UTC)
	return Span{From: from, To: from.AddDate(0, months, 0)}, nil
}
