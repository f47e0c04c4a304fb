package swapquote

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/secret"
)

const (
	// MaxWait is how long a quote waits for the providers. It includes the 4
	// seconds of an exchange, such as ours, that asks further providers.
	MaxWait = 8 * time.Second
	// perSecond and burst bound the calls to one provider, because quotes are
	// public and a provider blocks clients that ask too often.
	perSecond, burst = 5, 50
	// maxText bounds the length in bytes of Route and Reference, so that a quote ID
	// fits into a request.
	maxText = 512
	// Decimals of rates and of percentages.
	rateDecimals, percentDecimals = 18, 2
)

// Quotes quotes swaps. It is safe for concurrent use.
type Quotes struct {
	*provider.Fanout

	// Mid returns the market price of one coin of from in coins of to, for Fee. It
	// is nil if no prices are known.
	Mid func(from, to coin.Coin) (money.Decimal, error)

	now func() time.Time
}

// New makes Quotes of the configured providers, which are in the order of
// preference. Without providers it quotes nothing.
func New(providers []provider.Provider, maxWait time.Duration, now func() time.Time) *Quotes {
	return &Quotes{now: now, Fanout: provider.NewFanout(providers, provider.FanoutOptions{
		MaxWait: maxWait, PerSecond: perSecond, Burst: burst, Now: now,
	})}
}

// CheckAddress verifies that a text is an address of a coin on the net of any
// provider. Without providers it uses the main net. It returns coin.ErrAddress
// for other texts.
func (d *Quotes) CheckAddress(c coin.Coin, address string) error {
	err := c.CheckAddress(address, coin.Main)
	for i, p := range d.Profiles() {
		if i == 0 || err != nil {
			err = c.CheckAddress(address, p.Net)
		}
	}
	return err
}

// Best returns the offer with the highest output. Errors: those of All.
func (d *Quotes) Best(ctx context.Context, from, to coin.Coin, amount money.Decimal) (Offer, error) {
	offers, err := d.All(ctx, from, to, amount)
	if err != nil {
		return Offer{}, err
	}
	return offers[0], nil
}

// All asks every provider and returns the offers that came in time, the highest
// output first. If two are equal, the provider that is configured first comes
// first.
//
// Without any offer, All returns the error that helps the caller most:
//
//   - money.ErrRange or money.ErrDecimals for an amount that the coin cannot have,
//   - provider.LimitError with the widest limit that a provider reported,
//   - provider.ErrPairUnsupported if every provider reports that it never swaps the pair,
//   - provider.ErrUnavailable if a later call may succeed.
func (d *Quotes) All(ctx context.Context, from, to coin.Coin, amount money.Decimal) ([]Offer, error) {
	if err := from.CheckAmount(amount); err != nil {
		return nil, err
	}
	asked := d.Profiles()
	answers := d.Ask(ctx, provider.Request{From: from, To: to, Amount: amount}, false, func(string) bool { return true })
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

// offer makes an offer of an answer. It returns false if the answer cannot be
// accepted.
func (d *Quotes) offer(a provider.Answer) (Offer, bool) {
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

// Fee returns the difference between an offer and the market price: in coins of
// To, at least 0, and in percent with 2 decimals. ok is false if the market
// price is unknown.
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

// whyNone returns the error that helps the caller most. A limit comes first,
// because the caller can choose another amount. ErrPairUnsupported comes
// second, if all providers returned it.
func whyNone(asked int, answers []provider.Answer) error {
	var limit *provider.LimitError
	unsupported := 0
	for _, a := range answers {
		if errors.Is(a.Err, provider.ErrPairUnsupported) {
			unsupported++
		}
		if found, ok := errors.AsType[*provider.LimitError](a.Err); ok && (limit == nil || wider(found, limit)) {
			limit = found
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

// wider reports whether a is a better limit to report than b: a known limit is
// better than an unknown one, and of two limits of the same kind the better one
// accepts more amounts.
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
