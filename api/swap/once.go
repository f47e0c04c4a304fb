package swap

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/durapay/durapay/api/front"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/workflows"
)

// createOnce makes the trade of an idempotency key, or finds it, and returns
// the body of the answer. A refusal keeps the key, bound to another
// identifier: what was refused is asked for again by the same query.
func (a *app) createOnce(ctx context.Context, c front.Caller, q *query, req workflows.CreateTrade) ([]byte, error) {
	if err := a.PruneClaims(ctx); err != nil {
		return nil, err
	}
	claimed, err := a.Claim(ctx, a.Store.Queries, front.Claim{Scope: c.KeyID, Key: q.key, Query: q.values, For: front.KeptFor})
	if err != nil {
		return nil, err
	}
	if !claimed.SameQuery {
		return nil, refused(http.StatusBadRequest, codeConflict, "the Idempotency-Key was used with other parameters")
	}
	place := secret.AD{Table: "idempotency_keys", Column: "response", ID: claimed.TradeID}
	if claimed.ResponseSealed != nil {
		return a.Box.Unseal(claimed.ResponseSealed, place)
	}
	row, err := a.MadeTrade(ctx, claimed.TradeID, req)
	if err != nil {
		return nil, a.judgeAnew(ctx, claimed.TradeID, req, err)
	}
	body, err := a.createdBody(row)
	if err != nil {
		return nil, err
	}
	sealed, err := a.Box.Seal(body, place)
	if err != nil {
		return nil, err
	}
	kept, err := a.Store.KeepIdempotentResponse(ctx, db.KeepIdempotentResponseParams{TradeID: claimed.TradeID, ResponseSealed: sealed})
	if err != nil {
		return nil, err
	}
	return a.Box.Unseal(kept, place)
}

// judgeAnew binds the key of a refused trade to a fresh identifier. The engine
// answers for the old one what it answered before.
func (a *app) judgeAnew(ctx context.Context, id string, req workflows.CreateTrade, err error) error {
	told := refusalOf(err, req.AmountFrom)
	if _, refused := errors.AsType[*problem](told); !refused {
		return err
	}
	return cmp.Or(a.Store.RebindIdempotencyKey(ctx, db.RebindIdempotencyKeyParams{FreshID: secret.NewTradeID(), RefusedID: id}), told)
}
