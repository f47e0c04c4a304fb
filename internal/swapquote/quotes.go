package swapquote

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/fanout"
	"github.com/durapay/durapay/internal/secret"
)

const (
	// Patience is for how long a quote waits for the providers. An exchange that
	// asks others itself, as ours does, has 4 seconds of its own in it.
	Patience = 8 * time.Second
	// perSecond and burst bound what one provider is asked: quotes are public,
	// and a provider turns away who asks without end.
	perSecond, burst = 5, 50
	// maxText bounds what a provider may want to hear again, in bytes, so that a
	// quote ID fits into a request.
	maxText = 512
	// Decimals of rates and of percentages.
	rateDecimals, percentDecimals = 18, 2
)

// Quotes quotes swaps. It is safe for concurrent use.
type Quotes struct {
	// Mid is how many coins of the second kind one of the first is worth on the
	// market, for Fee; nil where no prices are known.
	Mid func(from, to coin.Coin) (money.Decimal, error)

	fanout *fanout.Fanout
	now    func() time.Time
}

// New makes a desk of the configured providers, in the order of preference;
// without any it quotes nothing.
func New(providers []provider.Provider, patience time.Duration, now func() time.Time) *Quotes {
	return &Quotes{now: now, fanout: fanout.New(providers, fanout.Options{
		Patience: patience, PerSecond: perSecond, Burst: burst, Now: now,
	})}
}

// Provider finds a configured provider by its name.
func (d *Quotes) Provider(name string) (provider.Provider, bool) { return d.fanout.Provider(name) }

// Report has the answers of providers counted and logged, see board.Board. It
// must be called before the first quote.
func (d *Quotes) Report(count func(provider, outcome string), log *slog.Logger) {
	d.fanout.Report(count, log)
}

// CheckAddress verifies an address of a coin on the chain of any provider, or
// on the main one where there is none: coin.ErrAddress.
func (d *Quotes) CheckAddress(c coin.Coin, address string) error {
	err := c.CheckAddress(address, coin.Main)
	for i, p := range d.fanout.Profiles() {
		if i == 0 || err != nil {
			err = c.CheckAddress(address, p.Net)
		}
	}
	return err
}

// Best is the offer that pays most. Errors: those of All.
func (d *Quotes) Best(ctx context.Context, from, to coin.Coin, amount money.Decimal) (Offer, error) {
	offers, err := d.All(ctx, from, to, amount)
	if err != nil {
		return Offer{}, err
	}
	return offers[0], nil
}

// All asks every provider and returns the offers of those that answered in
// time, the one that pays most first; of two that pay the same it is the first
// that is configured. Without any offer the error is the reason that helps
// most: money.ErrRange or money.ErrDecimals for an amount that the coin does
// not have, provider.LimitError with the widest bound that was told,
// provider.ErrPairUnsupported when all say that they never swap these, and
// provider.ErrUnavailable when asking again may help.
func (d *Quotes) All(ctx context.Context, from, to coin.Coin, amount money.Decimal) ([]Offer, error) {
	if err := from.CheckAmount(amount); err != nil {
		return nil, err
	}
	asked := d.fanout.Profiles()
	answers := d.fanout.Ask(ctx, provider.Request{From: from, To: to, Amount: amount}, func(string) bool { return true })
	var offers []Offer
	for _, a := range answers {
		if o, usable := d.offer(a); usable {
			offers = append(offers, o)
		}
	}
	if len(offers) == 0 {
		return nil, whyNone(len(asked), answers)
	}
	slices.SortStableFunc(offers, func(a, b Offer) int { return b.AmountTo.Cmp(a.AmountTo) })
	return offers, nil
}

// offer makes an answer something that can be taken.
func (d *Quotes) offer(a fanout.Answer) (Offer, bool) {
	q := a.Quote
	o := Offer{
		ID: secret.NewID("qt_"), Provider: a.Name, From: q.From, To: q.To, Amount: q.Amount, AmountTo: q.AmountTo.Floor(q.To.Decimals),
		Min: q.Min, Max: q.Max, ETA: q.ETA, Route: q.Route, Reference: q.Reference, ExpiresAt: d.now().Add(Life),
	}
	if !q.ExpiresAt.IsZero() && q.ExpiresAt.Before(o.ExpiresAt) {
		o.ExpiresAt = q.ExpiresAt
	}
	if a.Err != nil || q.To.CheckAmount(o.AmountTo) != nil || !d.now().Before(o.ExpiresAt) || max(len(o.Route), len(o.Reference)) > maxText {
		return Offer{}, false
	}
	rate, err := o.AmountTo.Div(o.Amount, rateDecimals)
	o.Rate = rate
	return o, err == nil
}

// Fee is what the provider keeps of an offer compared with the price on the
// market: in coins of To, at least 0, and in percent with 2 decimals. ok is
// false where the market's price is not known.
func (d *Quotes) Fee(o Offer) (fee, percent money.Decimal, ok bool) {
	if d.Mid == nil {
		return fee, percent, false
	}
	mid, err := d.Mid(o.From, o.To)
	worth := o.Amount.Mul(mid)
	if err != nil || worth.Sign() <= 0 {
		return fee, percent, false
	}
	if fee = worth.Sub(o.AmountTo).Ceil(o.To.Decimals); fee.Sign() < 0 {
		fee = money.Decimal{}
	}
	percent, err = fee.Mul(money.DecimalFromInt(100)).Div(worth, percentDecimals)
	return fee, percent, err == nil
}

// whyNone picks the reason that helps most: limits, which one can keep to, then
// what is for good, if everybody says so.
func whyNone(asked int, answers []fanout.Answer) error {
	var limit *provider.LimitError
	unsupported := 0
	for _, a := range answers {
		if errors.Is(a.Err, provider.ErrPairUnsupported) {
			unsupported++
		}
		if told, ok := errors.AsType[*provider.LimitError](a.Err); ok && (limit == nil || wider(told, limit)) {
			limit = told
		}
	}
	switch {
	case limit != nil:
		return limit
	case asked > 0 && unsupported == asked:
		return provider.ErrPairUnsupported
	default:
		return provider.ErrUnavailable
	}
}

// wider says that a tells of more than b: a bound before none, and of two of a
// kind the one that takes more amounts.
func wider(a, b *provider.LimitError) bool {
	if a.Limit == nil || b.Limit == nil {
		return a.Limit != nil && b.Limit == nil
	}
	if !errors.Is(a, b.Kind) {
		return false
	}
	order := a.Limit.Cmp(*b.Limit)
	return order != 0 && errors.Is(a, provider.ErrBelowMin) == (order < 0)
}
