package funds

import (
	"context"
	"errors"
	"time"

	"github.com/durapay/durapay/api/httpapi"
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
