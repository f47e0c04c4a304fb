package aggregator

import (
	"github.com/durapay/durapay/api/front"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/timestamp"
)

// logPolicy is how little the exchange keeps of its users.
const logPolicy = "A"

// usdDecimals and percentDecimals are those of what is shown of costs.
const (
	usdDecimals     = 2
	percentDecimals = 2
)

// head is what quotes and trades show alike.
type head struct {
	TradeID     string         `json:"trade_id"`
	Date        timestamp.Time `json:"date"`
	Status      string         `json:"status"`
	TickerFrom  string         `json:"ticker_from"`
	TickerTo    string         `json:"ticker_to"`
	CoinFrom    string         `json:"coin_from"`
	CoinTo      string         `json:"coin_to"`
	NetworkFrom string         `json:"network_from"`
	NetworkTo   string         `json:"network_to"`
	AmountFrom  double         `json:"amount_from"`
	AmountTo    double         `json:"amount_to"`
	Provider    string         `json:"provider"`
	Fixed       bool           `json:"fixed"`
	Payment     bool           `json:"payment"`
}

// policies are what routes may demand and keep.
type policies struct {
	Markup      bool     `json:"markup"`
	KYC         []string `json:"kyc_list"`
	LogPolicies []string `json:"logpolicy_list"`
}

func policiesOf(markup int64) policies {
	return policies{markup > 0, []string{front.Rating}, []string{logPolicy}}
}

// route is one way to fill a swap. Numbers are text here, but for two.
type route struct {
	Provider   string `json:"provider"`
	Rating     string `json:"kycrating"`
	LogPolicy  string `json:"logpolicy"`
	Logo       string `json:"provider_logo"`
	Insurance  int    `json:"insurance"`
	Fixed      string `json:"fixed"`
	AmountTo   string `json:"amount_to"`
	Waste      string `json:"waste"`
	FromUSD    string `json:"amount_from_USD"`
	ToUSD      string `json:"amount_to_USD"`
	Percentage string `json:"USD_total_cost_percentage"`
	ETA        int64  `json:"eta"`
}

type rateQuotes struct {
	policies

	BestOnly bool    `json:"best_only"`
	Min      double  `json:"min_deposit"`
	Max      double  `json:"max_deposit"`
	Quotes   []route `json:"quotes"`
}

// rate is the answer of new_rate.
type rate struct {
	head

	Quotes rateQuotes `json:"quotes"`
}

func (s *surface) newRate(r request) (any, error) {
	want, err := s.asked(r)
	if err != nil {
		return nil, err
	}
	bestOnly, err := r.query.boolean("best_only")
	if err != nil {
		return nil, err
	}
	now := s.Now()
	offer, err := s.Desk.Quote(r.Context(), s.Books, want.pair, want.amount, want.markup, now)
	if err != nil {
		return nil, unquoted(err, want.pair)
	}
	best, err := s.route(want.pair, offer)
	if err != nil {
		return nil, unquoted(err, want.pair)
	}
	from, to := want.pair.From, want.pair.To
	return rate{
		head{
			TradeID: secret.NewTradeID(), Date: timestamp.Of(now), Status: "new", TickerFrom: from.Ticker, TickerTo: to.Ticker,
			CoinFrom: from.Name, CoinTo: to.Name, NetworkFrom: from.Network, NetworkTo: to.Network,
			AmountFrom: double(offer.AmountFrom), AmountTo: double(offer.AmountTo), Provider: exchange.Provider,
		},
		rateQuotes{policiesOf(want.markup), bestOnly, double(offer.Min), double(offer.Max), []route{best}},
	}, nil
}

// route is the exchange's own fill, with what it costs at market prices.
func (s *surface) route(p exchange.Pair, offer exchange.Offer) (route, error) {
	priceFrom, err := s.Desk.PriceUSD(p.From.Ticker)
	if err != nil {
		return route{}, exchange.ErrStale
	}
	priceTo, err := s.Desk.PriceUSD(p.To.Ticker)
	if err != nil {
		return route{}, exchange.ErrStale
	}
	fromUSD, toUSD := offer.AmountFrom.Mul(priceFrom), offer.AmountTo.Mul(priceTo)
	cost, err := offer.FeesUSD.Mul(money.DecimalFromInt(100)).Div(fromUSD, percentDecimals)
	if err != nil {
		return route{}, exchange.ErrStale
	}
	return route{
		Provider: exchange.Provider, Rating: front.Rating, LogPolicy: logPolicy, Logo: s.PublicURL + logoPath, Fixed: "False",
		AmountTo: offer.AmountTo.String(), Waste: "0", FromUSD: fromUSD.Fixed(usdDecimals), ToUSD: toUSD.Fixed(usdDecimals),
		Percentage: cost.Fixed(percentDecimals), ETA: minutes(p.ETA()),
	}, nil
}
