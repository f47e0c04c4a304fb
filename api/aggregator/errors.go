package aggregator

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/durapay/durapay/api/exchangeapi"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
)

// refusal is an error that the client receives as one sentence. Programs read the sentences,
// so the words minimum and maximum are used only for limits, and the word pair only for pairs
// that are not offered.
type refusal struct {
	status int
	text   string
}

// Error returns the sentence.
func (e *refusal) Error() string { return e.text }

// MarshalJSON writes the format of the dialect.
func (e *refusal) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"error": e.text})
}

func wrong(text string) error { return &refusal{http.StatusBadRequest, text} }

func coinNotFound() error { return &refusal{http.StatusNotFound, "coin not found"} }

func tradeNotFound() error { return &refusal{http.StatusNotFound, "trade not found"} }

func unavailable(text string) error { return &refusal{http.StatusServiceUnavailable, text} }

// outsideLimits returns a refusal with the limit that was missed, which is the only number in
// the sentence.
func outsideLimits(below bool, limits trade.Limits, p exchange.Pair) error {
	if below {
		return wrong("the minimum amount is " + limits.Min.String() + " " + p.From.Ticker)
	}
	return wrong("the maximum amount is " + limits.Max.String() + " " + p.From.Ticker)
}

// refusalOf converts errors to answers; no other function does. Unknown errors are logged with the
// request's ID and hidden from the client.
func (s *surface) refusalOf(ctx context.Context, err error) *refusal {
	if known, ok := errors.AsType[*refusal](err); ok {
		return known
	}
	switch {
	case errors.Is(err, exchangeapi.ErrTooMany):
		return &refusal{http.StatusTooManyRequests, err.Error()}
	case errors.Is(err, exchangeapi.ErrSeveralKeys):
		return &refusal{http.StatusBadRequest, err.Error()}
	}
	s.Log.ErrorContext(ctx, "request failed", "error", err)
	return &refusal{http.StatusInternalServerError, "internal error"}
}

// unquoted translates an error of the quoter.
func unquoted(err error, p exchange.Pair) error {
	if limit, ok := errors.AsType[*trade.LimitError](err); ok {
		return outsideLimits(limit.Below, limit.Limits, p)
	}
	switch {
	case errors.Is(err, exchange.ErrStale):
		return unavailable("no current price is available")
	case errors.Is(err, exchange.ErrBlind), errors.Is(err, trade.ErrUnfillable):
		return unavailable("nobody can fill this swap now")
	default:
		return err
	}
}

// unmade translates the refusal of a trade.
func unmade(err error, p exchange.Pair) error {
	code, ok := refusals.Of(err)
	if !ok {
		return unquoted(err, p)
	}
	switch code {
	case refusals.Blocked:
		return wrong("an address cannot be used")
	case refusals.Route:
		return unavailable("this swap cannot be made now, try again later")
	default:
		return err
	}
}

func pairUnsupported() error { return wrong("this pair is not supported") }
