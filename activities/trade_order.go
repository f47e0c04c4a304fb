package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
)

// Where an order at another provider stands.
const (
	orderRefused   = "refused"
	orderUncertain = "uncertain"
)

// rateDecimals is the precision of a rate, which is rounded down: it promises no
// more than the provider does.
const rateDecimals = 18

// PlaceOrder has a trade filled by another provider.
type PlaceOrder struct {
	CreateTrade

	Route PlannedRoute
}

// PlaceOrder orders the swap at a provider and, in one transaction with the
// provider's answer, inserts the trade. The order is noted before it is sent
// and sent once: a second run that finds the note without an answer gives the
// route up, and so does a first run that comes back after that. What the
// provider may hold then is paid by nobody, since its address is in no trade.
// refusals.Route says that another route may be tried.
func (a *Trades) PlaceOrder(ctx context.Context, in PlaceOrder) (TradeState, error) {
	stop := heartbeat(ctx)
	defer stop()
	state, err := a.state(ctx, in.TradeID)
	if err == nil || !postgres.IsNotFound(err) {
		return state, err
	}
	pair, upstream, err := a.orderable(ctx, in)
	if _, refused := refusals.Of(err); refused {
		return a.decline(ctx, in, err)
	}
	if err != nil {
		return TradeState{}, err
	}
	name := upstream.Profile().Name
	claimed, err := a.Store.ClaimOrder(ctx, db.ClaimOrderParams{TradeID: in.TradeID, Provider: name, SentAt: in.Now})
	if err != nil {
		return TradeState{}, err
	}
	if claimed == 0 {
		return a.giveUp(ctx, in.TradeID, name, orderUncertain)
	}
	swap, err := upstream.Create(ctx, orderOf(pair, in))
	if err != nil {
		return a.giveUp(ctx, in.TradeID, name, stateOfRefusal(err))
	}
	if err := a.keepOrder(ctx, pair, in, upstream.Profile(), swap); err != nil {
		return TradeState{}, err
	}
	return a.state(ctx, in.TradeID)
}

// orderable finds who is to be asked for what, and refuses what may not be
// ordered.
func (a *Trades) orderable(ctx context.Context, in PlaceOrder) (exchange.Pair, provider.Provider, error) {
	pair, ok := a.Quoter.Pair(in.TickerFrom, in.NetworkFrom, in.TickerTo, in.NetworkTo)
	upstream, known := a.Quoter.Fanout.Provider(in.Route.Provider)
	if !ok || !known {
		return pair, nil, refuse(refusals.Route, "the provider cannot fill the pair now")
	}
	return pair, upstream, a.screen(ctx, in.CreateTrade)
}

// decline refuses an order before it is noted. The refusal is noted, so that an
// attempt that was presumed dead does not order after all; what it has ordered
// is given up, or is the answer.
func (a *Trades) decline(ctx context.Context, in PlaceOrder, reason error) (TradeState, error) {
	err := a.Store.GiveOrdersUp(ctx, db.GiveOrdersUpParams{
		TradeID: in.TradeID, Providers: []string{in.Route.Provider}, AskedUntil: in.Now,
	})
	if err != nil {
		return TradeState{}, err
	}
	made, err := a.state(ctx, in.TradeID)
	if postgres.IsNotFound(err) {
		err = reason
	}
	return made, err
}

// stateOfRefusal tells orders that do not exist from those that may.
func stateOfRefusal(err error) string {
	for _, none := range []error{
		provider.ErrPairUnsupported, provider.ErrUnavailable, provider.ErrRefused, provider.ErrBelowMin, provider.ErrAboveMax,
	} {
		if errors.Is(err, none) {
			return orderRefused
		}
	}
	return orderUncertain
}

// giveUp ends an order that is not placed and refuses its route. If it was
// placed meanwhile, by an earlier run, its trade is the answer.
func (a *Trades) giveUp(ctx context.Context, tradeID, name, state string) (TradeState, error) {
	if err := a.Store.GiveOrderUp(ctx, db.GiveOrderUpParams{TradeID: tradeID, Provider: name, State: state}); err != nil {
		return TradeState{}, err
	}
	made, err := a.state(ctx, tradeID)
	if postgres.IsNotFound(err) {
		err = refuse(refusals.Route, "the provider cannot fill the swap now")
	}
	return made, err
}

// orderOf demands what was quoted, less a small movement of the price.
func orderOf(pair exchange.Pair, in PlaceOrder) provider.Order {
	least := in.Route.AmountTo.Mul(money.MustDecimal("0.99"))
	o := provider.Order{
		Request: provider.Request{From: pair.From.Coin, To: pair.To.Coin, Amount: in.AmountFrom},
		Address: in.Address, Refund: in.Refund, Route: in.Route.UpstreamName, Reference: in.Route.Reference, LeastAmountTo: least,
	}
	if in.ExtraID != nil {
		o.Memo = *in.ExtraID
	}
	if in.RefundMemo != nil {
		o.RefundMemo = *in.RefundMemo
	}
	return o
}

// keepOrder writes the answer and the trade, unless the order was given up
// meanwhile.
func (a *Trades) keepOrder(ctx context.Context, pair exchange.Pair, in PlaceOrder, p provider.Profile, swap provider.Swap) error {
	row, err := a.upstreamRow(pair, in, p, swap)
	if err != nil {
		return err
	}
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		placed, err := q.PlaceOrder(ctx, db.PlaceOrderParams{
			TradeID: in.TradeID, Provider: p.Name, IDProvider: swap.ID, AmountTo: swap.AmountTo, HeardAt: in.Now,
		})
		if err != nil {
			return err
		}
		if placed == 0 {
			return refuse(refusals.Route, "the provider answered too late")
		}
		return q.InsertTrade(ctx, row)
	})
}

func (a *Trades) upstreamRow(pair exchange.Pair, in PlaceOrder, p provider.Profile, swap provider.Swap) (db.InsertTradeParams, error) {
	details := in.details()
	if swap.DepositMemo != "" {
		details.DepositMemo = &swap.DepositMemo
	}
	sealed, err := details.Seal(a.Secret, in.TradeID)
	if err != nil {
		return db.InsertTradeParams{}, err
	}
	rate, err := swap.AmountTo.DivFloor(swap.AmountFrom, rateDecimals)
	if err != nil {
		return db.InsertTradeParams{}, fmt.Errorf("rate of order %s: %w", in.TradeID, err)
	}
	row := db.InsertTradeParams{
		ID: in.TradeID, IDProvider: swap.ID, DetailsSealed: sealed, HasWebhook: in.WebhookURL != nil, KeyID: in.KeyID, Provider: p.Name, Risk: string(p.Risk),
		TickerFrom: pair.From.Ticker, NetworkFrom: pair.From.Network, TickerTo: pair.To.Ticker, NetworkTo: pair.To.Network,
		AmountFrom: swap.AmountFrom, AmountTo: swap.AmountTo, Rate: rate, MinFrom: swap.AmountFrom, MaxFrom: swap.AmountFrom,
		DepositAddress: swap.DepositAddress, Confirmations: 1, CreatedAt: in.Now, ExpiresAt: in.Now.Add(a.Window),
	}
	if left := swap.ExpiresAt.Sub(in.Now); left >= time.Minute && swap.ExpiresAt.Before(row.ExpiresAt) {
		row.ExpiresAt = swap.ExpiresAt
	}
	row.WindowSeconds = int32(row.ExpiresAt.Sub(in.Now) / time.Second)
	return row, nil
}

// upstreamTrade is what the rules see of a trade that another provider fills.
func upstreamTrade(row db.Trade) trade.Trade {
	return trade.Trade{
		Status: trade.Status(row.Status), Detail: row.StatusDetail, Risk: trade.Risk(row.Risk), Rate: row.Rate,
		ExpiresAt: row.ExpiresAt, Received: row.Received,
	}
}
