package rekey

import (
	"context"
	"fmt"
	"strconv"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// value is one sealed value of a table and how it is replaced.
type value struct {
	id      string
	sealed  []byte
	replace func(ctx context.Context, sealed []byte) error
}

// column rekeys the values of one column, each at its place.
func column(ctx context.Context, box *secret.Box, place func(id string) secret.AD, values []value) (n int, last string, err error) {
	for _, v := range values {
		fresh, changed, err := again(box, v.sealed, place(v.id))
		if err != nil {
			return 0, "", err
		}
		if changed > 0 {
			if err := v.replace(ctx, fresh); err != nil {
				return 0, "", err
			}
		}
		n, last = n+changed, v.id
	}
	return n, last, nil
}

func swapKeys(ctx context.Context, q *db.Queries, box *secret.Box, after string) (n int, last string, err error) {
	rows, err := q.SwapKeysAfter(ctx, db.SwapKeysAfterParams{ID: after, Limit: batch})
	if err != nil {
		return 0, "", err
	}
	values := make([]value, len(rows))
	for i, r := range rows {
		values[i] = value{r.ID, r.SecretSealed, func(ctx context.Context, sealed []byte) error {
			return q.RekeySwapKey(ctx, db.RekeySwapKeyParams{ID: r.ID, SecretSealed: sealed})
		}}
	}
	return column(ctx, box, secret.PartnerPlace, values)
}

func trades(ctx context.Context, q *db.Queries, box *secret.Box, after string) (n int, last string, err error) {
	rows, err := q.TradesAfter(ctx, db.TradesAfterParams{ID: after, Limit: batch})
	if err != nil {
		return 0, "", err
	}
	values := make([]value, len(rows))
	for i, r := range rows {
		values[i] = value{r.ID, r.DetailsSealed, func(ctx context.Context, sealed []byte) error {
			return q.RekeyTrade(ctx, db.RekeyTradeParams{ID: r.ID, DetailsSealed: sealed})
		}}
	}
	return column(ctx, box, secret.TradePlace, values)
}

// tradeDeposits seals anew where deposits come from.
func tradeDeposits(ctx context.Context, q *db.Queries, box *secret.Box, after string) (n int, last string, err error) {
	id, err := number(after)
	if err != nil {
		return 0, "", err
	}
	rows, err := q.TradeDepositsAfter(ctx, db.TradeDepositsAfterParams{ID: id, Limit: batch})
	if err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		fresh, changed, err := again(box, r.OriginsSealed, secret.OriginsPlace(r.WalletID, r.TxHash, r.Address))
		if err == nil && changed > 0 {
			err = q.RekeyTradeDeposit(ctx, db.RekeyTradeDepositParams{ID: r.ID, OriginsSealed: fresh})
		}
		if err != nil {
			return 0, "", err
		}
		n, last = n+changed, strconv.FormatInt(r.ID, 10)
	}
	return n, last, nil
}

// number is the row that a table with numbered rows goes on after; empty for
// its beginning.
func number(after string) (int64, error) {
	if after == "" {
		return 0, nil
	}
	id, err := strconv.ParseInt(after, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("row %q: %w", after, err)
	}
	return id, nil
}

// outgoing rekeys the proofs of transactions.
func outgoing(ctx context.Context, q *db.Queries, box *secret.Box, after string) (n int, last string, err error) {
	id, err := number(after)
	if err != nil {
		return 0, "", err
	}
	rows, err := q.OutgoingAfter(ctx, db.OutgoingAfterParams{ID: id, Limit: batch})
	if err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		fresh, changed, err := again(box, r.ProofSealed, secret.ProofPlace(r.ID))
		if err == nil && changed > 0 {
			err = q.RekeyOutgoing(ctx, db.RekeyOutgoingParams{ID: r.ID, ProofSealed: fresh})
		}
		if err != nil {
			return 0, "", err
		}
		n, last = n+changed, strconv.FormatInt(r.ID, 10)
	}
	return n, last, nil
}

func responses(ctx context.Context, q *db.Queries, box *secret.Box, after string) (n int, last string, err error) {
	rows, err := q.IdempotencyKeysAfter(ctx, db.IdempotencyKeysAfterParams{TradeID: after, Limit: batch})
	if err != nil {
		return 0, "", err
	}
	values := make([]value, len(rows))
	for i, r := range rows {
		values[i] = value{r.TradeID, r.ResponseSealed, func(ctx context.Context, sealed []byte) error {
			return q.RekeyIdempotencyKey(ctx, db.RekeyIdempotencyKeyParams{TradeID: r.TradeID, ResponseSealed: sealed})
		}}
	}
	return column(ctx, box, secret.ResponsePlace, values)
}
