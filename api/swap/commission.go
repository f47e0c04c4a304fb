package swap

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

type commissionEntry struct {
	Ticker  string `json:"ticker"`
	Network string `json:"network"`
	Amount  string `json:"amount"  doc:"Credited so far, in the coin that was paid out"`
	Trades  int64  `json:"trades"  doc:"Completed trades with a markup"`
}

type commissionBalance struct {
	Balances []commissionEntry `json:"balances" nullable:"false"`
}

func registerCommission(api huma.API, a *app) {
	add(api, a, route{
		id: "commission", path: "/api/v1/commission", tag: tagTrades, summary: "Commission of the caller's key",
		text:   "What completed trades with a markup have brought in, by coin. Needs a key.",
		needed: true, response: commissionBalance{[]commissionEntry{exampleCommission()}},
	}, a.commission)
}

func (a *app) commission(ctx context.Context, _ *query) (*out[commissionBalance], error) {
	c := callerOf(ctx)
	if c.KeyID == "" {
		return nil, refused(http.StatusUnauthorized, codeUnauthorized, "a key is required")
	}
	rows, err := a.Store.CommissionBalance(ctx, c.KeyID)
	if err != nil {
		return nil, err
	}
	list := commissionBalance{[]commissionEntry{}}
	for _, r := range rows {
		list.Balances = append(list.Balances, commissionEntry{r.Ticker, r.Network, r.Amount.String(), r.Trades})
	}
	return &out[commissionBalance]{list}, nil
}
