package trades

import (
	"context"
	"fmt"
	"time"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
)

// PlaceOrder is the order of a trade at another provider.
type PlaceOrder struct {
	exchange.NewTrade

	Route Route
}

// Route is a quoted way to have another provider fill a trade.
type Route struct {
	Provider string
	// AmountTo is the quoted amount.
	AmountTo                money.Decimal
	UpstreamName, Reference string
}

// PlaceOrder orders the swap at a provider and, in one transaction with the provider's
// answer, inserts the trade, see sending.PlaceOnce. A run that finds the trade orders
// nothing. After refusals.Route the caller may try another route.
func (a *Handler) PlaceOrder(ctx context.Context, in PlaceOrder) error {
	row, err := a.Store.GetTrade(ctx, in.TradeID)
	switch {
	case err == nil && row.Provider != in.Route.Provider: // another request with the same key has filled it
		return a.giveUp(ctx, in)
	case !postgres.IsNotFound(err):
		return err
	}
	pair, upstream, err := a.orderable(ctx, in)
	if _, refused := refusals.Of(err); refused {
		return a.decline(ctx, in, err)
	}
	if err != nil {
		return err
	}
	return sending.PlaceOnce(ctx, &tradeOrder{trades: a, in: in, pair: pair, upstream: upstream})
}

// orderable returns the pair and the provider of an order, and refuses an order that must
// not be sent.
func (a *Handler) orderable(ctx context.Context, in PlaceOrder) (exchange.Pair, provider.Provider, error) {
	pair, ok := a.Quoter.Pair(in.TickerFrom, in.NetworkFrom, in.TickerTo, in.NetworkTo)
	upstream, known := a.Quoter.Fanout.Provider(in.Route.Provider)
	if !ok || !known {
		return pair, nil, refusals.New(refusals.Route, "the provider cannot fill the pair now")
	}
	return pair, upstream, exchange.Screen(ctx, a.Sanctioned, in.NewTrade)
}

// decline refuses an order before it is recorded. It records the refusal, so that an
// attempt that was presumed dead does not send the order after all. If that attempt has
// ordered already, the order is given up, or its trade is the answer.
func (a *Handler) decline(ctx context.Context, in PlaceOrder, reason error) error {
	if err := a.giveUp(ctx, in); err != nil {
		return err
	}
	_, err := a.Store.GetTrade(ctx, in.TradeID)
	if postgres.IsNotFound(err) {
		err = reason
	}
	return err
}

func (a *Handler) giveUp(ctx context.Context, in PlaceOrder) error {
	return a.Store.GiveOrdersUp(ctx, db.GiveOrdersUpParams{
		TradeID: in.TradeID, Providers: []string{in.Route.Provider}, AskedUntil: in.Now,
	})
}

// tradeOrder is the order that fills a trade: a row for each trade and provider.
type tradeOrder struct {
	trades   *Handler
	in       PlaceOrder
	pair     exchange.Pair
	upstream provider.Provider
}

func (o *tradeOrder) Found(ctx context.Context) error {
	_, err := o.trades.Store.GetTrade(ctx, o.in.TradeID)
	return err
}

func (o *tradeOrder) Claim(ctx context.Context) (bool, error) {
	n, err := o.trades.Store.ClaimOrder(ctx, db.ClaimOrderParams{
		TradeID: o.in.TradeID, Provider: o.upstream.Profile().Name, SentAt: o.in.Now,
	})
	return n > 0, err
}

// Check has nothing to refuse, because the addresses were screened before the order was
// recorded.
func (o *tradeOrder) Check(context.Context) error { return nil }

// Send requires the quoted amount, less a small movement of the price.
func (o *tradeOrder) Send(ctx context.Context) (provider.Swap, error) {
	in := o.in
	return o.upstream.Create(ctx, provider.Order{
		Request: provider.Request{From: o.pair.From.Coin, To: o.pair.To.Coin, Amount: in.AmountFrom},
		Address: in.Address, Refund: in.Refund, Route: in.Route.UpstreamName, Reference: in.Route.Reference,
		LeastAmountTo: provider.LeastAmountTo(in.Route.AmountTo), Memo: value(in.ExtraID), RefundMemo: value(in.RefundMemo),
	})
}

// Keep writes the answer and the trade.
func (o *tradeOrder) Keep(ctx context.Context, made provider.Swap) error {
	row, err := o.trades.upstreamRow(o.pair, o.in, o.upstream.Profile(), made)
	if err != nil {
		return err
	}
	return o.trades.Store.Tx(ctx, func(q *db.Queries) error {
		placed, err := q.PlaceOrder(ctx, db.PlaceOrderParams{
			TradeID: row.ID, Provider: row.Provider, IDProvider: made.ID, AmountTo: made.AmountTo, HeardAt: o.in.Now,
		})
		if err != nil {
			return err
		}
		if placed == 0 {
			return refusals.New(refusals.Route, "the provider answered too late")
		}
		return q.InsertTrade(ctx, row)
	})
}

func (o *tradeOrder) GiveUp(ctx context.Context, state provider.OrderState) (bool, error) {
	n, err := o.trades.Store.GiveOrderUp(ctx, db.GiveOrderUpParams{
		TradeID: o.in.TradeID, Provider: o.upstream.Profile().Name, State: string(state),
	})
	return n > 0, err
}

// Refusal returns refusals.Route whatever the cause, so that the next route is tried.
func (o *tradeOrder) Refusal(error) error {
	return refusals.New(refusals.Route, "the provider cannot fill the swap now")
}

func (a *Handler) upstreamRow(pair exchange.Pair, in PlaceOrder, p provider.Profile, swap provider.Swap) (db.InsertTradeParams, error) {
	details := in.Details()
	if swap.DepositMemo != "" {
		details.DepositMemo = &swap.DepositMemo
	}
	sealed, err := details.Seal(a.Secret, in.TradeID)
	if err != nil {
		return db.InsertTradeParams{}, err
	}
	// Rounded down, so that it promises no more than the provider does.
	rate, err := swap.AmountTo.DivFloor(swap.AmountFrom, provider.RateDecimals)
	if err != nil {
		return db.InsertTradeParams{}, fmt.Errorf("rate of order %s: %w", in.TradeID, err)
	}
	row := db.InsertTradeParams{
		ID: in.TradeID, IDProvider: swap.ID, DetailsSealed: sealed, HasWebhook: in.WebhookURL != nil, KeyID: in.KeyID, Provider: p.Name, Risk: string(p.Risk),
		TickerFrom: pair.From.Ticker, NetworkFrom: pair.From.Network, TickerTo: pair.To.Ticker, NetworkTo: pair.To.Network,
		AmountFrom: swap.AmountFrom, AmountTo: swap.AmountTo, Rate: rate, MinFrom: swap.AmountFrom, MaxFrom: swap.AmountFrom,
		DepositAddress: swap.DepositAddress, Confirmations: 1, CreatedAt: in.Now, ExpiresAt: in.Now.Add(a.Window),
	}
	if remaining := swap.ExpiresAt.Sub(in.Now); remaining >= time.Minute && swap.ExpiresAt.Before(row.ExpiresAt) {
		row.ExpiresAt = swap.ExpiresAt
	}
	row.WindowSeconds = int32(row.ExpiresAt.Sub(in.Now) / time.Second)
	return row, nil
}

// upstreamTrade returns the fields that the rules read of a trade that another provider
// fills.
func upstreamTrade(row db.Trade) trade.Trade {
	return trade.Trade{
		Status: trade.Status(row.Status), Detail: row.StatusDetail, Risk: provider.Risk(row.Risk), Rate: row.Rate,
		ExpiresAt: row.ExpiresAt, Received: row.Received,
	}
}
