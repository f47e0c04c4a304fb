package aggregator

import (
	"net/http"
	"regexp"
	"strings"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/upstream"
)

// sentence returns the aggregator's error sentence in lower case. It is empty if
// the answer is not in the aggregator's format.
func sentence(answer upstream.Answer) string {
	var body struct {
		Error string `json:"error"`
	}
	if answer.Decode(&body) != nil {
		return ""
	}
	return strings.ToLower(body.Error)
}

// refusal interprets the sentence of a refusal, because the dialect has no codes.
// It returns other for a sentence that it does not recognize, and nil if there is
// no sentence.
func refusal(answer upstream.Answer, amount money.Decimal, other error) error {
	says := sentence(answer)
	switch {
	case says == "":
		return nil
	case containsAny(says, "minimum", "below", "too low", "too small", "at least"):
		return limit(provider.ErrBelowMin, says, func(bound money.Decimal) bool { return bound.Cmp(amount) > 0 })
	case containsAny(says, "maximum", "above", "too high", "too large", "at most"):
		return limit(provider.ErrAboveMax, says, func(bound money.Decimal) bool { return bound.Cmp(amount) < 0 })
	case answer.Status == http.StatusNotFound, containsAny(says, "pair", "coin not found", "not supported"):
		return provider.ErrPairUnsupported
	}
	return other
}

func containsAny(text string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// limit returns a LimitError. It contains a bound if exactly one number in the
// sentence can be the bound.
func limit(kind error, says string, possible func(money.Decimal) bool) error {
	var found []money.Decimal
	for _, number := range numbers().FindAllString(says, -1) {
		if bound, err := money.ParseDecimal(number); err == nil && possible(bound) {
			found = append(found, bound)
		}
	}
	e := &provider.LimitError{Kind: kind}
	if len(found) == 1 {
		e.Limit = &found[0]
	}
	return e
}

func numbers() *regexp.Regexp { return regexp.MustCompile(`\b[0-9]+(\.[0-9]+)?\b`) }
