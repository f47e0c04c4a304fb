package trades

import (
	"context"
	"errors"

	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/sanctions"
)

// PlanRoutes asks for the ways to fill a trade.
type PlanRoutes struct {
	CreateTrade

	// Provider names who is to fill it; empty for whoever is best.
	Provider string
}

// PlannedRoute is a way to fill a trade, as it was quoted.
type PlannedRoute struct {
	Provider string
	// Own says that the exchange fills it itself.
	Own bool
	// AmountTo is what was quoted.
	AmountTo                money.Decimal
	UpstreamName, Reference string
}

// RoutePlan is the ways to fill a trade, in the order in which they are tried.
type RoutePlan struct {
	Routes []PlannedRoute
}

// PlanRoutes screens the addresses and returns the routes that can be had now,
// the best first. It changes nothing.
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

// screen refuses addresses that are listed, and all of them without a list.
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
