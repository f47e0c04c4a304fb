package swap

import (
	"context"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/workflows"
	"github.com/durapay/durapay/workflows/dispatch"
)

// createWait is how long a client waits for its trade. An order at a provider continues after
// the wait ends, and a repeated request finds its trade.
const createWait = 25 * time.Second

// TradeRequest is a request for a trade, checked by its surface.
type TradeRequest struct {
	exchange.NewTrade

	Pair exchange.Pair
	// Provider is the provider that must fill the trade; empty for the best one.
	Provider string
}

// NewTradeRequest returns the part of a request that is the same on both surfaces.
func (f *Front) NewTradeRequest(c Caller, p exchange.Pair, amount money.Decimal, markup int64) TradeRequest {
	return TradeRequest{Pair: p, NewTrade: exchange.NewTrade{
		KeyID: c.KeyRef(), ClientCode: f.ClientCode(c), TickerFrom: p.From.Ticker, NetworkFrom: p.From.Network,
		TickerTo: p.To.Ticker, NetworkTo: p.To.Network, AmountFrom: amount, Markup: markup,
	}}
}

// MadeTrade makes the trade of a claim, unless it exists, and returns it. It returns
// trade.LimitError or exchange.ErrStale as a quote does, and for any other reason a refusal.
// Concurrent calls get the same trade.
func (f *Front) MadeTrade(ctx context.Context, id string, want TradeRequest) (db.Trade, error) {
	ctx, cancel := f.waits(ctx)
	defer cancel()
	want.TradeID = id
	row, refused := f.make(ctx, want)
	if refused == nil {
		return row, nil
	}
	// Another request with the same key may have made it.
	row, err := f.Store.GetTrade(ctx, id)
	if postgres.IsNotFound(err) {
		err = refused
	}
	return row, err
}

// MadeBefore returns the trade that an earlier request with the same key has made, or
// postgres.ErrNotFound. If that request has asked a provider for it, MadeBefore waits for the
// outcome.
func (f *Front) MadeBefore(ctx context.Context, id string) (db.Trade, error) {
	row, err := f.Store.GetTrade(ctx, id)
	if !postgres.IsNotFound(err) {
		return row, err
	}
	provider, err := f.Store.OrderInHand(ctx, id)
	if err != nil {
		return row, err
	}
	ctx, cancel := f.waits(ctx)
	defer cancel()
	// Whatever the outcome is, the row tells.
	_ = f.dispatcher().Await(ctx, dispatch.Row{Kind: outbox.Trades, ID: id}, provider)
	return f.Store.GetTrade(ctx, id)
}

func (f *Front) waits(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, max(createWait, f.MinWait))
}

func (f *Front) dispatcher() dispatch.Dispatcher { return dispatch.Dispatcher{Client: f.Temporal} }

// make makes a trade by the first of its routes that takes it. If a route fails before a deposit
// address is issued, the next one is tried.
func (f *Front) make(ctx context.Context, want TradeRequest) (row db.Trade, err error) {
	if want.Provider == exchange.ProviderName || !f.Quoter.Upstream(want.Pair) {
		return f.fill(ctx, want)
	}
	if err := exchange.Screen(ctx, f.Sanctioned, want.NewTrade); err != nil {
		return row, err
	}
	routes, err := f.Quoter.Routes(ctx, f.Store.Queries, want.Pair, exchange.RouteRequest{
		Amount: want.AmountFrom, Markup: want.Markup, Provider: want.Provider, Binding: true,
	}, f.Now())
	if err != nil {
		return row, exchange.RefuseQuote(err)
	}
	for _, route := range routes {
		if route.Provider == exchange.ProviderName {
			row, err = f.fill(ctx, want)
		} else {
			row, err = f.order(ctx, want, route)
		}
		if !givesWay(err) {
			return row, err
		}
	}
	return row, err
}

// givesWay reports whether another route may succeed after this error.
func givesWay(err error) bool { return refusals.Is(err, refusals.Route) || exchange.RefusesOnly(err) }

// fill has the exchange itself fill a trade. This process or a worker starts its workflow right
// afterwards.
func (f *Front) fill(ctx context.Context, want TradeRequest) (db.Trade, error) {
	wake := outbox.NewTrade(want.TradeID, want.KeyID)
	if f.Wakeups != nil && f.Wakeups.Full(wake.Owner) {
		return db.Trade{}, refusals.New(refusals.Route, "too many swaps wait to be followed, try again later")
	}
	want.Now = f.Now()
	row, err := f.trades.Create(ctx, want.Pair, want.NewTrade)
	if err == nil && f.Wakeups != nil {
		f.Wakeups.Offer(wake)
	}
	return row, err
}

// order has another provider fill a trade. The update is one for each provider, so a repeated
// request gets the same answer. While Temporal is away no provider is asked.
func (f *Front) order(ctx context.Context, want TradeRequest, route exchange.Route) (db.Trade, error) {
	if !f.reachesTemporal(ctx) {
		return db.Trade{}, refusals.New(refusals.Route, "the provider cannot be asked now")
	}
	row := dispatch.Row{
		Kind: outbox.Trades, ID: want.TradeID, New: true, Input: workflows.TradeInput{TradeID: want.TradeID, Shown: true},
	}
	err := f.dispatcher().Ask(ctx, row, dispatch.Update{
		Name: workflows.PlaceOrderUpdate, ID: route.Provider, Args: []any{workflows.PlaceOrder{
			NewTrade: want.NewTrade,
			Route: workflows.Route{
				Provider: route.Provider, AmountTo: route.AmountTo, UpstreamName: route.UpstreamName, Reference: route.Reference,
			},
		}},
	}, nil)
	if err != nil {
		return db.Trade{}, err
	}
	return f.Store.GetTrade(ctx, want.TradeID)
}

// reachWait is how long Temporal may take to answer.
const reachWait = 2 * time.Second

func (f *Front) reachesTemporal(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, max(reachWait, f.MinWait))
	defer cancel()
	_, err := f.Temporal.CheckHealth(ctx, &client.CheckHealthRequest{})
	return err == nil
}
