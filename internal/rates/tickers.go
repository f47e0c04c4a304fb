package rates

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/money"
)

// exchange is a place that trades XMR against fiat directly.
type exchange struct {
	name string
	// base is the public API's URL, which configuration can replace.
	base string
	// paths are the tickers of the pairs that the exchange lists.
	paths map[money.Currency]string
	parse func(body []byte, currency money.Currency) (Quote, error)
}

// exchanges are the ones that can be configured.
//
//   - kraken lists XMR/USD and XMR/EUR: https://docs.kraken.com/api/docs/rest-api/get-ticker-information
//   - bitfinex lists XMR/USD alone: https://docs.bitfinex.com/reference/rest-public-ticker
//   - exmo lists XMR_USD and XMR_EUR: https://documenter.getpostman.com/view/10287440/SzYXWKPi
func exchanges() []exchange {
	return []exchange{
		{
			name: "kraken", base: "https://api.kraken.com", parse: parseKraken,
			paths: map[money.Currency]string{
				money.USD: "/0/public/Ticker?pair=XMRUSD",
				money.EUR: "/0/public/Ticker?pair=XMREUR",
			},
		},
		{
			name: "bitfinex", base: "https://api-pub.bitfinex.com", parse: parseBitfinex,
			paths: map[money.Currency]string{money.USD: "/v2/ticker/tXMRUSD"},
		},
		{
			name: "exmo", base: "https://api.exmo.com", parse: parseExmo,
			paths: map[money.Currency]string{
				money.USD: "/v1.1/ticker",
				money.EUR: "/v1.1/ticker",
			},
		},
	}
}

func decode(body []byte, into any) error {
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("%w: not in the expected form", ErrTicker)
	}
	return nil
}

// krakenPair is the part of a Kraken ticker that is used. c is the last trade
// and its volume, h and l are today's extreme and that of 24 hours, o is the
// opening price of the day (UTC).
type krakenPair struct {
	C []money.Loose `json:"c"`
	H []money.Loose `json:"h"`
	L []money.Loose `json:"l"`
	O money.Loose   `json:"o"`
}

// parseKraken takes the change since midnight UTC for that of 24 hours: it is
// the only opening price that the ticker has.
func parseKraken(body []byte, currency money.Currency) (Quote, error) {
	var answer struct {
		Error  []string              `json:"error"`
		Result map[string]krakenPair `json:"result"`
	}
	if err := decode(body, &answer); err != nil {
		return Quote{}, err
	}
	pair, ok := answer.Result["XXMRZ"+string(currency)]
	if !ok {
		pair, ok = answer.Result["XMR"+string(currency)]
	}
	if len(answer.Error) > 0 || !ok || len(pair.C) < 1 || len(pair.H) < 2 || len(pair.L) < 2 {
		return Quote{}, fmt.Errorf("%w: the pair is missing", ErrTicker)
	}
	price := pair.C[0].Decimal
	change, err := changePercent(pair.O.Decimal, price)
	if err != nil {
		return Quote{}, err
	}
	return Quote{
		Price: price, ChangePercent24h: change,
		High24h: pair.H[1].Decimal, Low24h: pair.L[1].Decimal,
	}, nil
}

func changePercent(from, to money.Decimal) (money.Decimal, error) {
	change, err := to.Sub(from).Mul(money.DecimalFromInt(100)).Div(from, 2)
	if err != nil {
		return money.Decimal{}, fmt.Errorf("%w: no opening price", ErrTicker)
	}
	return change, nil
}

// Places in a Bitfinex ticker, which is a bare list.
const (
	bitfinexChange = 5 // a fraction: 0.01 is one percent
	bitfinexLast   = 6
	bitfinexHigh   = 8
	bitfinexLow    = 9
	bitfinexLength = 10
)

func parseBitfinex(body []byte, _ money.Currency) (Quote, error) {
	var list []money.Loose
	if err := decode(body, &list); err != nil {
		return Quote{}, err
	}
	if len(list) < bitfinexLength {
		return Quote{}, fmt.Errorf("%w: the list is too short", ErrTicker)
	}
	return Quote{
		Price:            list[bitfinexLast].Decimal,
		ChangePercent24h: list[bitfinexChange].Mul(money.DecimalFromInt(100)).Round(2),
		High24h:          list[bitfinexHigh].Decimal,
		Low24h:           list[bitfinexLow].Decimal,
	}, nil
}

// parseExmo leaves the change at 0, because the ticker has no opening price.
// Updated is a Unix time in seconds.
func parseExmo(body []byte, currency money.Currency) (Quote, error) {
	var pairs map[string]json.RawMessage
	if err := decode(body, &pairs); err != nil {
		return Quote{}, err
	}
	raw, ok := pairs["XMR_"+string(currency)]
	if !ok {
		return Quote{}, fmt.Errorf("%w: the pair is missing", ErrTicker)
	}
	var pair struct {
		LastTrade money.Loose `json:"last_trade"`
		High      money.Loose `json:"high"`
		Low       money.Loose `json:"low"`
		Updated   int64       `json:"updated"`
	}
	if err := decode(raw, &pair); err != nil {
		return Quote{}, err
	}
	return Quote{
		Price: pair.LastTrade.Decimal, High24h: pair.High.Decimal, Low24h: pair.Low.Decimal,
		At: time.Unix(pair.Updated, 0),
	}, nil
}
