package swap

import (
	"context"
	"time"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/wire"
)

// quoteValid is the stated lifetime of a quote. A floating rate is locked when the trade is
// created, not earlier.
const quoteValid = time.Minute

// fees are the fees contained in a rate, in USD.
type fees struct {
	Network  string `json:"network_fee_usd"    doc:"Chain fee of the payout"`
	Provider string `json:"provider_fee_usd"   doc:"What the exchange keeps"`
	Markup   string `json:"partner_markup_usd" doc:"What is credited to the caller's key"`
}

// routeEntry is one way to fill a swap.
type routeEntry struct {
	Provider string `json:"provider"`
	Risk     string `json:"risk"              enum:"auto,flexible,precheck,controlled"`
	Rate     string `json:"rate"`
	AmountTo string `json:"amount_to"`
	ETA      int64  `json:"eta_seconds"`
	Fees     string `json:"included_fees_usd"`
	Rating   string `json:"kycrating"         enum:"A,B,C,D"`
}

type routes struct {
	Quotes []routeEntry `json:"quotes" nullable:"false" doc:"All routes, the chosen one first"`
}

// quote is the answer of new_rate.
type quote struct {
	AmountFrom  string    `json:"amount_from"`
	AmountTo    string    `json:"amount_to"         doc:"amount_from × rate, rounded down to the coin's smallest unit"`
	TradeID     string    `json:"trade_id"          doc:"Names the rate; floating rates do not need it"`
	TickerFrom  string    `json:"ticker_from"`
	TickerTo    string    `json:"ticker_to"`
	NetworkFrom string    `json:"network_from"`
	NetworkTo   string    `json:"network_to"`
	Rate        string    `json:"rate"              doc:"Coin paid out per coin sent, all fees included"`
	ExpiresAt   wire.Time `json:"expires_at"`
	Policy      string    `json:"policy"            doc:"Routing policy of the pair"`
	AsOf        wire.Time `json:"as_of"`
	Best        string    `json:"best_provider"`
	Breakdown   fees      `json:"fees_breakdown"`
	Fees        string    `json:"included_fees_usd" doc:"Sum of the breakdown, already contained in the rate"`
	Impact      int       `json:"price_impact_pct"  doc:"How far the size of the amount moves the price, in percent: own fills do not depend on it"`
	ETA         int64     `json:"eta_seconds"       doc:"Expected time from deposit to payout, in seconds"`
	MinFrom     string    `json:"min_amount_from"`
	MaxFrom     string    `json:"max_amount_from"`
	Quotes      routes    `json:"quotes"`
}

func (a *app) newRate(ctx context.Context, q *query) (*httpapi.Out[quote], error) {
	want, err := a.askedOf(q, callerOf(ctx))
	if err != nil {
		return nil, err
	}
	if _, err := q.boolean("anon"); err != nil {
		return nil, err
	}
	bestOnly, err := q.boolean("best_only")
	if err != nil {
		return nil, err
	}
	now := a.Now()
	list, err := a.Quoter.Routes(ctx, a.BalanceReader, want.pair, exchange.RouteRequest{Amount: want.amount, Markup: want.markup}, now)
	if err != nil {
		return nil, quoteProblem(err, want.amount)
	}
	if bestOnly {
		list = list[:1]
	}
	return httpapi.With(quoteOf(want.pair, a.Quoter.PolicyOf(want.pair), list, now), nil)
}

// quoteOf shows the routes. The first one is the chosen one.
func quoteOf(p exchange.Pair, policy string, list []exchange.Route, now time.Time) quote {
	entries := make([]routeEntry, len(list))
	for i, r := range list {
		entries[i] = routeEntry{
			Provider: r.Provider, Risk: string(r.Risk), Rate: r.Rate.String(), AmountTo: r.AmountTo.String(),
			ETA: int64(r.ETA / time.Second), Fees: r.FeesUSD.String(), Rating: string(r.Rating),
		}
	}
	best, shown := list[0], entries[0]
	return quote{
		AmountFrom: best.AmountFrom.String(), AmountTo: shown.AmountTo, TradeID: secret.NewTradeID(),
		TickerFrom: p.From.Ticker, TickerTo: p.To.Ticker, NetworkFrom: p.From.Network, NetworkTo: p.To.Network,
		Rate: shown.Rate, ExpiresAt: wire.TimeOf(now.Add(quoteValid)), Policy: policy,
		AsOf: wire.TimeOf(now), Best: shown.Provider, Fees: shown.Fees, ETA: shown.ETA,
		Breakdown: fees{best.NetworkFeeUSD.String(), best.SpreadUSD.String(), best.MarkupUSD.String()},
		MinFrom:   best.Min.String(), MaxFrom: best.Max.String(), Quotes: routes{entries},
	}
}
