package trades

import (
	"context"
	"errors"

	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/sanctions"
)

// PlanRoutes requests the ways to fill a trade.
type PlanRoutes struct {
	CreateTrade

	// Provider names the provider to use; empty for the best one.
	Provider string
}

// PlannedRoute is a quoted way to fill a trade.
type PlannedRoute struct {
	Provider string
	// Own is true if the exchange fills the trade itself.
	Own bool
	// AmountTo is the quoted amount.
	AmountTo                money.Decimal
	UpstreamName, Reference string
}

// RoutePlan has the ways to fill a trade, in the order in which they are tried.
type RoutePlan struct {
	Routes []PlannedRoute
}

// PlanRoutes screens the addresses and returns the routes that are available now, the
// best first. It changes nothing.
func (a *Handler) PlanRoutes(ctx context.Context, in PlanRoutes) (RoutePlan, error) {
	pair, ok := a.Quoter.Pair(in.TickerFrom, in.NetworkFrom, in.TickerTo, in.NetworkTo)
	if !ok {
		return RoutePlan{}, refusals.New(refusals.Pair, "the pair is not supported")
	}
	if err := a.screen(ctx, in.CreateTrade); err != nil {
		return RoutePlan{}, err
	}
	want := exchange.RouteRequest{Amount: in.AmountFrom, Markup: in.Markup, Provider: in.Provider}
	routes, err := a.Quoter.Routes(ctx, a.Store.Queries, pair, want, in.Now)
	if err != nil {
		return RoutePlan{}, refuseQuote(err)
	}
	var plan RoutePlan
	for _, r := range routes {
		plan.Routes = append(plan.Routes, PlannedRoute{
			Provider: r.Provider, Own: r.Provider == exchange.ProviderName, AmountTo: r.AmountTo, UpstreamName: r.UpstreamName, Reference: r.Reference,
		})
	}
	return plan, nil
}

// screen refuses listed addresses. Without a list it refuses all addresses.
func (a *Handler) screen(ctx context.Context, in CreateTrade) error {
	sanctioned, err := a.Sanctioned(ctx, in.Address, in.Refund)
	if errors.Is(err, sanctions.ErrNoList) {
		return refusals.New(refusals.Route, "addresses cannot be checked now")
	}
	if err == nil && sanctioned {
		err = refusals.New(refusals.Blocked, "an address cannot be used")
	}
	return err
}
