package swap

import (
	"cmp"
	"errors"
	"net/http"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
)

// The codes of errors, for use by programs.
const (
	codeParameter     = "invalid_parameter"
	codeConflict      = "idempotency_conflict"
	codeUnauthorized  = "unauthorized"
	codeTradeNotFound = "trade_not_found"
	codeNotFound      = "not_found"
	codeMethod        = "method_not_allowed"
	codePair          = "pair_not_supported"
	codeBelowMin      = "amount_below_min"
	codeAboveMax      = "amount_above_max"
	codeAddress       = "address_invalid"
	codeBlocked       = "address_blocked"
	codeFixedRate     = "fixed_rate_unsupported"
	codeNoRoute       = "no_route_available"
	codeRoute         = "route_unavailable"
	codeStale         = "pricing_stale"
	codeRateLimit     = "rate_limit_exceeded"
	codeInternal      = "internal_error"
)

// errorBody is the JSON form of a problem.
type errorBody struct {
	Error errorObject `json:"error"`
}

type errorObject struct {
	Code    string            `json:"code"    doc:"Stable; branch on it"             example:"invalid_parameter"`
	Message string            `json:"message" doc:"For humans; may change"           example:"amount_from must be a positive decimal number"`
	Details map[string]string `json:"details" doc:"Depends on the code; may be empty"`
}

// form returns the status and the body of a problem. It is the Body of httpapi.Errors.
func form(p *httpapi.Problem) (status int, body any) {
	details := p.Details
	if details == nil {
		details = map[string]string{}
	}
	return p.Status, errorBody{errorObject{cmp.Or(p.Code, codeInternal), p.Text, details}}
}

func badParameter(name, text string) error {
	return &httpapi.Problem{Code: codeParameter, Text: name + " " + text, Details: map[string]string{"parameter": name}, Status: http.StatusBadRequest}
}

func refused(status int, code, text string) error {
	return &httpapi.Problem{Code: code, Text: text, Status: status}
}

func unavailable(code, text string) error {
	return &httpapi.Problem{Code: code, Text: text, Status: http.StatusServiceUnavailable, RetryAfter: httpapi.RetrySoon}
}

func internalError() *httpapi.Problem {
	return httpapi.Unavailable("internal error", httpapi.RetrySoon)
}

// outsideLimits returns an error that contains the limit that was missed.
func outsideLimits(below bool, limits trade.Limits, amount money.Decimal) error {
	p := &httpapi.Problem{
		Code: codeAboveMax, Text: "the amount is above the maximum of the pair", Status: http.StatusUnprocessableEntity,
		Details: map[string]string{"max_amount_from": limits.Max.String(), "your_amount_from": amount.String()},
	}
	if below {
		p.Code, p.Text = codeBelowMin, "the amount is below the minimum of the pair"
		p.Details = map[string]string{"min_amount_from": limits.Min.String(), "your_amount_from": amount.String()}
	}
	return p
}

// quoteProblem translates an error of the quoter.
func quoteProblem(err error, amount money.Decimal) error {
	if limit, ok := errors.AsType[*trade.LimitError](err); ok {
		return outsideLimits(limit.Below, limit.Limits, amount)
	}
	switch {
	case errors.Is(err, exchange.ErrStale):
		return unavailable(codeStale, "no current price is available")
	case errors.Is(err, exchange.ErrBlind), errors.Is(err, trade.ErrUnfillable):
		return unavailable(codeNoRoute, "no provider can fill the pair now")
	default:
		return err
	}
}

// refusalOf translates the refusal of a trade.
func refusalOf(err error, amount money.Decimal) error {
	code, ok := refusals.Of(err)
	if !ok {
		return quoteProblem(err, amount)
	}
	switch code {
	case refusals.Blocked:
		return refused(http.StatusUnprocessableEntity, codeBlocked, refusals.Text(err))
	case refusals.Route:
		return unavailable(codeRoute, refusals.Text(err))
	default:
		return err
	}
}
