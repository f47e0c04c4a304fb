package aggregator

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/upstream"
)

// KeyHeader is the header with the key.
const KeyHeader = "API-Key"

// Provider is an aggregator.
type Provider struct {
	Client *upstream.Client
	About  provider.Profile
	// Net is the net of the aggregator's coins.
	Net coin.Net
}

// Profile returns the configured facts about the aggregator.
func (p *Provider) Profile() provider.Profile { return p.About }

// rateAnswer contains the used fields of new_rate.
type rateAnswer struct {
	TradeID  string      `json:"trade_id"`
	Provider string      `json:"provider"`
	AmountTo money.Loose `json:"amount_to"`
	Quotes   struct {
		Min    *money.Loose `json:"min_deposit"`
		Max    *money.Loose `json:"max_deposit"`
		Quotes []struct {
			Provider string          `json:"provider"`
			Rating   provider.Rating `json:"kycrating"`
			Minutes  money.Loose     `json:"eta"`
		} `json:"quotes"`
	} `json:"quotes"`
}

// Quote asks for the best route.
func (p *Provider) Quote(ctx context.Context, r provider.Request) (provider.Quote, error) {
	var rate rateAnswer
	refused := func(a upstream.Answer) error { return refusal(a, r.Amount, provider.ErrUnavailable) }
	if err := p.Client.Read(ctx, upstream.Get("/new_rate", pairQuery(r)), &rate, refused); err != nil {
		return provider.Quote{}, err
	}
	q := provider.Quote{
		Request: r, Route: rate.Provider, Reference: rate.TradeID, Rating: p.About.Rating,
		Min: plain(rate.Quotes.Min), Max: plain(rate.Quotes.Max),
	}
	for _, route := range rate.Quotes.Quotes {
		if route.Provider != rate.Provider {
			continue
		}
		q.ETA = minutes(route.Minutes)
		if route.Rating.Known() {
			q.Rating = route.Rating
		}
		break
	}
	return q.Priced(rate.AmountTo.Decimal)
}

// minutes returns a duration of at most a day; 0 for a longer one, which is not
// credible.
func minutes(n money.Loose) time.Duration {
	if n.Sign() < 0 || n.Cmp(money.DecimalFromInt(24*60)) > 0 {
		return 0
	}
	return time.Duration(n.ScaleInt(int64(time.Minute)))
}

func plain(n *money.Loose) *money.Decimal {
	if n == nil {
		return nil
	}
	return &n.Decimal
}

func pairQuery(r provider.Request) url.Values {
	return url.Values{
		"ticker_from": {r.From.Ticker}, "network_from": {r.From.Network},
		"ticker_to": {r.To.Ticker}, "network_to": {r.To.Network},
		"amount_from": {r.Amount.String()}, "payment": {"False"}, "best_only": {"True"},
	}
}

// Create orders a trade at the floating rate.
func (p *Provider) Create(ctx context.Context, o provider.Order) (provider.Swap, error) {
	query := pairQuery(o.Request)
	query.Del("best_only")
	query.Set("address", o.Address)
	query.Set("refund", o.Refund)
	for name, value := range map[string]string{
		"address_memo": o.Memo, "refund_memo": o.RefundMemo, "provider": o.Route, "id": o.Reference,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	var made trade
	refused := func(a upstream.Answer) error { return orderRefusal(a, o) }
	if err := p.Client.Place(ctx, upstream.Get("/new_trade", query), &made, refused); err != nil {
		return provider.Swap{}, err
	}
	return o.Accept(made.swap(), made.AddressUser, p.Net)
}

// orderRefusal returns an error only if the aggregator itself refused the order,
// also with a 503. Otherwise it returns nil, because the order may have been
// made.
func orderRefusal(answer upstream.Answer, o provider.Order) error {
	if answer.Status == http.StatusServiceUnavailable && sentence(answer) != "" {
		return provider.ErrUnavailable
	}
	return refusal(answer, o.Amount, provider.ErrRefused)
}

// lookupRefusal returns ErrUnknownSwap if the aggregator itself refuses the
// look-up.
func lookupRefusal(answer upstream.Answer) error {
	if sentence(answer) == "" {
		return nil
	}
	return provider.ErrUnknownSwap
}

// Status looks up a trade by its trade_id.
func (p *Provider) Status(ctx context.Context, id string) (provider.Swap, error) {
	var list []trade
	call := upstream.Get("/trade", url.Values{"id": {id}})
	if err := p.Client.Read(ctx, call, &list, lookupRefusal); err != nil {
		return provider.Swap{}, err
	}
	if len(list) != 1 || list[0].TradeID != id {
		return provider.Swap{}, fmt.Errorf("%w: %w", provider.ErrUnavailable, upstream.ErrAnswer)
	}
	return list[0].swap(), nil
}

// sentence returns the aggregator's error sentence in lower case. It is empty if
// the answer is not in the aggregator's format.
func sentence(answer upstream.Answer) string {
	var body struct {
		Error string `json:"error"`
	}
	if answer.Decode(&body) != nil {
		return ""
	}
	return strings.ToLower(body.Error)
}

// refusal interprets the sentence of a refusal, because the dialect has no codes.
// It returns other for a sentence that it does not recognize, and nil if there is
// no sentence.
func refusal(answer upstream.Answer, amount money.Decimal, other error) error {
	says := sentence(answer)
	switch {
	case says == "":
		return nil
	case containsAny(says, "minimum", "below", "too low", "too small", "at least"):
		return limit(provider.ErrBelowMin, says, func(bound money.Decimal) bool { return bound.Cmp(amount) > 0 })
	case containsAny(says, "maximum", "above", "too high", "too large", "at most"):
		return limit(provider.ErrAboveMax, says, func(bound money.Decimal) bool { return bound.Cmp(amount) < 0 })
	case answer.Status == http.StatusNotFound, containsAny(says, "pair", "coin not found", "not supported"):
		return provider.ErrPairUnsupported
	}
	return other
}

func containsAny(text string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// limit returns a LimitError. It contains a bound if exactly one number in the
// sentence can be the bound.
func limit(kind error, says string, possible func(money.Decimal) bool) error {
	var found []money.Decimal
	for _, number := range numbers().FindAllString(says, -1) {
		if bound, err := money.ParseDecimal(number); err == nil && possible(bound) {
			found = append(found, bound)
		}
	}
	e := &provider.LimitError{Kind: kind}
	if len(found) == 1 {
		e.Limit = &found[0]
	}
	return e
}

func numbers() *regexp.Regexp { return regexp.MustCompile(`\b[0-9]+(\.[0-9]+)?\b`) }
