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

// refusal is an error that a client is told about, in one sentence. The words
// minimum and maximum stand in those about limits only, the word pair in those
// about pairs that are not offered: programs read the sentences.
type refusal struct {
	status int
	text   string
}

// Error is the sentence.
func (e *refusal) Error() string { return e.text }

// MarshalJSON writes the dialect's form.
func (e *refusal) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"error": e.text})
}

func wrong(text string) error { return &refusal{http.StatusBadRequest, text} }

func coinNotFound() error { return &refusal{http.StatusNotFound, "coin not found"} }

func tradeNotFound() error { return &refusal{http.StatusNotFound, "trade not found"} }

func unavailable(text string) error { return &refusal{http.StatusServiceUnavailable, text} }

// outsideLimits names the limit that was missed, the one number of the
// sentence.
func outsideLimits(below bool, limits trade.Limits, p exchange.Pair) error {
	if below {
		return wrong("the minimum amount is " + limits.Min.String() + " " + p.From.Ticker)
	}
	return wrong("the maximum amount is " + limits.Max.String() + " " + p.From.Ticker)
}

// refusalOf is the only place where errors become answers. What it does not
// know is logged with the request's ID and hidden from the client.
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

// unmade translates the refusal of a trade's workflow.
func unmade(err error, p exchange.Pair) error {
	code, ok := refusals.Of(err)
	if !ok {
		return unquoted(err, p)
	}
	switch code {
	case refusals.Pair:
		return pairUnsupported()
	case refusals.Blocked:
		return wrong("an address cannot be used")
	case refusals.Stale:
		return unavailable("no current price is available")
	case refusals.Route:
		return unavailable("this swap cannot be made now, try again later")
	default:
		return err
	}
}

func pairUnsupported() error { return wrong("this pair is not supported") }
