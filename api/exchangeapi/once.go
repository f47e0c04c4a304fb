package exchangeapi

import (
	"context"
	"net/url"
	"time"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/tradedetails"
	"github.com/durapay/durapay/workflows"
)

const (
	// KeptFor is how long claims are kept.
	KeptFor = 24 * time.Hour
	// pruneBatch is how many old claims a new one removes: more than it adds.
	pruneBatch = 10
)

// Claim binds a key to the trade that is to be made.
type Claim struct {
	// Scope is where the key is one and the same.
	Scope string
	Key   string
	Query url.Values
	// For is how long the key is bound, at most KeptFor.
	For time.Duration
}

// Claimed is what a key is bound to.
type Claimed struct {
	db.ClaimIdempotencyKeyRow

	// New says that this claim was the first.
	New bool
	// SameQuery says whether the first claim had the same query.
	SameQuery bool
}

// Claim binds a key to the identifier of a trade, before the trade is made,
// or finds what it is bound to. Whoever comes with the same key asks the
// workflow of that identifier, which makes it once. In a transaction, others
// with the same key wait for its end.
func (f *Front) Claim(ctx context.Context, q *db.Queries, c Claim) (Claimed, error) {
	now := f.Now()
	id, asked := secret.NewTradeID(), f.Index.Query(c.Query.Encode())
	row, err := q.ClaimIdempotencyKey(ctx, db.ClaimIdempotencyKeyParams{
		Scope: c.Scope, KeyHash: f.Index.Query(c.Key), QueryHash: asked, TradeID: id, Now: now, Before: now.Add(-c.For),
	})
	return Claimed{row, row.TradeID == id, secret.Equal(row.QueryHash, asked)}, err
}

// Find is what a key is bound to, postgres.ErrNotFound when it is to nothing.
func (f *Front) Find(ctx context.Context, c Claim) (Claimed, error) {
	row, err := f.Store.FindIdempotencyKey(ctx, db.FindIdempotencyKeyParams{
		Scope: c.Scope, KeyHash: f.Index.Query(c.Key), Since: f.Now().Add(-c.For),
	})
	asked := f.Index.Query(c.Query.Encode())
	return Claimed{ClaimIdempotencyKeyRow: db.ClaimIdempotencyKeyRow(row), SameQuery: secret.Equal(row.QueryHash, asked)}, err
}

// Drop takes the claim of a trade away that was refused, so that whoever asks
// next is judged anew.
func (f *Front) Drop(ctx context.Context, tradeID string) error {
	return f.Store.DropIdempotencyKey(ctx, tradeID)
}

// PruneClaims removes some of the claims that are too old.
func (f *Front) PruneClaims(ctx context.Context) error {
	_, err := f.Store.PruneIdempotencyKeys(ctx, db.PruneIdempotencyKeysParams{Before: f.Now().Add(-KeptFor), Batch: pruneBatch})
	return err
}

// MadeTrade is the trade of this identifier, made now unless it exists.
func (f *Front) MadeTrade(ctx context.Context, id string, req workflows.CreateTrade) (db.Trade, error) {
	row, err := f.Store.GetTrade(ctx, id)
	if !postgres.IsNotFound(err) {
		return row, err
	}
	if err := f.createTrade(ctx, id, req); err != nil {
		return db.Trade{}, err
	}
	return f.Store.GetTrade(ctx, id)
}

// Details are what a trade was made with: whoever has its identifier is shown
// them.
func (f *Front) Details(row db.Trade) (tradedetails.Details, error) {
	return tradedetails.Of(f.Box, row)
}
