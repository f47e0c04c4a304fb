package funds

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/swapquote"
	"github.com/durapay/durapay/internal/wire"
)

// swapQuote is an offer as clients see it.
type swapQuote struct {
	From          string         `json:"from" doc:"Coin that is sent: a ticker, with its network where the ticker has several"`
	To            string         `json:"to" doc:"Coin that is paid out"`
	FromNetwork   string         `json:"fromNetwork" doc:"Network of from"`
	ToNetwork     string         `json:"toNetwork" doc:"Network of to"`
	Amount        money.Decimal  `json:"amount" doc:"What is sent, in coins of from"`
	QuoteID       string         `json:"quoteId" doc:"Names this quote in the creation of a swap, until expiresAt"`
	OutputAmount  money.Decimal  `json:"outputAmount" doc:"What arrives, in coins of to, all fees taken off"`
	Rate          money.Decimal  `json:"rate" doc:"outputAmount per coin of from, fees taken off"`
	Provider      string         `json:"provider" doc:"Who would swap"`
	Fee           *money.Decimal `json:"fee" doc:"What is less than at the market's price, in coins of to; it is in outputAmount already. Null when the market's price is not known"`
	FeePercent    *money.Decimal `json:"feePercent" doc:"fee in percent of the worth at the market's price"`
	EstimatedTime *int64         `json:"estimatedTime" doc:"Seconds from the deposit to the payout; null when the provider does not tell"`
	MinAmount     *money.Decimal `json:"minAmount" doc:"Least amount that this provider takes; null when it does not tell"`
	MaxAmount     *money.Decimal `json:"maxAmount" doc:"Greatest amount that this provider takes; null when it does not tell"`
	ExpiresAt     wire.Time      `json:"expiresAt" doc:"End of the quote"`
}

// listedQuote is an offer in the list of all offers.
type listedQuote struct {
	Provider      string        `json:"provider" doc:"Who would swap"`
	Rate          money.Decimal `json:"rate" doc:"output_amount per coin of from"`
	OutputAmount  money.Decimal `json:"output_amount" doc:"What arrives, in coins of to, all fees taken off"`
	EstimatedTime *int64        `json:"estimated_time" doc:"Seconds from the deposit to the payout; null when the provider does not tell"`
	QuoteID       string        `json:"quote_id" doc:"Names this quote in the creation of a swap, until expires_at"`
	ExpiresAt     wire.Time     `json:"expires_at" doc:"End of the quote"`
}

type quoteList struct {
	Quotes []listedQuote `json:"quotes"`
}

func (h *Swaps) registerQuotes(api operation.API) {
	r := operation.Route{
		ID: "getSwapQuote", Method: http.MethodGet, Path: "/api/swap/quote", Tag: operation.TagSwaps,
		Summary: "Get the best quote for a swap",
		Text: "Asks all providers and answers with the one that pays most. Nothing is reserved and nothing is stored. 400 " +
			"says that another request is needed: a coin that is not known, an amount with too many decimals, one beyond all " +
			"limits that providers told (the text names the widest), a pair that every provider refuses, `from`, `to` or " +
			"`amount` given twice. 500 with `Retry-After: 15` says that no provider can quote now, or that none is " +
			"configured.",
		Query:  quoteParams(),
		Errors: []int{http.StatusBadRequest}, Response: exampleQuote(),
	}
	operation.Public(api, r, h.swapQuote)
	r.ID, r.Path, r.Summary, r.Text = "getSwapRate", "/api/swap/rate", "Get the best quote for a swap (older path)", "The same as `/api/swap/quote`."
	operation.Public(api, r, h.swapQuote)
	operation.Public(api, operation.Route{
		ID: "listSwapQuotes", Method: http.MethodGet, Path: "/api/swap/quotes", Tag: operation.TagSwaps,
		Summary: "List the quotes of all providers",
		Text: "The one that pays most comes first. Providers that do not answer in time or cannot swap this amount are left out; " +
			"without any the answer is the error that `/api/swap/quote` gives.",
		Query:  quoteParams(),
		Errors: []int{http.StatusBadRequest}, Response: exampleQuotes(),
	}, h.swapQuotes)
}

func quoteParams() []*huma.Param {
	text := func(name, about string, example any, standard any, required bool) *huma.Param {
		return &huma.Param{
			Name: name, In: "query", Description: about, Required: required, Example: example,
			Schema: &huma.Schema{Type: huma.TypeString, Default: standard},
		}
	}
	amount := &huma.Param{
		Name: "amount", In: "query", Description: "What would be sent, in coins of from; at most as many decimals as the coin has.",
		Schema: &huma.Schema{Type: huma.TypeNumber, Default: 1, Extensions: map[string]any{"x-go-type": "json.Number"}},
	}
	return []*huma.Param{
		text("from", "Ticker of the coin that would be sent, in any case.", nil, coin.Monero, false),
		text("to", "Ticker of the coin to be paid out. A network may follow a colon, as in `usdt:TRC20`.", "ltc", nil, true),
		text("network", "Network of to, where a ticker has several: `ERC20` (the default) or `TRC20`.", nil, nil, false),
		amount,
	}
}

func (h *Swaps) swapQuote(ctx context.Context, in *struct{ httpapi.Query }) (*httpapi.Out[swapQuote], error) {
	offers, err := h.offers(ctx, in.Query)
	if err != nil {
		return nil, err
	}
	return httpapi.With(h.showQuote(offers[0]))
}

func (h *Swaps) swapQuotes(ctx context.Context, in *struct{ httpapi.Query }) (*httpapi.Out[quoteList], error) {
	offers, err := h.offers(ctx, in.Query)
	if err != nil {
		return nil, err
	}
	var list quoteList
	for _, o := range offers {
		id, err := swapquote.Seal(h.Box, o)
		if err != nil {
			return nil, err
		}
		list.Quotes = append(list.Quotes, listedQuote{o.Provider, o.Rate, o.AmountTo, seconds(o.ETA), id, wire.TimeOf(o.ExpiresAt)})
	}
	return httpapi.With(list, nil)
}

func (h *Swaps) showQuote(o swapquote.Offer) (swapQuote, error) {
	id, err := swapquote.Seal(h.Box, o)
	view := swapQuote{
		From: o.From.Symbol(), To: o.To.Symbol(), FromNetwork: o.From.Network, ToNetwork: o.To.Network, Amount: o.Amount, QuoteID: id,
		OutputAmount: o.AmountTo, Rate: o.Rate, Provider: o.Provider, EstimatedTime: seconds(o.ETA),
		MinAmount: o.Min, MaxAmount: o.Max, ExpiresAt: wire.TimeOf(o.ExpiresAt),
	}
	if fee, percent, ok := h.Quotes.Fee(o); ok {
		view.Fee, view.FeePercent = &fee, &percent
	}
	return view, err
}

func seconds(d time.Duration) *int64 {
	if d <= 0 {
		return nil
	}
	n := int64(d / time.Second)
	return &n
}

// offers asks the providers for offers that match a request.
func (h *Swaps) offers(ctx context.Context, q httpapi.Query) ([]swapquote.Offer, error) {
	from, err := coinParam(&q, "from", "", coin.Monero)
	if err != nil {
		return nil, err
	}
	network, _, err := q.Text("network")
	if err != nil {
		return nil, err
	}
	to, err := coinParam(&q, "to", network, "")
	if err != nil {
		return nil, err
	}
	if from == to {
		return nil, httpapi.BadRequest("from and to are the same coin")
	}
	amount, err := q.Amount("amount", money.DecimalFromInt(1))
	if err != nil {
		return nil, err
	}
	offers, err := h.Quotes.All(ctx, from, to, amount)
	return offers, quoteProblem(err, from, to)
}

// coinParam returns the parameter's coin. If the parameter is missing, it returns the coin of
// the ticker missing.
func coinParam(q *httpapi.Query, name, network, missing string) (coin.Coin, error) {
	ticker, ok, err := q.Single(name)
	if err != nil {
		return coin.Coin{}, err
	}
	if !ok {
		ticker = missing
	}
	if ticker == "" {
		return coin.Coin{}, httpapi.BadRequest("%s is required: the ticker of a coin", name)
	}
	c, known := coin.Find(ticker, network)
	if !known {
		return coin.Coin{}, httpapi.BadRequest("%s is not a coin that can be swapped", name)
	}
	return c, nil
}

// quoteProblem returns the reason why there is no quote, in words for people.
func quoteProblem(err error, from, to coin.Coin) error {
	limit, isLimit := errors.AsType[*provider.LimitError](err)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, money.ErrDecimals):
		return httpapi.BadRequest("amount has more decimals than %s, which has %d", from.Symbol(), from.Decimals)
	case errors.Is(err, money.ErrRange):
		return httpapi.BadRequest("amount must be more than 0 and within what there is of the coin")
	case isLimit && limit.Limit == nil:
		return httpapi.BadRequest("amount is %s what can be swapped", side(limit))
	case isLimit:
		return httpapi.BadRequest("amount is %s the limit of %s %s", side(limit), limit.Limit, from.Symbol())
	case errors.Is(err, provider.ErrPairUnsupported):
		return httpapi.BadRequest("no provider swaps %s to %s", from.Symbol(), to.Symbol())
	case errors.Is(err, provider.ErrUnavailable):
		return httpapi.Unavailable("no swap provider can quote now, try again later", httpapi.RetryQuote)
	default:
		return err
	}
}

func side(limit *provider.LimitError) string {
	if errors.Is(limit, provider.ErrBelowMin) {
		return "below"
	}
	return "above"
}

// exampleQuoteID is an example of a quote; real ones are longer.
const exampleQuoteID = "AQxv3cPdVYk1rJz0l2m9T5u8wKfYbHqNsXeGtRa4vCi7oD6gBhJnMk-LpQ_WzE"

func exampleQuote() swapQuote {
	fee, percent, eta := money.MustDecimal("0.0609"), money.MustDecimal("2.03"), int64(1320)
	low, high := money.MustDecimal("0.05"), money.MustDecimal("20")
	return swapQuote{
		From: "xmr", To: "ltc", FromNetwork: "Mainnet", ToNetwork: "Mainnet", Amount: money.MustDecimal("1.5"), QuoteID: exampleQuoteID,
		OutputAmount: money.MustDecimal("2.9391"), Rate: money.MustDecimal("1.9594"), Provider: "house", Fee: &fee, FeePercent: &percent,
		EstimatedTime: &eta, MinAmount: &low, MaxAmount: &high, ExpiresAt: wire.TimeOf(example.Time().Add(5 * time.Minute)),
	}
}

func exampleQuotes() quoteList {
	q := exampleQuote()
	return quoteList{Quotes: []listedQuote{{q.Provider, q.Rate, q.OutputAmount, q.EstimatedTime, q.QuoteID, q.ExpiresAt}}}
}
