package rekey

import (
	"context"
	"fmt"
	"strconv"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

func webhooks(ctx context.Context, q *db.Queries, after string) ([]row, error) {
	found, err := q.WebhooksAfter(ctx, db.WebhooksAfterParams{ID: after, Limit: batch})
	return rowsOf(found, err, func(r db.WebhooksAfterRow) row {
		return row{r.ID, []value{{r.SecretSealed, secret.WebhookPlace.Of(r.ID)}}, func(fresh [][]byte) error {
			return q.RekeyWebhook(ctx, db.RekeyWebhookParams{ID: r.ID, SecretSealed: fresh[0]})
		}}
	})
}

func payouts(ctx context.Context, q *db.Queries, after string) ([]row, error) {
	found, err := q.PayoutsAfter(ctx, db.PayoutsAfterParams{ID: after, Limit: batch})
	return rowsOf(found, err, func(r db.PayoutsAfterRow) row {
		return row{r.ID, []value{
			{r.AddressSealed, secret.SweepAddressPlace.Of(r.ID)},
			{r.SwapAddressSealed, secret.SweepSwapPlace.Of(r.ID)},
		}, func(fresh [][]byte) error {
			return q.RekeyPayout(ctx, db.RekeyPayoutParams{ID: r.ID, AddressSealed: fresh[0], SwapAddressSealed: fresh[1]})
		}}
	})
}

func refunds(ctx context.Context, q *db.Queries, after string) ([]row, error) {
	found, err := q.RefundsAfter(ctx, db.RefundsAfterParams{ID: after, Limit: batch})
	return rowsOf(found, err, func(r db.RefundsAfterRow) row {
		return row{r.ID, []value{{r.TokenSealed, secret.RefundTokenPlace.Of(r.ID)}}, func(fresh [][]byte) error {
			return q.RekeyRefund(ctx, db.RekeyRefundParams{ID: r.ID, TokenSealed: fresh[0]})
		}}
	})
}

func refundClaims(ctx context.Context, q *db.Queries, after string) ([]row, error) {
	found, err := q.ClaimsAfter(ctx, db.ClaimsAfterParams{ID: after, Limit: batch})
	return rowsOf(found, err, func(r db.ClaimsAfterRow) row {
		return row{r.ID, []value{
			{r.AddressSealed, secret.ClaimAddressPlace.Of(r.ID)},
			{r.ProofSealed, secret.ClaimProofPlace.Of(r.ID)},
		}, func(fresh [][]byte) error {
			return q.RekeyClaim(ctx, db.RekeyClaimParams{ID: r.ID, AddressSealed: fresh[0], ProofSealed: fresh[1]})
		}}
	})
}

func swaps(ctx context.Context, q *db.Queries, after string) ([]row, error) {
	found, err := q.SwapsAfter(ctx, db.SwapsAfterParams{ID: after, Limit: batch})
	return rowsOf(found, err, func(r db.SwapsAfterRow) row {
		return row{r.ID, []value{
			{r.AddressSealed, secret.SwapAddressPlace.Of(r.ID)},
			{r.RefundSealed, secret.SwapRefundPlace.Of(r.ID)},
		}, func(fresh [][]byte) error {
			return q.RekeySwap(ctx, db.RekeySwapParams{ID: r.ID, AddressSealed: fresh[0], RefundSealed: fresh[1]})
		}}
	})
}

func merchants(ctx context.Context, q *db.Queries, after string) ([]row, error) {
	found, err := q.MerchantsAfter(ctx, db.MerchantsAfterParams{MerchantID: after, Limit: batch})
	return rowsOf(found, err, func(r db.MerchantsAfterRow) row {
		return row{r.MerchantID, []value{
			{r.EmailSealed, secret.EmailPlace.Of(r.MerchantID)},
			{r.PayoutAddressSealed, secret.PayoutPlace.Of(r.MerchantID)},
			{r.TotpSecretSealed, secret.TOTPPlace.Of(r.MerchantID)},
			{r.AutoSwapAddressSealed, secret.AutoSwapPlace.Of(r.MerchantID)},
		}, func(fresh [][]byte) error {
			return q.RekeyMerchant(ctx, db.RekeyMerchantParams{
				MerchantID: r.MerchantID, EmailSealed: fresh[0], PayoutAddressSealed: fresh[1], TotpSecretSealed: fresh[2], AutoSwapAddressSealed: fresh[3],
			})
		}}
	})
}

func emailVerifications(ctx context.Context, q *db.Queries, after string) ([]row, error) {
	found, err := q.EmailVerificationsAfter(ctx, db.EmailVerificationsAfterParams{ID: after, Limit: batch})
	return rowsOf(found, err, func(r db.EmailVerificationsAfterRow) row {
		return row{r.ID, []value{
			{r.EmailSealed, secret.VerificationEmailPlace.Of(r.ID)},
			{r.TokenSealed, secret.VerificationTokenPlace.Of(r.ID)},
		}, func(fresh [][]byte) error {
			return q.RekeyEmailVerification(ctx, db.RekeyEmailVerificationParams{ID: r.ID, EmailSealed: fresh[0], TokenSealed: fresh[1]})
		}}
	})
}

func accountNotices(ctx context.Context, q *db.Queries, after string) ([]row, error) {
	found, err := q.AccountNoticesAfter(ctx, db.AccountNoticesAfterParams{ID: after, Limit: batch})
	return rowsOf(found, err, func(r db.AccountNoticesAfterRow) row {
		return row{r.ID, []value{{r.EmailSealed, secret.NoticePlace.Of(r.ID)}}, func(fresh [][]byte) error {
			return q.RekeyAccountNotice(ctx, db.RekeyAccountNoticeParams{ID: r.ID, EmailSealed: fresh[0]})
		}}
	})
}

func passwordResets(ctx context.Context, q *db.Queries, after string) ([]row, error) {
	found, err := q.PasswordResetsAfter(ctx, db.PasswordResetsAfterParams{ID: after, Limit: batch})
	return rowsOf(found, err, func(r db.PasswordResetsAfterRow) row {
		return row{r.ID, []value{{r.TokenSealed, secret.ResetPlace.Of(r.ID)}}, func(fresh [][]byte) error {
			return q.RekeyPasswordReset(ctx, db.RekeyPasswordResetParams{ID: r.ID, TokenSealed: fresh[0]})
		}}
	})
}

func swapKeys(ctx context.Context, q *db.Queries, after string) ([]row, error) {
	found, err := q.SwapKeysAfter(ctx, db.SwapKeysAfterParams{ID: after, Limit: batch})
	return rowsOf(found, err, func(r db.SwapKeysAfterRow) row {
		return row{r.ID, []value{{r.SecretSealed, secret.PartnerPlace.Of(r.ID)}}, func(fresh [][]byte) error {
			return q.RekeySwapKey(ctx, db.RekeySwapKeyParams{ID: r.ID, SecretSealed: fresh[0]})
		}}
	})
}

func trades(ctx context.Context, q *db.Queries, after string) ([]row, error) {
	found, err := q.TradesAfter(ctx, db.TradesAfterParams{ID: after, Limit: batch})
	return rowsOf(found, err, func(r db.TradesAfterRow) row {
		return row{r.ID, []value{{r.DetailsSealed, secret.TradePlace.Of(r.ID)}}, func(fresh [][]byte) error {
			return q.RekeyTrade(ctx, db.RekeyTradeParams{ID: r.ID, DetailsSealed: fresh[0]})
		}}
	})
}

func responses(ctx context.Context, q *db.Queries, after string) ([]row, error) {
	found, err := q.IdempotencyKeysAfter(ctx, db.IdempotencyKeysAfterParams{TradeID: after, Limit: batch})
	return rowsOf(found, err, func(r db.IdempotencyKeysAfterRow) row {
		return row{r.TradeID, []value{{r.ResponseSealed, secret.ResponsePlace.Of(r.TradeID)}}, func(fresh [][]byte) error {
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
