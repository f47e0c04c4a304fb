package merchant

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
)

// query is the decoded query string of a request. Parameters are read from it
// instead of by Huma, so that a refusal is worded here and an empty value is
// told from a missing one.
type query struct{ values url.Values }

// Resolve keeps the query; it never fails.
func (q *query) Resolve(ctx huma.Context) []error {
	u := ctx.URL()
	if u.RawQuery != "" {
		q.values = u.Query()
	}
	return nil
}

// text is a parameter's value; ok is false when it is missing.
func (q *query) text(name string) (value string, ok bool, err error) {
	if !q.values.Has(name) {
		return "", false, nil
	}
	value = q.values.Get(name)
	if !utf8.ValidString(value) {
		return "", false, badRequest("%s is not valid UTF-8", name)
	}
	return value, true, nil
}

// oneOf is a parameter's value out of a closed set, or the default.
func (q *query) oneOf(name string, allowed ...string) (string, error) {
	value, ok, err := q.text(name)
	if err != nil || !ok {
		return allowed[0], err
	}
	if slices.Contains(allowed, value) {
		return value, nil
	}
	return "", badRequest("%s must be one of: %s", name, strings.Join(allowed, ", "))
}

const defaultLimit = 50

// limit is the parameter limit: a whole number from 1; more than most is most.
func (q *query) limit(most int32) (int32, error) {
	value, ok, err := q.text("limit")
	if err != nil || !ok {
		return min(defaultLimit, most), err
	}
	digits := strings.TrimLeft(value, "0")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, badRequest("limit must be a whole number of at least 1")
	}
	var n int32
	for _, d := range digits {
		if n = n*10 + (d - '0'); n >= most {
			return most, nil
		}
	}
	return n, nil
}

func limitParam(most int) *huma.Param {
	lowest := 1.0
	return &huma.Param{
		Name: "limit", In: "query", Description: "How many to return; more than the maximum is the maximum.",
		Schema: &huma.Schema{Type: huma.TypeInteger, Minimum: &lowest, Default: min(defaultLimit, most), Description: "At most " + strconv.Itoa(most)},
	}
}

func choiceParam(name, text string, allowed ...string) *huma.Param {
	options := make([]any, len(allowed))
	for i, a := range allowed {
		options[i] = a
	}
	return &huma.Param{
		Name: name, In: "query", Description: text,
		Schema: &huma.Schema{Type: huma.TypeString, Enum: options, Default: allowed[0]},
	}
}
