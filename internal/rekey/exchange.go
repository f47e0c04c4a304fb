package rekey

import (
	"context"
	"fmt"
	"strconv"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

func swapKeys(ctx context.Context, q *db.Queries, after string) ([]row, error) {
	found, err := q.SwapKeysAfter(ctx, db.SwapKeysAfterParams{ID: after, Limit: batch})
	return rowsOf(found, err, func(r db.SwapKeysAfterRow) row {
		return row{r.ID, []value{{r.SecretSealed, secret.PartnerPlace(r.ID)}}, func(fresh [][]byte) error {
			return q.RekeySwapKey(ctx, db.RekeySwapKeyParams{ID: r.ID, SecretSealed: fresh[0]})
		}}
	})
}

func trades(ctx context.Context, q *db.Queries, after string) ([]row, error) {
	found, err := q.TradesAfter(ctx, db.TradesAfterParams{ID: after, Limit: batch})
	return rowsOf(found, err, func(r db.TradesAfterRow) row {
		return row{r.ID, []value{{r.DetailsSealed, secret.TradePlace(r.ID)}}, func(fresh [][]byte) error {
			return q.RekeyTrade(ctx, db.RekeyTradeParams{ID: r.ID, DetailsSealed: fresh[0]})
		}}
	})
}

func responses(ctx context.Context, q *db.Queries, after string) ([]row, error) {
	found, err := q.IdempotencyKeysAfter(ctx, db.IdempotencyKeysAfterParams{TradeID: after, Limit: batch})
	return rowsOf(found, err, func(r db.IdempotencyKeysAfterRow) row {
		return row{r.TradeID, []value{{r.ResponseSealed, secret.ResponsePlace(r.TradeID)}}, func(fresh [][]byte) error {
			return q.RekeyIdempotencyKey(ctx, db.RekeyIdempotencyKeyParams{TradeID: r.TradeID, ResponseSealed: fresh[0]})
		}}
	})
}

// tradeDeposits rekeys the origins of deposits.
func tradeDeposits(ctx context.Context, q *db.Queries, after string) ([]row, error) {
	id, err := number(after)
	if err != nil {
		return nil, err
	}
	found, err := q.TradeDepositsAfter(ctx, db.TradeDepositsAfterParams{ID: id, Limit: batch})
	return rowsOf(found, err, func(r db.TradeDeposit) row {
		return row{strconv.FormatInt(r.ID, 10), []value{{r.OriginsSealed, secret.OriginsPlace(r.WalletID, r.TxHash, r.Address)}}, func(fresh [][]byte) error {
			return q.RekeyTradeDeposit(ctx, db.RekeyTradeDepositParams{ID: r.ID, OriginsSealed: fresh[0]})
		}}
	})
}

// outgoing rekeys the proofs of transactions.
func outgoing(ctx context.Context, q *db.Queries, after string) ([]row, error) {
	id, err := number(after)
	if err != nil {
		return nil, err
	}
	found, err := q.OutgoingAfter(ctx, db.OutgoingAfterParams{ID: id, Limit: batch})
	return rowsOf(found, err, func(r db.OutgoingAfterRow) row {
		return row{strconv.FormatInt(r.ID, 10), []value{{r.ProofSealed, secret.ProofPlace(r.ID)}}, func(fresh [][]byte) error {
			return q.RekeyOutgoing(ctx, db.RekeyOutgoingParams{ID: r.ID, ProofSealed: fresh[0]})
		}}
	})
}

// number returns the number of the row after which a table with numbered rows
// continues; empty is the beginning.
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
