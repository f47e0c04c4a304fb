package rekey

import (
	"context"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

func accountNotices(ctx context.Context, q *db.Queries, box *secret.Box, after string) (n int, last string, err error) {
	rows, err := q.AccountNoticesAfter(ctx, db.AccountNoticesAfterParams{ID: after, Limit: batch})
	if err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		email, changed, err := again(box, r.EmailSealed, secret.NoticePlace(r.ID))
		if err != nil {
			return 0, "", err
		}
		if changed > 0 {
			if err := q.RekeyAccountNotice(ctx, db.RekeyAccountNoticeParams{ID: r.ID, EmailSealed: email}); err != nil {
				return 0, "", err
			}
		}
		n, last = n+changed, r.ID
	}
	return n, last, nil
}

func passwordResets(ctx context.Context, q *db.Queries, box *secret.Box, after string) (n int, last string, err error) {
	rows, err := q.PasswordResetsAfter(ctx, db.PasswordResetsAfterParams{ID: after, Limit: batch})
	if err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		token, changed, err := again(box, r.TokenSealed, secret.ResetPlace(r.ID))
		if err != nil {
			return 0, "", err
		}
		if changed > 0 {
			if err := q.RekeyPasswordReset(ctx, db.RekeyPasswordResetParams{ID: r.ID, TokenSealed: token}); err != nil {
				return 0, "", err
			}
		}
		n, last = n+changed, r.ID
	}
	return n, last, nil
}
