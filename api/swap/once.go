package swap

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"time"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/workflows"
)

const (
	// keptFor is how long a key and its answer are kept.
	keptFor = 24 * time.Hour
	// pruneBatch is how many old keys a creation removes: more than it adds.
	pruneBatch = 10
)

// createOnce makes the trade of an idempotency key, or finds it, and returns
// the body of the answer. The key is bound to the identifier of a trade before
// the trade is made; whoever comes with the same key asks the workflow of that
// identifier, which makes it once. A refusal keeps the key, bound to another
// identifier: what was refused is asked for again by the same query.
func (a *app) createOnce(ctx context.Context, c caller, q *query, req workflows.CreateTrade) ([]byte, error) {
	now := a.now()
	if _, err := a.Store.PruneIdempotencyKeys(ctx, db.PruneIdempotencyKeysParams{Before: now.Add(-keptFor), Batch: pruneBatch}); err != nil {
		return nil, err
	}
	asked := sha256.Sum256([]byte(q.values.Encode()))
	claimed, err := a.Store.ClaimIdempotencyKey(ctx, db.ClaimIdempotencyKeyParams{
		Scope: c.keyID, KeyHash: secret.HashAPIKey(q.key), QueryHash: asked[:], TradeID: secret.NewTradeID(),
		Now: now, Before: now.Add(-keptFor),
	})
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(claimed.QueryHash, asked[:]) {
		return nil, refused(http.StatusBadRequest, codeConflict, "the Idempotency-Key was used with other parameters")
	}
	place := secret.AD{Table: "idempotency_keys", Column: "response", ID: claimed.TradeID}
	if claimed.ResponseSealed != nil {
		return a.Box.Unseal(claimed.ResponseSealed, place)
	}
	row, err := a.madeTrade(ctx, claimed.TradeID, req)
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

// madeTrade is the trade of this identifier, made now unless it exists.
func (a *app) madeTrade(ctx context.Context, id string, req workflows.CreateTrade) (db.Trade, error) {
	row, err := a.Store.GetTrade(ctx, id)
	if !postgres.IsNotFound(err) {
		return row, err
	}
	if err := a.engine.createTrade(ctx, id, req); err != nil {
		return db.Trade{}, err
	}
	return a.Store.GetTrade(ctx, id)
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
