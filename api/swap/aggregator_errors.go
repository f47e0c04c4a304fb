package swap

import (
	"errors"
	"net/http"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
)

// wrong returns an error that the client receives as one sentence. Programs read the sentences,
// so the words minimum and maximum are used only for limits, and the word pair only for pairs
// that are not offered.
func wrong(text string) error { return &httpapi.Problem{Text: text, Status: http.StatusBadRequest} }

func coinNotFound() error { return httpapi.NotFound("coin") }

func cannotNow(text string) error { return unavailable("", text) }

// told returns the problem for an error of Caller and Admit, and any other error unchanged.
func told(err error) error {
	switch {
	case errors.Is(err, ErrTooMany):
		return &httpapi.Problem{Text: err.Error(), Status: http.StatusTooManyRequests}
	case errors.Is(err, ErrSeveralKeys):
		return wrong(err.Error())
	default:
		return err
	}
}

// unquoted translates an error of the quoter.
func unquoted(err error, p exchange.Pair) error {
	if limit, ok := errors.AsType[*trade.LimitError](err); ok {
		// The limit that was missed is the only number in the sentence.
		if limit.Below {
			return wrong("the minimum amount is " + limit.Limits.Min.String() + " " + p.From.Ticker)
		}
		return wrong("the maximum amount is " + limit.Limits.Max.String() + " " + p.From.Ticker)
	}
	switch {
	case errors.Is(err, exchange.ErrStale):
		return cannotNow("no current price is available")
	case errors.Is(err, exchange.ErrBlind), errors.Is(err, trade.ErrUnfillable):
		return cannotNow("nobody can fill this swap now")
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
		return cannotNow("this swap cannot be made now, try again later")
	default:
		return err
	}
}

func pairUnsupported() error { return wrong("this pair is not supported") }
