package aggregator

import (
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/durapay/durapay/api/exchangeapi"
	"github.com/durapay/durapay/internal/money"
)

// maxText is the maximum length of a parameter, in bytes.
const maxText = 2000

// query is the decoded query string of a request. Unknown parameters are ignored.
type query url.Values

func queryOf(r *http.Request) (query, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, wrong("the query string is malformed")
	}
	return query(values), nil
}

// text returns a parameter's value; empty if it is missing.
func (q query) text(name string) (string, error) {
	if len(q[name]) > 1 {
		return "", wrong(name + " is given more than once")
	}
	value := url.Values(q).Get(name)
	if !utf8.ValidString(value) || strings.ContainsRune(value, 0) || len(value) > maxText {
		return "", wrong(name + " is malformed")
	}
	return value, nil
}

// needed returns a parameter that must not be empty.
func (q query) needed(name string) (string, error) {
	value, err := q.text(name)
	if err == nil && value == "" {
		err = wrong(name + " is required")
	}
	return value, err
}

// boolean reads a parameter that is True, true, False, false or missing.
func (q query) boolean(name string) (bool, error) {
	value, err := q.text(name)
	if err != nil {
		return false, err
	}
	is, ok := exchangeapi.ParseBoolean(value)
	if !ok {
		return false, wrong(name + " must be True or False")
	}
	return is, nil
}

// memo returns a parameter's value. It returns nil for the words that clients use for no memo.
func (q query) memo(name string) (*string, error) {
	value, err := q.text(name)
	if err != nil || value == "" || value == "0" || value == "None" {
		return nil, err
	}
	return &value, nil
}

// amount reads a positive number with all of its digits, because clients print doubles.
func (q query) amount(name string) (money.Decimal, error) {
	value, err := q.needed(name)
	if err != nil {
		return money.Decimal{}, err
	}
	amount, err := money.ParseDecimal(value)
	if err != nil || amount.Sign() <= 0 {
		return money.Decimal{}, wrong(name + " must be a positive number")
	}
	return amount, nil
}

// markup returns the markup in basis points. Wallets send the same markup to every exchange,
// so a value above the cap is reduced to it, and a fraction is cut off.
func (q query) markup(most int64) (int64, error) {
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
