package durapay

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/upstream"
)

// KeyHeader is the header with the key.
const KeyHeader = "API-Key"

// Provider is a Durapay exchange.
type Provider struct {
	// Client has the exchange's base URL, without /api/v1.
	Client *upstream.Client
	About  provider.Profile
	// Net is the net of the exchange's coins.
	Net coin.Net
}

// Profile returns the configured facts about the exchange.
func (p *Provider) Profile() provider.Profile { return p.About }

func pairQuery(r provider.Request) url.Values {
	return url.Values{
		"ticker_from": {r.From.Ticker}, "network_from": {r.From.Network},
		"ticker_to": {r.To.Ticker}, "network_to": {r.To.Network},
		"amount_from": {r.Amount.String()}, "payment": {"False"},
	}
}

// Create orders a trade at the floating rate, on the quoted route. The exchange
// requires an idempotency key. Create makes a new one for each call, because no
// order is sent twice.
func (p *Provider) Create(ctx context.Context, o provider.Order) (provider.Swap, error) {
	query := pairQuery(o.Request)
	query.Set("address", o.Address)
	query.Set("refund", o.Refund)
	for name, value := range map[string]string{"extra_id": o.Memo, "refund_memo": o.RefundMemo, "provider": o.Route} {
		if value != "" {
			query.Set(name, value)
		}
	}
	call := upstream.Get("/api/v1/new_trade", query)
	call.Header = http.Header{"Idempotency-Key": {rand.Text()}}
	var made trade
	if err := p.Client.Place(ctx, call, &made, func(a upstream.Answer) error { return orderRefusal(a, o.Amount) }); err != nil {
		return provider.Swap{}, err
	}
	return o.Accept(made.swap(), made.AddressUser, p.Net)
}

// Status looks up a trade by its trade_id.
func (p *Provider) Status(ctx context.Context, id string) (provider.Swap, error) {
	var list []trade
	call := upstream.Get("/api/v1/trade", url.Values{"id": {id}})
	if err := p.Client.Read(ctx, call, &list, lookupRefusal); err != nil {
		return provider.Swap{}, err
	}
	if len(list) != 1 || list[0].TradeID != id {
		return provider.Swap{}, fmt.Errorf("%w: %w", provider.ErrUnavailable, upstream.ErrAnswer)
	}
	return list[0].swap(), nil
}

// rate contains the used fields of new_rate.
type rate struct {
	AmountTo money.Loose  `json:"amount_to"`
	Best     string       `json:"best_provider"`
	Min      *money.Loose `json:"min_amount_from"`
	Max      *money.Loose `json:"max_amount_from"`
	Seconds  int64        `json:"eta_seconds"`
	Quotes   struct {
		Quotes []struct {
			Provider string          `json:"provider"`
			Rating   provider.Rating `json:"kycrating"`
		} `json:"quotes"`
	} `json:"quotes"`
}

// Quote asks for the best route. It does not use the expiry that the exchange
// reports, because that is for a fixed rate. A floating rate is only determined
// when the trade is made.
func (p *Provider) Quote(ctx context.Context, r provider.Request) (provider.Quote, error) {
	query := pairQuery(r)
	query.Set("best_only", "true")
	var told rate
	refused := func(a upstream.Answer) error { return refusal(a, r.Amount, provider.ErrUnavailable) }
	if err := p.Client.Read(ctx, upstream.Get("/api/v1/new_rate", query), &told, refused); err != nil {
		return provider.Quote{}, err
	}
	q := provider.Quote{
		Request: r, Route: told.Best, Rating: p.About.Rating, Min: plain(told.Min), Max: plain(told.Max),
		ETA: seconds(told.Seconds),
	}
	for _, route := range told.Quotes.Quotes {
		if route.Provider == told.Best && route.Rating.Known() {
			q.Rating = route.Rating
			break
		}
	}
	return q.Priced(told.AmountTo.Decimal)
}

// seconds returns a duration of at most a day; 0 for a longer one, which is not
// credible.
func seconds(n int64) time.Duration {
	if n < 0 || n > 24*60*60 {
		return 0
	}
	return time.Duration(n) * time.Second
}

func plain(n *money.Loose) *money.Decimal {
	if n == nil {
		return nil
	}
	return &n.Decimal
}

// problem is an error of the exchange. Code is empty if the answer has another
// form, because it then does not come from the exchange.
type problem struct {
	Code    string
	Details map[string]string
}

func problemOf(answer upstream.Answer) problem {
	var body struct {
		Error struct {
			Code    string            `json:"code"`
			Details map[string]string `json:"details"`
		} `json:"error"`
	}
	if answer.Decode(&body) != nil {
		return problem{}
	}
	return problem{body.Error.Code, body.Error.Details}
}

// refusal returns the error for the code of a refusal, and other for a code that
// is not listed here.
func refusal(answer upstream.Answer, amount money.Decimal, other error) error {
	told := problemOf(answer)
	switch told.Code {
	case "pair_not_supported":
		return provider.ErrPairUnsupported
	case "amount_below_min":
		return limit(provider.ErrBelowMin, told.Details["min_amount_from"], func(bound money.Decimal) bool { return bound.Cmp(amount) > 0 })
	case "amount_above_max":
		return limit(provider.ErrAboveMax, told.Details["max_amount_from"], func(bound money.Decimal) bool { return bound.Cmp(amount) < 0 })
	default:
		return other
	}
}

// limit returns a LimitError. It contains the reported bound if the amount
// violates that bound.
func limit(kind error, told string, possible func(money.Decimal) bool) error {
	e := &provider.LimitError{Kind: kind}
	if bound, err := money.ParseDecimal(told); err == nil && possible(bound) {
		e.Limit = &bound
	}
	return e
}

// orderRefusal returns an error only if the exchange itself refused the order with
// one of its known codes. Otherwise it returns nil, because the order may have
// been made.
func orderRefusal(answer upstream.Answer, amount money.Decimal) error {
	switch problemOf(answer).Code {
	case "invalid_parameter", "address_invalid", "address_blocked", "fixed_rate_unsupported":
		return provider.ErrRefused
	case "no_route_available", "route_unavailable", "pricing_stale", "not_found", "method_not_allowed":
		return provider.ErrUnavailable
	default:
		return refusal(answer, amount, nil)
	}
}

// lookupRefusal returns ErrUnknownSwap if the exchange's code means that there is
// no such trade, and nil for every other refusal.
func lookupRefusal(answer upstream.Answer) error {
	if problemOf(answer).Code == "trade_not_found" {
		return provider.ErrUnknownSwap
	}
	return nil
}
