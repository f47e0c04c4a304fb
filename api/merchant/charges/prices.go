package charges

import (
	"context"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/operation"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/money"
)

// Prices answers requests about prices.
type Prices struct {
	Prices service.Prices
}

// Register registers the route of the price.
func (h *Prices) Register(api operation.API) {
	operation.PublicRead(api, operation.Route{ID: "getXMRPrice", At: "GET /api/price/xmr"}, h.xmrPrice)
}

type xmrPrice struct {
	Price            money.Decimal `json:"price" doc:"Price of one XMR"`
	ChangePercent24h money.Decimal `json:"changePercent24h" doc:"Change in 24 hours, in percent"`
	High24h          money.Decimal `json:"high24h" doc:"Highest price in 24 hours"`
	Low24h           money.Decimal `json:"low24h" doc:"Lowest price in 24 hours"`
}

func (h *Prices) xmrPrice(_ context.Context, in *struct{ httpapi.Query }) (xmrPrice, error) {
	currency, err := in.OneOf("currency")
	if err != nil {
		return xmrPrice{}, err
	}
	quote, err := h.Prices.Price(money.Currency(currency))
	if err != nil {
		return xmrPrice{}, httpapi.Unavailable("no exchange rate is available", httpapi.RetryPrice)
	}
	return xmrPrice{
		Price: quote.Price, ChangePercent24h: quote.ChangePercent24h, High24h: quote.High24h, Low24h: quote.Low24h,
	}, nil
}
