package durapay

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/upstream"
)

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
