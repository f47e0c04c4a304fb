package swap

import (
	"github.com/durapay/durapay/internal/exchange"
)

func (s *aggregators) asked(r aggregatorCall) (asked, error) {
	if err := floating(r.query); err != nil {
		return asked{}, err
	}
	var want asked
	var err error
	if want.markup, err = r.query.cappedMarkup(r.caller.MarkupCap); err != nil {
		return want, err
	}
	if want.pair, err = s.pair(r.query); err != nil {
		return want, err
	}
	if want.amount, err = r.query.amount("amount_from"); err != nil {
		return want, err
	}
	return want, r.query.checkAmount(want)
}

// floating refuses a request for a fixed rate: one with payment, or with the amount that is to
// arrive. It accepts the parameter fixed, because one client always sends it, together with
// the amount to send, and accepts a floating rate.
func floating(q *query) error {
	payment, err := q.boolean("payment")
	if err != nil {
		return err
	}
	to, err := q.text("amount_to")
	if err != nil {
		return err
	}
	if payment || to != "" {
		return wrong("only floating rates are offered")
	}
	return nil
}

func (s *aggregators) pair(q *query) (exchange.Pair, error) {
	var coins [2]exchange.Coin
	for i, side := range []string{"from", "to"} {
		ticker, err := q.needed("ticker_" + side)
		if err != nil {
			return exchange.Pair{}, err
		}
		network, err := q.needed("network_" + side)
		if err != nil {
			return exchange.Pair{}, err
		}
		var ok bool
		if coins[i], ok = s.coinOf(ticker, network); !ok {
			return exchange.Pair{}, coinNotFound()
		}
	}
	pair, ok := s.Quoter.Pair(coins[0].Ticker, coins[0].Network, coins[1].Ticker, coins[1].Network)
	if !ok {
		return pair, pairUnsupported()
	}
	return pair, nil
}
