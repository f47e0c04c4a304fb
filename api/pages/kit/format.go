package kit

import (
	"strconv"
	"time"
)

// Moment writes a time in UTC, with the date unless it is today's.
func (t Translator) Moment(at, now time.Time) string {
	at, now = at.UTC(), now.UTC()
	clock := at.Format("15:04 UTC")
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return clock
	}
	day := strconv.Itoa(at.Day())
	if day == "1" {
		day = t.Text("date.first")
	}
	return t.Text("date", day, t.month(int(at.Month())), at.Year(), clock)
}

// Span says in words how long left is, rounded to its largest unit: rounded
// down, so that nobody counts on time that is not there.
func (t Translator) Span(left time.Duration) string {
	switch {
	case left < time.Minute:
		return t.Text("span.moment")
	case left < 2*time.Hour:
		return t.Count("span.minutes", int(left/time.Minute))
	case left < 48*time.Hour:
		return t.Count("span.hours", int(left/time.Hour))
	default:
		return t.Count("span.days", int(left/(24*time.Hour)))
	}
}
