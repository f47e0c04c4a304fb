package rates

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/money"
)

// market is the market of a feed: a coin in a currency.
type market struct {
	// coin is a ticker in lower case: xmr.
	coin     string
	currency money.Currency
}

func xmrIn(currency money.Currency) market { return market{"xmr", currency} }

// exchange is an exchange that trades coins directly against fiat.
type exchange struct {
	name string
	// base is the URL of the public API. The configuration can replace it.
	base string
	// ticker is the path of a market's ticker, with SYMBOL and CURRENCY in their places.
	ticker string
	// symbols are its names of the coins, all of which it lists in USD. eur reports whether
	// it lists XMR in EUR too.
	symbols map[string]string
	eur     bool
	parse   func(body []byte, m market) (Quote, error)
}

// exchanges returns the exchanges that can be configured:
//
//   - https://docs.kraken.com/api/docs/rest-api/get-ticker-information
//   - https://docs.bitfinex.com/reference/rest-public-ticker
//   - https://documenter.getpostman.com/view/10287440/SzYXWKPi (exmo: one answer has all pairs)
func exchanges() []exchange {
	return []exchange{
		{"kraken", "https://api.kraken.com", "/0/public/Ticker?pair=SYMBOLCURRENCY", krakenSymbols(), true, parseKraken},
		{"bitfinex", "https://api-pub.bitfinex.com", "/v2/ticker/tSYMBOLCURRENCY", map[string]string{
			"xmr": "XMR", "btc": "BTC", "ltc": "LTC", "eth": "ETH", "doge": "DOGE:", "bch": "BCHN:", "sol": "SOL", "trx": "TRX",
		}, false, parseBitfinex},
		{"exmo", "https://api.exmo.com", "/v1.1/ticker", krakenSymbols(), true, parseExmo},
	}
}

func krakenSymbols() map[string]string {
	return map[string]string{
		"xmr": "XMR", "btc": "XBT", "ltc": "LTC", "eth": "ETH", "doge": "XDG", "bch": "BCH", "sol": "SOL", "trx": "TRX",
	}
}

// path returns the path of a market's ticker, and false if the market is not listed.
func (x exchange) path(m market) (string, bool) {
	symbol, listed := x.symbols[m.coin]
	path := strings.NewReplacer("SYMBOL", symbol, "CURRENCY", string(m.currency)).Replace(x.ticker)
	return path, listed && (m.currency == money.USD || (x.eur && m == xmrIn(money.EUR)))
}

func decode(body []byte, into any) error {
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("%w: not in the expected form", ErrTicker)
	}
	return nil
}

// krakenPair contains the used fields of a Kraken ticker. a is the best ask and b the best bid,
// each with its volumes. c is the last trade and its volume. h and l are the extremes of today
// and of the last 24 hours. o is the opening price of the day (UTC).
type krakenPair struct {
	A []money.Loose `json:"a"`
	B []money.Loose `json:"b"`
	C []money.Loose `json:"c"`
	H []money.Loose `json:"h"`
	L []money.Loose `json:"l"`
	O money.Loose   `json:"o"`
}

// parseKraken uses the change since midnight UTC as the change of 24 hours, because the ticker
// has no other opening price.
func parseKraken(body []byte, m market) (Quote, error) {
	var answer struct {
		Error  []string              `json:"error"`
		Result map[string]krakenPair `json:"result"`
	}
	if err := decode(body, &answer); err != nil {
		return Quote{}, err
	}
	symbol := krakenSymbols()[m.coin]
	pair, ok := answer.Result["X"+symbol+"Z"+string(m.currency)]
	if !ok {
		pair, ok = answer.Result[symbol+string(m.currency)]
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
		Price: price, Bid: first(pair.B), Ask: first(pair.A), ChangePercent24h: change,
		High24h: pair.H[1].Decimal, Low24h: pair.L[1].Decimal,
	}, nil
}

// first returns the first number, or 0 if there is none.
func first(list []money.Loose) money.Decimal {
	if len(list) == 0 {
		return money.Decimal{}
	}
	return list[0].Decimal
}

func changePercent(from, to money.Decimal) (money.Decimal, error) {
	change, err := to.Sub(from).Mul(money.DecimalFromInt(100)).Div(from, 2)
	if err != nil {
		return money.Decimal{}, fmt.Errorf("%w: no opening price", ErrTicker)
	}
	return change, nil
}

// Indices in a Bitfinex ticker, which is a bare list.
const (
	bitfinexBid    = 0
	bitfinexAsk    = 2
	bitfinexChange = 5 // a fraction: 0.01 is one percent
	bitfinexLast   = 6
	bitfinexHigh   = 8
	bitfinexLow    = 9
	bitfinexLength = 10
)

func parseBitfinex(body []byte, _ market) (Quote, error) {
	var list []money.Loose
	if err := decode(body, &list); err != nil {
		return Quote{}, err
	}
	if len(list) < bitfinexLength {
		return Quote{}, fmt.Errorf("%w: the list is too short", ErrTicker)
	}
	return Quote{
		Price:            list[bitfinexLast].Decimal,
		Bid:              list[bitfinexBid].Decimal,
		Ask:              list[bitfinexAsk].Decimal,
		ChangePercent24h: list[bitfinexChange].Mul(money.DecimalFromInt(100)).Round(2),
		High24h:          list[bitfinexHigh].Decimal,
		Low24h:           list[bitfinexLow].Decimal,
	}, nil
}

// parseExmo leaves the change at 0, because the ticker has no opening price. The buy price is
// the best bid, and the sell price the best ask. Updated is a Unix time in seconds.
func parseExmo(body []byte, m market) (Quote, error) {
	var pairs map[string]json.RawMessage
	if err := decode(body, &pairs); err != nil {
		return Quote{}, err
	}
	raw, ok := pairs[strings.ToUpper(m.coin)+"_"+string(m.currency)]
	if !ok {
		return Quote{}, fmt.Errorf("%w: the pair is missing", ErrTicker)
	}
	var pair struct {
		LastTrade money.Loose `json:"last_trade"`
		BuyPrice  money.Loose `json:"buy_price"`
		SellPrice money.Loose `json:"sell_price"`
		High      money.Loose `json:"high"`
		Low       money.Loose `json:"low"`
		Updated   int64       `json:"updated"`
	}
	if err := decode(raw, &pair); err != nil {
		return Quote{}, err
	}
	return Quote{
		Price: pair.LastTrade.Decimal, Bid: pair.BuyPrice.Decimal, Ask: pair.SellPrice.Decimal, High24h: pair.High.Decimal, Low24h: pair.Low.Decimal,
		At: time.Unix(pair.Updated, 0),
	}, nil
}
