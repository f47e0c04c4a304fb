package exchange

import (
	"context"
	"errors"
	"sort"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/trade"
)

// ownRating is the rating of the exchange itself, which demands nothing of its
// users.
const ownRating = provider.RatingA

// RouteRequest is a client's request for routes.
type RouteRequest struct {
	Amount money.Decimal
	// Markup is in basis points.
	Markup int64
	// Provider is the provider that must fill the swap; empty for any.
	Provider string
	// Binding is set if an order follows.
	Binding bool
}

// Route is one way to fill a swap. For the exchange's own route, the fees of
// the quote are its fees. For another provider they are the difference between
// the quote and market prices, or 0 where there is no price.
type Route struct {
	trade.Quote

	Provider string
	Risk     provider.Risk
	Rating   provider.Rating
	ETA      time.Duration
	// UpstreamName and Reference are values of the quote that the provider expects
	// in an order.
	UpstreamName, Reference string
}

// Routes returns the routes for a swap that the pair's policy allows and that
// are available now. The one that pays most comes first. With a markup the
// exchange's own route comes first, because other providers credit no markup.
// Without any route it returns the most useful error: trade.LimitError,
// ErrStale, ErrBlind or trade.ErrUnfillable.
func (d *Quoter) Routes(ctx context.Context, q BalanceReader, p Pair, w RouteRequest, now time.Time) ([]Route, error) {
	allowed := func(name string) bool { return d.Allows(p, name) && (w.Provider == "" || w.Provider == name) }
	var routes []Route
	ownErr := trade.ErrUnfillable
	if allowed(ProviderName) {
		offer, err := d.Quote(ctx, q, p, w.Amount, w.Markup, now)
		if err == nil {
			routes = append(routes, Route{Quote: offer.Quote, Provider: ProviderName, Risk: provider.RiskPrecheck, Rating: ownRating, ETA: p.ETA()})
		}
		ownErr = err
	}
	if ownErr != nil && !RefusesOnly(ownErr) {
		return nil, ownErr
	}
	answers := d.Fanout.Ask(ctx, provider.Request{From: p.From.Coin, To: p.To.Coin, Amount: w.Amount}, w.Binding, allowed)
	for _, a := range answers {
		if a.Err == nil {
			routes = append(routes, d.upstreamRoute(p, a))
		}
	}
	if len(routes) == 0 {
		return nil, whyNone(ownErr, answers)
	}
	sort.SliceStable(routes, func(i, j int) bool {
		if w.Markup > 0 && (routes[i].Provider == ProviderName) != (routes[j].Provider == ProviderName) {
			return routes[i].Provider == ProviderName
		}
		return routes[i].AmountTo.Cmp(routes[j].AmountTo) > 0
	})
	return routes, nil
}

// RefusesOnly reports whether the error is a reason for no quote, and not a
// fault.
func RefusesOnly(err error) bool {
	_, limit := errors.AsType[*trade.LimitError](err)
	return limit || errors.Is(err, trade.ErrUnfillable) || errors.Is(err, ErrStale) || errors.Is(err, ErrBlind)
}

func (d *Quoter) upstreamRoute(p Pair, a provider.Answer) Route {
	r := Route{
		Provider: a.Name, Risk: a.Risk, Rating: a.Quote.Rating, ETA: a.Quote.ETA,
		UpstreamName: a.Quote.Route, Reference: a.Quote.Reference,
	}
	if !r.Rating.Known() {
		r.Rating = a.Rating
	}
	r.AmountFrom, r.AmountTo, r.Rate = a.Quote.Amount, a.Quote.AmountTo, a.Quote.Rate
	r.Limits = widest(trade.Limits{}, provider.Bounds{Low: a.Quote.Min, High: a.Quote.Max})
	from, fromErr := d.MidUSD(p.From.Ticker)
	to, toErr := d.MidUSD(p.To.Ticker)
	if reserved := r.AmountFrom.Mul(from).Sub(r.AmountTo.Mul(to)); fromErr == nil && toErr == nil && from.Sign() > 0 && to.Sign() > 0 && reserved.Sign() > 0 {
		r.SpreadUSD = reserved.Ceil(usdPlaces)
		r.FeesUSD = r.SpreadUSD
	}
	return r
}

// usdPlaces is the precision of fees in USD.
const usdPlaces = 4

// whyNone returns the most useful reason for the client: limits, because the
// client can keep to them, before the exchange's own reason.
func whyNone(own error, answers []provider.Answer) error {
	best, found := errors.AsType[*trade.LimitError](own)
	for _, a := range answers {
		limit, ok := errors.AsType[*provider.LimitError](a.Err)
		if !ok || limit.Limit == nil {
			continue
		}
		below := errors.Is(limit, provider.ErrBelowMin)
		switch {
		case !found:
			best, found = &trade.LimitError{Below: below}, true
			fallthrough
		case best.Below == below && below && limit.Limit.Cmp(best.Limits.Min) < 0,
			best.Below == below && !below && limit.Limit.Cmp(best.Limits.Max) > 0:
			best = best.With(*limit.Limit)
		}
	}
	if found {
		return best
	}
	return own
}

// unbounded returns the maximum for a provider that does not report one: the
// largest amount that a client can request.
func unbounded() money.Decimal { return money.DecimalFromInt(1_000_000_000_000) }

// widest extends limits by the bounds of a provider.
func widest(l trade.Limits, b provider.Bounds) trade.Limits {
	low, high := money.Decimal{}, unbounded()
	if b.Low != nil {
		low = *b.Low
	}
	if b.High != nil {
		high = *b.High
	}
	if l.Max.Sign() == 0 || low.Cmp(l.Min) < 0 {
		l.Min = low
	}
	if high.Cmp(l.Max) > 0 {
		l.Max = high
	}
	return l
}

// Bounds returns the amounts of a pair that can be swapped by any route that
// its policy allows, as far as providers reported their limits. The maximum is
// 0 when no amount can be. It returns ErrStale and ErrBlind when only the
// exchange fills the pair and cannot do so now.
func (d *Quoter) Bounds(ctx context.Context, q BalanceReader, p Pair, now time.Time) (trade.Limits, error) {
	var limits trade.Limits
	var err error
	if d.Allows(p, ProviderName) {
		limits, err = d.Limits(ctx, q, p, now)
		if err != nil && !RefusesOnly(err) {
			return limits, err
		}
	}
	for _, u := range d.Fanout.Profiles() {
		if !d.Allows(p, u.Name) {
			continue
		}
		if reported, offered := d.Fanout.KnownLimits(u.Name, p.From.Coin, p.To.Coin); offered {
			limits, err = widest(limits, reported), nil
		}
	}
	return limits, err
}

// WidestOfCoin returns the smallest and the largest deposit of a coin that any
// of our pairs or any provider accepts, as far as limits are configured and
// providers reported theirs. Both are 0 if the coin is only paid out.
func (d *Quoter) WidestOfCoin(c Coin) trade.Limits {
	widestOf := d.BoundsOfCoin(c)
	for _, p := range d.AllPairs() {
		if p.From.Key() != c.Key() {
			continue
		}
		for _, u := range d.Fanout.Profiles() {
			if reported, offered := d.Fanout.KnownLimits(u.Name, p.From.Coin, p.To.Coin); offered && d.Allows(p, u.Name) {
				widestOf = widest(widestOf, reported)
			}
		}
	}
	return widestOf
}
