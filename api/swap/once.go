package swap

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// bound returns the stored answer for a key that already has a trade, even if the pair has
// changed since; nil if the trade is still to be created. A key with another query is refused
// before that query is checked.
func (a *app) bound(ctx context.Context, c Caller, q *query) ([]byte, error) {
	found, err := a.Find(ctx, q.claim(c))
	if postgres.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !found.SameQuery || q.err != nil {
		return nil, conflict()
	}
	if found.ResponseSealed != nil {
		return a.Box.Unseal(found.ResponseSealed, secret.ResponsePlace.Of(found.TradeID))
	}
	row, err := a.Store.GetTrade(ctx, found.TradeID)
	if postgres.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return a.keepResponse(ctx, row)
}

func (q *query) claim(c Caller) Claim {
	return Claim{Scope: c.KeyID, Key: q.key, Query: q.values, For: KeptFor}
}

func conflict() error {
	return refused(http.StatusBadRequest, codeConflict, "the Idempotency-Key was used with other parameters")
}

// createOnce creates the trade of an idempotency key, or finds it, and returns the body of the
// answer. After a refusal the same query starts a new attempt.
func (a *app) createOnce(ctx context.Context, c Caller, q *query, req Wanted) ([]byte, error) {
	if err := a.PruneClaims(ctx); err != nil {
		return nil, err
	}
	claimed, err := a.Claim(ctx, a.Store.Queries, q.claim(c))
	if err != nil {
		return nil, err
	}
	if !claimed.SameQuery {
		return nil, conflict()
	}
	if claimed.ResponseSealed != nil {
		return a.Box.Unseal(claimed.ResponseSealed, secret.ResponsePlace.Of(claimed.TradeID))
	}
	row, err := a.made(ctx, claimed, req)
	if err != nil {
		return nil, a.judgeAnew(ctx, claimed.TradeID, req, err)
	}
	return a.keepResponse(ctx, row)
}

func (a *app) made(ctx context.Context, claimed Claimed, req Wanted) (db.Trade, error) {
	if !claimed.New {
		if row, err := a.MadeBefore(ctx, claimed.TradeID); !postgres.IsNotFound(err) {
			return row, err
		}
	}
	return a.MadeTrade(ctx, claimed.TradeID, req)
}

// keepResponse stores the answer to the creation of a trade, unless one is stored already, and
// returns the stored one.
func (a *app) keepResponse(ctx context.Context, row db.Trade) ([]byte, error) {
	body, err := a.createdBody(row)
	if err != nil {
		return nil, err
	}
	sealed, err := a.Box.Seal(body, secret.ResponsePlace.Of(row.ID))
	if err != nil {
		return nil, err
	}
	kept, err := a.Store.KeepIdempotentResponse(ctx, db.KeepIdempotentResponseParams{TradeID: row.ID, ResponseSealed: sealed})
	if err != nil {
		return nil, err
	}
	return a.Box.Unseal(kept, secret.ResponsePlace.Of(row.ID))
}

// judgeAnew binds the key of a refused trade to a new identifier if providers were asked to fill
// it, because a provider is asked once for an identifier.
func (a *app) judgeAnew(ctx context.Context, id string, req Wanted, err error) error {
	told := refusalOf(err, req.AmountFrom)
	if _, refused := errors.AsType[*httpapi.Problem](told); !refused {
		return err
	}
	return cmp.Or(a.Store.RebindIdempotencyKey(ctx, db.RebindIdempotencyKeyParams{FreshID: secret.NewTradeID(), RefusedID: id}), told)
}
