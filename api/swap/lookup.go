package swap

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
)

func registerLookup(api huma.API, a *app) {
	add(api, a, route{
		id: "trade", path: "/api/v1/trade", tag: tagTrades, summary: "Look a swap up",
		text: "An array of exactly one trade. The identifier is enough; a password that is given, even empty, must be the " +
			"trade's (401). An unknown trade, or one that retention has removed, is a 404 trade_not_found.",
		query: []*huma.Param{
			textParam("id", "trade_id of the creation.", exampleTradeID, true),
			textParam("password", "Password of the creation.", "", false),
		},
		errors:   []int{http.StatusNotFound},
		response: []foundTrade{exampleFound()},
	}, a.lookup)
}

func (a *app) lookup(ctx context.Context, q *query) (*out[[]foundTrade], error) {
	id, err := q.needed("id")
	if err != nil {
		return nil, err
	}
	password, err := q.text("password")
	if err != nil {
		return nil, err
	}
	row, err := a.Store.GetTrade(ctx, id)
	if postgres.IsNotFound(err) {
		return nil, refused(http.StatusNotFound, codeTradeNotFound, "there is no such trade")
	}
	if err != nil {
		return nil, err
	}
	found, err := a.foundTrade(ctx, row)
	if err != nil {
		return nil, err
	}
	if q.values.Has("password") && !secret.Equal([]byte(password), []byte(found.Password)) {
		return nil, refused(http.StatusUnauthorized, codeUnauthorized, "the password is not that of the trade")
	}
	return &out[[]foundTrade]{[]foundTrade{found}}, nil
}
