package testclocks

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/durapay/durapay/internal/testclock"
)

// params are what a client sends, in the form of a body or of a query.
type params url.Values

// check refuses names that are not known or come twice. What Stripe's clients may ask
// to be expanded is all there already.
func (p params) check(known ...string) error {
	for name, values := range p {
		switch {
		case name == "expand" || strings.HasPrefix(name, "expand["):
		case !slices.Contains(known, name):
			return invalid(name, "parameter_unknown", "Received unknown parameter: %s", name)
		case len(values) > 1:
			return invalid(name, "", "%s is given more than once", name)
		case !utf8.ValidString(values[0]) || strings.ContainsRune(values[0], 0):
			return invalid(name, "", "%s is not valid UTF-8", name)
		}
	}
	return nil
}

// text is a parameter, empty where it is not given.
func (p params) text(name string) string { return url.Values(p).Get(name) }

// time is a moment in whole seconds since 1970, which must be given.
func (p params) time(name string) (time.Time, error) {
	text := p.text(name)
	if text == "" {
		return time.Time{}, invalid(name, "parameter_missing", "Missing required param: %s.", name)
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, invalid(name, "parameter_invalid_integer", "Invalid integer: %s", text)
	}
	at := time.Unix(seconds, 0).UTC()
	if err := testclock.CheckTime(at); err != nil {
		return at, invalid(name, "", "%s", err.Error())
	}
	return at, nil
}

// The number of clocks in a list.
const (
	usualLimit = 10
	mostLimit  = 100
)

// limit is how many clocks a list is to have.
func (p params) limit() (int32, error) {
	text := p.text("limit")
	if text == "" {
		return usualLimit, nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, invalid("limit", "parameter_invalid_integer", "Invalid integer: %s", text)
	}
	if n < 1 || n > mostLimit {
		return 0, invalid("limit", "", "limit must be between 1 and %d", mostLimit)
	}
	return int32(n), nil
}
