package swap

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/exchangeapi"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
)

const jsonType = "application/json"

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

// problem is an error that the client receives.
type problem struct {
	Code       string
	Message    string
	Details    map[string]string
	status     int
	retryAfter time.Duration
}

// errorBody is the JSON form of a problem.
type errorBody struct {
	Error errorObject `json:"error"`
}

type errorObject struct {
	Code    string            `json:"code"    doc:"Stable; branch on it"             example:"invalid_parameter"`
	Message string            `json:"message" doc:"For humans; may change"           example:"amount_from must be a positive decimal number"`
	Details map[string]string `json:"details" doc:"Depends on the code; may be empty"`
}

// Error returns the text that the client sees.
func (p *problem) Error() string { return p.Message }

// GetStatus returns the HTTP status.
func (p *problem) GetStatus() int { return p.status }

// GetHeaders returns Retry-After if the request may succeed later.
func (p *problem) GetHeaders() http.Header {
	if p.retryAfter <= 0 {
		return nil
	}
	return http.Header{"Retry-After": {strconv.FormatInt(int64((p.retryAfter+time.Second-1)/time.Second), 10)}}
}

// MarshalJSON writes the form that the contract specifies.
func (p *problem) MarshalJSON() ([]byte, error) {
	details := p.Details
	if details == nil {
		details = map[string]string{}
	}
	return json.Marshal(errorBody{errorObject{p.Code, p.Message, details}})
}

// retrySoon is a pause after which a failed request may succeed.
const retrySoon = 5 * time.Second

func badParameter(name, text string) error {
	return &problem{Code: codeParameter, Message: name + " " + text, Details: map[string]string{"parameter": name}, status: http.StatusBadRequest}
}

func refused(status int, code, text string) error {
	return &problem{Code: code, Message: text, status: status}
}

func unavailable(code, text string) *problem {
	return &problem{Code: code, Message: text, status: http.StatusServiceUnavailable, retryAfter: retrySoon}
}

func internalError() *problem {
	return &problem{Code: codeInternal, Message: "internal error", status: http.StatusInternalServerError, retryAfter: retrySoon}
}

// outsideLimits returns an error that contains the limit that was missed.
func outsideLimits(below bool, limits trade.Limits, amount money.Decimal) error {
	p := &problem{
		Code: codeAboveMax, Message: "the amount is above the maximum of the pair", status: http.StatusUnprocessableEntity,
		Details: map[string]string{"max_amount_from": limits.Max.String(), "your_amount_from": amount.String()},
	}
	if below {
		p.Code, p.Message = codeBelowMin, "the amount is below the minimum of the pair"
		p.Details = map[string]string{"min_amount_from": limits.Min.String(), "your_amount_from": amount.String()}
	}
	return p
}

// problemOf converts errors to answers; no other function does. Unknown errors are logged with
// the request's ID and hidden from the client.
func (a *app) problemOf(ctx context.Context, err error) *problem {
	if known, ok := errors.AsType[*problem](err); ok {
		return known
	}
	a.Log.ErrorContext(ctx, "request failed", "error", err)
	return internalError()
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

// fail writes an error outside of a handler.
func (a *app) fail(ctx huma.Context, err error) {
	p := a.problemOf(ctx.Context(), err)
	for name, values := range p.GetHeaders() {
		ctx.SetHeader(name, values[0])
	}
	ctx.SetHeader("Content-Type", jsonType)
	ctx.SetStatus(p.status)
	_ = exchangeapi.EncodeJSON(ctx.BodyWriter(), p) // the client has disconnected if this fails
}

// writeProblem answers an error outside of Huma.
func writeProblem(w http.ResponseWriter, p *problem) {
	maps.Copy(w.Header(), p.GetHeaders())
	w.Header().Set("Content-Type", jsonType)
	w.WriteHeader(p.status)
	_ = exchangeapi.EncodeJSON(w, p) // the client has disconnected if this fails
}
