package pages

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/money"
)

// fiat is an amount with its currency: 25.00 USD. Amounts in XMR keep their digits.
func fiat(amount money.Decimal, currency money.Currency) string {
	if currency == money.XMR {
		return amount.String() + unitXMR
	}
	return amount.Fixed(2) + "\u00a0" + string(currency)
}

// unitXMR is the unit after a space that does not break.
const unitXMR = "\u00a0XMR"

// whole is an amount of Monero with its unit, digit for digit.
func whole(amount money.Piconero) string { return amount.String() + unitXMR }

// moment writes a time in UTC, with the date unless it is today's.
func (t translator) moment(at, now time.Time) string {
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

// span says in words how long left is, rounded to its largest unit: rounded
// down, so that nobody counts on time that is not there.
func (t translator) span(left time.Duration) string {
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

// webLink returns raw if it is an absolute http or https URL, else nothing.
func webLink(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.User != nil {
		return ""
	}
	if scheme := strings.ToLower(u.Scheme); scheme != "http" && scheme != "https" {
		return ""
	}
	return u.String()
}
