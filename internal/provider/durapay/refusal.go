package durapay

import (
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/upstream"
)

// problem is an error of the exchange. Code is empty if the answer has another
// form, because it then does not come from the exchange.
type problem struct {
	Code    string
	Details map[string]string
}

func problemOf(answer upstream.Answer) problem {
	var body struct {
		Error struct {
			Code    string            `json:"code"`
			Details map[string]string `json:"details"`
		} `json:"error"`
	}
	if answer.Decode(&body) != nil {
		return problem{}
	}
	return problem{body.Error.Code, body.Error.Details}
}

// refusal returns the error for the code of a refusal, and other for a code that
// is not listed here.
func refusal(answer upstream.Answer, amount money.Decimal, other error) error {
	told := problemOf(answer)
	switch told.Code {
	case "pair_not_supported":
		return provider.ErrPairUnsupported
	case "amount_below_min":
		return limit(provider.ErrBelowMin, told.Details["min_amount_from"], func(bound money.Decimal) bool { return bound.Cmp(amount) > 0 })
	case "amount_above_max":
		return limit(provider.ErrAboveMax, told.Details["max_amount_from"], func(bound money.Decimal) bool { return bound.Cmp(amount) < 0 })
	default:
		return other
	}
}

// limit returns a LimitError. It contains the reported bound if the amount
// violates that bound.
func limit(kind error, told string, possible func(money.Decimal) bool) error {
	e := &provider.LimitError{Kind: kind}
	if bound, err := money.ParseDecimal(told); err == nil && possible(bound) {
		e.Limit = &bound
	}
	return e
}

// orderRefusal returns an error only if the exchange itself refused the order with
// one of its known codes. Otherwise it returns nil, because the order may have
// been made.
func orderRefusal(answer upstream.Answer, amount money.Decimal) error {
	switch problemOf(answer).Code {
	case "invalid_parameter", "address_invalid", "address_blocked", "fixed_rate_unsupported":
		return provider.ErrRefused
	case "no_route_available", "route_unavailable", "pricing_stale", "not_found", "method_not_allowed":
		return provider.ErrUnavailable
	default:
		return refusal(answer, amount, nil)
	}
}

// lookupRefusal returns ErrUnknownSwap if the exchange's code means that there is
// no such trade, and nil for every other refusal.
func lookupRefusal(answer upstream.Answer) error {
	if problemOf(answer).Code == "trade_not_found" {
		return provider.ErrUnknownSwap
	}
	return nil
}
