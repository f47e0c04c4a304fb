package rekey

import (
	"context"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

func merchants(ctx context.Context, q *db.Queries, after string) ([]row, error) {
	found, err := q.MerchantsAfter(ctx, db.MerchantsAfterParams{MerchantID: after, Limit: batch})
	return rowsOf(found, err, func(r db.MerchantsAfterRow) row {
		return row{r.MerchantID, []value{
			{r.EmailSealed, secret.EmailPlace(r.MerchantID)},
			{r.PayoutAddressSealed, secret.PayoutPlace(r.MerchantID)},
			{r.TotpSecretSealed, secret.TOTPPlace(r.MerchantID)},
			{r.AutoSwapAddressSealed, secret.AutoSwapPlace(r.MerchantID)},
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
			{r.EmailSealed, secret.VerificationEmailPlace(r.ID)},
			{r.TokenSealed, secret.VerificationTokenPlace(r.ID)},
		}, func(fresh [][]byte) error {
			return q.RekeyEmailVerification(ctx, db.RekeyEmailVerificationParams{ID: r.ID, EmailSealed: fresh[0], TokenSealed: fresh[1]})
		}}
	})
}

func accountNotices(ctx context.Context, q *db.Queries, after string) ([]row, error) {
	found, err := q.AccountNoticesAfter(ctx, db.AccountNoticesAfterParams{ID: after, Limit: batch})
	return rowsOf(found, err, func(r db.AccountNoticesAfterRow) row {
		return row{r.ID, []value{{r.EmailSealed, secret.NoticePlace(r.ID)}}, func(fresh [][]byte) error {
			return q.RekeyAccountNotice(ctx, db.RekeyAccountNoticeParams{ID: r.ID, EmailSealed: fresh[0]})
		}}
	})
}

func passwordResets(ctx context.Context, q *db.Queries, after string) ([]row, error) {
	found, err := q.PasswordResetsAfter(ctx, db.PasswordResetsAfterParams{ID: after, Limit: batch})
	return rowsOf(found, err, func(r db.PasswordResetsAfterRow) row {
		return row{r.ID, []value{{r.TokenSealed, secret.ResetPlace(r.ID)}}, func(fresh [][]byte) error {
			return q.RekeyPasswordReset(ctx, db.RekeyPasswordResetParams{ID: r.ID, TokenSealed: fresh[0]})
		}}
	})
}
