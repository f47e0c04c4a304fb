package swap

import (
	"errors"
	"net/http"

	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
)

// asked holds the parameters that quotes and trades share.
type asked struct {
	pair   exchange.Pair
	amount money.Decimal
	markup int64
}

// askedOf reads the parameters that quotes and trades share. Missing or malformed values are
// refused first, then well-formed ones that are not supported.
func (a *app) askedOf(q *query, c Caller) (asked, error) {
	names, err := pairNames(q)
	if err != nil {
		return asked{}, err
	}
	fixed, err := fixedRate(q)
	if err != nil {
		return asked{}, err
	}
	var want asked
	if want.markup, err = q.markup(c); err != nil {
		return asked{}, err
	}
	if fixed {
		return asked{}, refused(http.StatusServiceUnavailable, codeFixedRate, "only floating rates are offered")
	}
	if want.amount, err = q.amount("amount_from"); err != nil {
		return asked{}, err
	}
	if want.pair, err = a.pairOf(names); err != nil {
		return asked{}, err
	}
	return want, q.checkAmount(want)
}

// checkAmount refuses an amount that the coin cannot have.
func (q *query) checkAmount(want asked) error {
	err := want.pair.From.CheckAmount(want.amount)
	switch {
	case errors.Is(err, money.ErrDecimals):
		return badParameter("amount_from", "has more decimals than "+q.either("the coin", want.pair.From.Name))
	case err != nil:
		return badParameter("amount_from", "is out of range")
	default:
		return nil
	}
}

// fixedRate reports whether the client asks for a fixed rate: by the parameter payment, or by
// the amount that is to arrive.
func fixedRate(q *query) (bool, error) {
	fixed, err := q.boolean("payment")
	if err != nil {
		return false, err
	}
	to, err := q.text("amount_to")
	if err != nil || to == "" {
		return fixed, err
	}
	if from, err := q.text("amount_from"); err != nil || from != "" {
		return false, badParameter("amount_to", "and amount_from exclude each other")
	}
	_, err = q.amount("amount_to")
	return true, err
}

// pairNames returns the four parameters that name a pair.
func pairNames(q *query) (names [4]string, err error) {
	for i, name := range pairParameters() {
		if names[i], err = q.needed(name); err != nil {
			return names, err
		}
	}
	return names, nil
}

func pairParameters() [4]string {
	return [4]string{"ticker_from", "network_from", "ticker_to", "network_to"}
}

func (a *app) pairOf(names [4]string) (exchange.Pair, error) {
	pair, ok := a.Quoter.Pair(names[0], names[1], names[2], names[3])
	if !ok {
		return pair, refused(http.StatusNotFound, codePair, "the pair is not supported")
	}
	return pair, nil
}
