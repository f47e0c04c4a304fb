package charges

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/money"
)

// Prices answers requests about prices.
type Prices struct {
	Prices service.Prices
}

// Register registers the route of the price.
func (h *Prices) Register(api operation.API) {
	h.registerPrice(api)
}

type xmrPrice struct {
	Price            money.Decimal `json:"price" doc:"Price of one XMR"`
	ChangePercent24h money.Decimal `json:"changePercent24h" doc:"Change in 24 hours, in percent"`
	High24h          money.Decimal `json:"high24h" doc:"Highest price in 24 hours"`
	Low24h           money.Decimal `json:"low24h" doc:"Lowest price in 24 hours"`
}

func (h *Prices) registerPrice(api operation.API) {
	operation.PublicRead(api, operation.Route{
		ID: "getXMRPrice", Method: http.MethodGet, Path: "/api/price/xmr", Tag: operation.TagPrice,
		Summary: "Get the price of XMR", Text: "Taken from an exchange's direct market pair. Another currency than those two " +
			"is a 400. Without a usable price 500 with `Retry-After`.",
		Query:  []*huma.Param{httpapi.ChoiceParam("currency", "Currency of the price.", "USD", "EUR")},
		Errors: []int{http.StatusBadRequest},
		Response: xmrPrice{
			Price: money.MustDecimal("163.52"), ChangePercent24h: money.MustDecimal("-1.25"),
			High24h: money.MustDecimal("167.1"), Low24h: money.MustDecimal("160.94"),
		},
	}, h.xmrPrice)
}

func (h *Prices) xmrPrice(_ context.Context, in *struct{ httpapi.Query }) (xmrPrice, error) {
	currency, err := in.OneOf("currency", "USD", "EUR")
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
