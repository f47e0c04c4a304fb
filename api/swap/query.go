package swap

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/internal/money"
)

// maxText is the maximum length of a free text parameter, in bytes.
const maxText = 2000

// query is the decoded query string of a request. Parameters are read from it and not by Huma,
// so that this package words the errors.
type query struct {
	values url.Values
	err    error
	// key is the idempotency key; keys is the number of keys in the request.
	key  string
	keys int
	// head is set for a HEAD request, whose answer has only headers.
	head bool
	// aggregator is set for a request in the aggregators' dialect, which has other words.
	aggregator bool
}

func (q *query) either(own, aggregator string) string {
	if q.aggregator {
		return aggregator
	}
	return own
}

// Resolve stores the query; it never fails.
func (q *query) Resolve(ctx huma.Context) []error {
	u := ctx.URL()
	q.values, q.err = url.ParseQuery(u.RawQuery)
	ctx.EachHeader(func(name, value string) {
		if name == "Idempotency-Key" { // the server has converted names to this form
			q.key, q.keys = value, q.keys+1
		}
	})
	q.head = ctx.Method() == http.MethodHead
	return nil
}

// text returns a parameter's value; empty if it is missing.
func (q *query) text(name string) (string, error) {
	if q.err != nil {
		return "", badParameter("query", "is not a well-formed query string")
	}
	if len(q.values[name]) > 1 {
		return "", badParameter(name, "is given more than once")
	}
	value := q.values.Get(name)
	if !utf8.ValidString(value) || strings.ContainsRune(value, 0) || len(value) > maxText {
		return "", badParameter(name, q.either("must be UTF-8 text of at most 2000 bytes", "is malformed"))
	}
	return value, nil
}

// needed returns a parameter that must not be empty.
func (q *query) needed(name string) (string, error) {
	value, err := q.text(name)
	if err == nil && value == "" {
		err = badParameter(name, "is required")
	}
	return value, err
}

// optional returns a parameter's value, or nil.
func (q *query) optional(name string) (*string, error) {
	value, err := q.text(name)
	if err != nil || value == "" {
		return nil, err
	}
	return &value, nil
}

// boolean reads a parameter that is true, True, false, False or missing.
func (q *query) boolean(name string) (bool, error) {
	value, err := q.text(name)
	if err != nil {
		return false, err
	}
	is, ok := ParseBoolean(value)
	if !ok {
		return false, badParameter(name, "must be True or False")
	}
	return is, nil
}

// amount reads a positive decimal number.
func (q *query) amount(name string) (money.Decimal, error) {
	value, err := q.needed(name)
	if err != nil {
		return money.Decimal{}, err
	}
	amount, err := money.ParseDecimal(value)
	if err != nil || amount.Sign() <= 0 {
		return money.Decimal{}, badParameter(name, q.either("must be a positive decimal number", "must be a positive number"))
	}
	return amount, nil
}

// markup reads the markup in basis points, within the caller's cap.
func (q *query) markup(c Caller) (int64, error) {
	value, err := q.text("markup")
	if err != nil || value == "" {
		return 0, err
	}
	n, err := strconv.ParseUint(value, 10, 31)
	if err != nil {
		return 0, badParameter("markup", "must be a whole number of basis points")
	}
	if int64(n) > c.MarkupCap {
		return 0, badParameter("markup", "is above the cap of "+strconv.FormatInt(c.MarkupCap, 10)+" basis points")
	}
	return int64(n), nil
}

// memoOf returns a parameter's value. It returns nil for the words that clients use for no memo.
func (q *query) memoOf(name string) (*string, error) {
	value, err := q.text(name)
	if err != nil || value == "" || value == "0" || value == "None" {
		return nil, err
	}
	return &value, nil
}

// cappedMarkup returns the markup in basis points. Wallets send the same markup to every exchange,
// so a value above the cap is reduced to it, and a fraction is cut off.
func (q *query) cappedMarkup(most int64) (int64, error) {
	value, err := q.text("markup")
	if err != nil || value == "" {
		return 0, err
	}
	markup, err := money.ParseDecimal(value)
	if err != nil || markup.Sign() < 0 {
		return 0, wrong("markup must be a number")
	}
	if markup.Cmp(money.DecimalFromInt(most)) > 0 {
		return most, nil
	}
	return markup.ScaleInt(1), nil
}
