package swap

import (
	"slices"
	"time"

	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/wire"
)

// usdDecimals and percentDecimals are the decimals in which costs are shown.
const (
	usdDecimals     = 2
	percentDecimals = 2
)

// head holds the fields that quotes and trades share.
type head struct {
	TradeID     string    `json:"trade_id"`
	Date        wire.Time `json:"date"`
	Status      string    `json:"status"`
	TickerFrom  string    `json:"ticker_from"`
	TickerTo    string    `json:"ticker_to"`
	CoinFrom    string    `json:"coin_from"`
	CoinTo      string    `json:"coin_to"`
	NetworkFrom string    `json:"network_from"`
	NetworkTo   string    `json:"network_to"`
	AmountFrom  double    `json:"amount_from"`
	AmountTo    double    `json:"amount_to"`
	Provider    string    `json:"provider"`
	Fixed       bool      `json:"fixed"`
	Payment     bool      `json:"payment"`
}

// policies describes which data the routes demand and store.
type policies struct {
	Markup      bool     `json:"markup"`
	KYC         []string `json:"kyc_list"`
	LogPolicies []string `json:"logpolicy_list"`
}

func policiesOf(markup int64, ratings ...string) policies {
	p := policies{Markup: markup > 0, KYC: []string{}, LogPolicies: []string{}}
	for _, rating := range ratings {
		if !slices.Contains(p.KYC, rating) {
			p.KYC, p.LogPolicies = append(p.KYC, rating), append(p.LogPolicies, rating)
		}
	}
	return p
}

// route is one way to fill a swap. All but two of its numbers are text.
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

type rate struct {
	head

	Quotes rateQuotes `json:"quotes"`
}

func (s *aggregators) newRate(r aggregatorCall) (any, error) {
	want, err := s.asked(r)
	if err != nil {
		return nil, err
	}
	bestOnly, err := r.query.boolean("best_only")
	if err != nil {
		return nil, err
	}
	now := s.Now()
	list, err := s.Quoter.Routes(r.Context(), s.BalanceReader, want.pair, exchange.RouteRequest{Amount: want.amount, Markup: want.markup}, now)
	if err != nil {
		return nil, unquoted(err, want.pair)
	}
	if bestOnly {
		list = list[:1]
	}
	return s.rateOf(want, list, bestOnly, now), nil
}

// rateOf shows the routes. The first one is the chosen one.
func (s *aggregators) rateOf(want asked, list []exchange.Route, bestOnly bool, now time.Time) rate {
	best, from, to := list[0], want.pair.From, want.pair.To
	shown := rateQuotes{BestOnly: bestOnly, Min: double(best.Min), Max: double(best.Max)}
	var ratings []string
	for _, r := range list {
		ratings = append(ratings, string(r.Rating))
		shown.Quotes = append(shown.Quotes, s.route(want.pair, r))
	}
	shown.policies = policiesOf(want.markup, ratings...)
	return rate{
		head{
			TradeID: secret.NewTradeID(), Date: wire.TimeOf(now), Status: "new", TickerFrom: from.Ticker, TickerTo: to.Ticker,
			CoinFrom: from.Name, CoinTo: to.Name, NetworkFrom: from.Network, NetworkTo: to.Network,
			AmountFrom: double(best.AmountFrom), AmountTo: double(best.AmountTo), Provider: best.Provider,
		}, shown,
	}
}

// route shows one way to fill the swap, with its cost at market prices; 0 if a coin has no
// price. It is not known which data another provider stores about its users, so route assumes
// that it stores as much as it demands.
func (s *aggregators) route(p exchange.Pair, r exchange.Route) route {
	shown := route{
		Provider: r.Provider, Rating: string(r.Rating), LogPolicy: string(r.Rating), Logo: s.PublicURL + logoPath(r.Provider),
		Fixed: "False", AmountTo: r.AmountTo.String(), Waste: "0", ETA: minutes(r.ETA),
	}
	fromUSD, toUSD := s.worth(p.From, r.AmountFrom), s.worth(p.To, r.AmountTo)
	shown.FromUSD, shown.ToUSD = fromUSD.Fixed(usdDecimals), toUSD.Fixed(usdDecimals)
	cost, err := r.FeesUSD.Mul(money.DecimalFromInt(100)).Div(fromUSD, percentDecimals)
	if err != nil {
		cost = money.Decimal{} // its value is not known
	}
	shown.Percentage = cost.Fixed(percentDecimals)
	return shown
}

// worth returns an amount of a coin in USD; 0 without a price.
func (s *aggregators) worth(c exchange.Coin, amount money.Decimal) money.Decimal {
	price, err := s.Quoter.MidUSD(c.Ticker)
	if err != nil {
		return money.Decimal{}
	}
	return amount.Mul(price)
}
