package kit

import (
	"strconv"
	"time"
)

// Moment returns a time in UTC, with the date unless it is today.
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

// Span returns the remaining time in words in its largest unit. It rounds down, so that no
// reader counts on more time than there is.
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
