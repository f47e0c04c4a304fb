package swap

import (
	"context"
	"net/url"
	"time"

	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/trade"
)

const (
	// KeptFor is how long claims are stored.
	KeptFor = 24 * time.Hour
	// pruneBatch is the number of old claims that a new one removes, which is more than it
	// adds.
	pruneBatch = 10
)

// Claim binds a key to a trade that is to be created.
type Claim struct {
	// Scope is the namespace of the key.
	Scope string
	Key   string
	Query url.Values
	// For is how long the key is bound, at most KeptFor.
	For time.Duration
}

// Claimed is the trade that a key is bound to.
type Claimed struct {
	db.ClaimIdempotencyKeyRow

	// New is set if this claim was the first.
	New bool
	// SameQuery is set if the first claim had the same query.
	SameQuery bool
}

// Claim binds a key to the identifier of a trade before the trade is created, or finds the
// identifier that it is bound to. All requests with the same key make the trade with that
// identifier, so there is one. In a transaction, other requests with the same key
// wait for its end.
func (f *Front) Claim(ctx context.Context, q *db.Queries, c Claim) (Claimed, error) {
	now := f.Now()
	id, asked := secret.NewTradeID(), f.Index.Query(c.Query.Encode())
	row, err := q.ClaimIdempotencyKey(ctx, db.ClaimIdempotencyKeyParams{
		Scope: c.Scope, KeyHash: f.Index.Query(c.Key), QueryHash: asked, TradeID: id, Now: now, Before: now.Add(-c.For),
	})
	return Claimed{row, row.TradeID == id, secret.Equal(row.QueryHash, asked)}, err
}

// Find returns the trade that a key is bound to, or postgres.ErrNotFound.
func (f *Front) Find(ctx context.Context, c Claim) (Claimed, error) {
	row, err := f.Store.FindIdempotencyKey(ctx, db.FindIdempotencyKeyParams{
		Scope: c.Scope, KeyHash: f.Index.Query(c.Key), Since: f.Now().Add(-c.For),
	})
	asked := f.Index.Query(c.Query.Encode())
	return Claimed{ClaimIdempotencyKeyRow: db.ClaimIdempotencyKeyRow(row), SameQuery: secret.Equal(row.QueryHash, asked)}, err
}

// PruneClaims removes some of the expired claims.
func (f *Front) PruneClaims(ctx context.Context) error {
	_, err := f.Store.PruneIdempotencyKeys(ctx, db.PruneIdempotencyKeysParams{Before: f.Now().Add(-KeptFor), Batch: pruneBatch})
	return err
}

// Details returns the addresses and texts that a trade was created with. Any client that knows
// the trade's identifier may see them.
func (f *Front) Details(row db.Trade) (exchange.Details, error) {
	return exchange.DetailsOf(f.Box, row)
}

// TakeOver gives a trade without a key to the caller's key, with its markup in basis points,
// and returns the changed trade. It changes nothing if the caller has no key, if the trade has
// another key, if another provider fills it (which pays no commission), or after a deposit was
// seen: a deposit is paid at the terms under which it was sent. decimals are those of the
// payout coin.
func (f *Front) TakeOver(ctx context.Context, row db.Trade, c Caller, markup int64, decimals int32) (db.Trade, error) {
	if c.KeyID == "" || !free(row) {
		return row, nil
	}
	// The lock blocks new deposits, because they refer to the row.
	err := f.Store.Tx(ctx, func(q *db.Queries) error {
		var err error
		if row, err = q.LockTrade(ctx, row.ID); err != nil || !free(row) {
			return err
		}
		deposits, err := q.TradeDeposits(ctx, row.ID)
		if err != nil || len(deposits) > 0 {
			return err
		}
		rate, commission := trade.Marked(row.Rate, markup)
		row, err = q.TakeOverTrade(ctx, db.TakeOverTradeParams{
			ID: row.ID, KeyID: c.KeyRef(), Markup: int32(markup), Rate: rate, CommissionRate: commission,
			AmountTo: row.AmountFrom.Mul(rate).Floor(decimals), Now: f.Now(),
		})
		return err
	})
	return row, err
}

// free reports whether a trade has no key, is filled by the exchange itself and still awaits
// its deposit.
func free(row db.Trade) bool {
	return row.WalletFrom != nil && row.KeyID == nil && row.Markup == 0 && trade.Status(row.Status) == trade.AwaitingDeposit
}
