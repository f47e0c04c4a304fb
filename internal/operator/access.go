package operator

import (
	"context"

	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres/db"
)

// ResetTwoFactor switches off the second factor of a merchant who has lost it, and ends
// every session. The merchant gets a mail. Without a second factor it does nothing.
func (d *Admin) ResetTwoFactor(ctx context.Context, who Actor, merchantID string) (Merchant, error) {
	err := d.change(ctx, merchantID, func(q *db.Queries, m db.Merchant) error {
		if m.DeletedAt != nil {
			return refuse("the account is deleted")
		}
		if m.TotpSecretSealed == nil {
			return nil
		}
		if err := q.ResetTwoFactor(ctx, merchantID); err != nil {
			return err
		}
		if err := q.DropBackupCodes(ctx, merchantID); err != nil {
			return err
		}
		if err := d.record(ctx, q, who, entry{"merchant.reset-2fa", merchantID, struct{}{}}); err != nil {
			return err
		}
		return d.Notices.Enqueue(ctx, q, m, notice.TwoFactorReset, nil)
	})
	if err != nil {
		return Merchant{}, err
	}
	return d.Merchant(ctx, merchantID)
}

// RecordReset writes into the audit, in the transaction of the change, that a
// merchant set another password with a link that was mailed.
func (d *Admin) RecordReset(ctx context.Context, q *db.Queries, merchantID string) error {
	return d.record(ctx, q, Actor(merchantID), entry{"merchant.password-reset", merchantID, struct{}{}})
}
