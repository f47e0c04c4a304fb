package httpapi

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/wire"
)

// Query is the decoded query string of a request. Huma does not read the parameters, so that
// this package words the refusals and distinguishes an empty value from a missing one.
type Query struct {
	values     url.Values
	documented []*huma.Param
}

// Resolve stores the query. It never fails.
func (q *Query) Resolve(ctx huma.Context) []error {
	q.documented = ctx.Operation().Parameters
	u := ctx.URL()
	if u.RawQuery != "" {
		q.values = u.Query()
	}
	return nil
}

// Text returns a parameter's value; ok is false if it is missing.
func (q *Query) Text(name string) (value string, ok bool, err error) {
	if !q.values.Has(name) {
		return "", false, nil
	}
	value = q.values.Get(name)
	if !utf8.ValidString(value) {
		return "", false, BadRequest("%s is not valid UTF-8", name)
	}
	return value, true, nil
}

// HasAny reports whether at least one of the parameters is given.
func (q *Query) HasAny(names ...string) bool { return slices.ContainsFunc(names, q.values.Has) }

// choices returns the values that the document lists for a parameter.
func (q *Query) choices(name string) []string {
	var all []string
	for _, p := range q.documented {
		if p.Name == name {
			for _, value := range p.Schema.Enum {
				all = append(all, fmt.Sprint(value))
			}
		}
	}
	return all
}

// OneOf returns a parameter's value, which must be in allowed, or without that among those that
// the document lists. The first of them is the default.
func (q *Query) OneOf(name string, allowed ...string) (string, error) {
	if allowed == nil {
		allowed = q.choices(name)
	}
	value, ok, err := q.Text(name)
	if err != nil || !ok {
		return allowed[0], err
	}
	return OneOf(name, value, allowed)
}

// OneOf returns the value, or an error that lists what the field or parameter may be.
func OneOf(name, value string, allowed []string) (string, error) {
	if !slices.Contains(allowed, value) {
		return "", BadRequest("%s must be one of: %s", name, strings.Join(allowed, ", "))
	}
	return value, nil
}

// Moment returns a parameter's timestamp, or the default. A plus sign in an offset that was not
// escaped arrives as a space. Timestamps contain no spaces, so every space is read as a plus
// sign.
func (q *Query) Moment(name string, missing time.Time) (time.Time, error) {
	value, ok, err := q.Text(name)
	if err != nil || !ok {
		return missing, err
	}
	at, err := wire.ParseTime(strings.ReplaceAll(value, " ", "+"))
	if err != nil || at.Year() < 1 || at.Year() > 9999 {
		return time.Time{}, BadRequest("%s must be an ISO 8601 timestamp with an offset", name)
	}
	return at, nil
}

// Number returns a parameter's whole number from least to most, or the default.
func (q *Query) Number(name string, missing, least, most int) (int, error) {
	value, ok, err := q.Text(name)
	if err != nil || !ok {
		return missing, err
	}
	n, err := strconv.ParseUint(value, 10, 31)
	if err != nil || int(n) < least || int(n) > most {
		return 0, BadRequest("%s must be a whole number from %d to %d", name, least, most)
	}
	return int(n), nil
}

// Page returns the page of an operators' list that the parameters cursor and limit ask for.
func (q *Query) Page() (operator.Page, error) {
	limit, err := q.Limit(operator.MaxRows)
	if err != nil {
		return operator.Page{}, err
	}
	value, ok, err := q.Text("cursor")
	if err != nil || !ok {
		return operator.Page{Limit: limit}, err
	}
	cursor, err := strconv.ParseInt(value, 10, 64)
	if err != nil || cursor < 1 {
		return operator.Page{}, BadRequest("cursor must be the next_cursor of a page")
	}
	return operator.Page{Cursor: cursor, Limit: limit}, nil
}

// TimePage returns the page of an operators' list without numbers that the parameters cursor
// and limit ask for.
func (q *Query) TimePage() (operator.TimePage, error) {
	limit, err := q.Limit(operator.MaxRows)
	if err != nil {
		return operator.TimePage{}, err
	}
	cursor, ok, err := q.Single("cursor")
	if err == nil && ok && cursor == "" {
		err = BadRequest("cursor must be the next_cursor of a page")
	}
	return operator.TimePage{Cursor: cursor, Limit: limit}, err
}

// Resolved reports whether the parameter status asks for resolved items.
func (q *Query) Resolved() (bool, error) {
	status, err := q.OneOf("status", "open", "resolved")
	return status == "resolved", err
}

const defaultLimit = 50

// Limit returns the parameter limit: a whole number from 1. It returns most for a larger number.
func (q *Query) Limit(most int32) (int32, error) {
	value, ok, err := q.Text("limit")
	if err != nil || !ok {
		return min(defaultLimit, most), err
	}
	digits := strings.TrimLeft(value, "0")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, BadRequest("limit must be a whole number of at least 1")
	}
	var n int32
	for _, d := range digits {
		if n = n*10 + (d - '0'); n >= most {
			return most, nil
		}
	}
	return n, nil
}

// Single returns a parameter's value, with which the database can compare. It refuses a parameter
// that is given twice, because it is unclear which value is meant, and U+0000, which the database
// cannot hold (400).
func (q *Query) Single(name string) (value string, ok bool, err error) {
	if len(q.values[name]) > 1 {
		return "", false, BadRequest("%s is given more than once", name)
	}
	if value, ok, err = q.Text(name); strings.ContainsRune(value, 0) {
		return "", false, BadRequest("%s holds the character U+0000", name)
	}
	return value, ok, err
}

// All returns all values of a parameter.
func (q *Query) All(name string) ([]string, error) {
	for _, value := range q.values[name] {
		if !utf8.ValidString(value) {
			return nil, BadRequest("%s is not valid UTF-8", name)
		}
	}
	return slices.Clone(q.values[name]), nil
}

// Amount returns the parameter's number, or the default.
func (q *Query) Amount(name string, missing money.Decimal) (money.Decimal, error) {
	value, ok, err := q.Single(name)
	if err != nil || !ok {
		return missing, err
	}
	amount, err := money.ParseDecimal(value)
	if err != nil {
		return money.Decimal{}, BadRequest("%s must be a number", name)
	}
	return amount, nil
}

// PlainID reports whether an identifier from a path has the form that all of them have: its
// prefix, then 1 to 64 lowercase letters and digits.
func PlainID(id, prefix string) bool {
	rest, ok := strings.CutPrefix(id, prefix)
	return ok && rest != "" && len(rest) <= 64 && strings.Trim(rest, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}

// FailuresFor is how long a failed delivery needs attention.
const FailuresFor = 7 * 24 * time.Hour

// Attention returns the value of the parameter attention, which filters a list to the items that
// the overview counts; empty if it is not given.
func (q *Query) Attention() (string, error) {
	kind, given, err := q.Single("attention")
	if err != nil || !given {
		return "", err
	}
	return OneOf("attention", kind, q.choices("attention"))
}
