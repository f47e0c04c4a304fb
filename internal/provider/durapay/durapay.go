package durapay

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"

	"github.com/durapay/durapay/internal/coin"
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
