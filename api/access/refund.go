package access

import (
	"context"

	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/refund"
)

// RefundLeave returns whether the caller may make a refund without approval. A key needs the
// permission for it, which the account's own keys have. A merchant's session at the desk must
// have given the password recently. The limit of a staff member is checked later, with the
// refund itself.
func (g *Guard) RefundLeave(ctx context.Context, k Key) (refund.Leave, error) {
	switch {
	case !k.Permissions.Covers(permission.CreatePullPayments):
		return refund.NoLeave, nil
	case k.by == nil || k.by.Role != permission.Merchant || !g.stepUp:
		return refund.WithinSettings, nil
	}
	recent, err := g.isRecent(ctx, k.session)
	if err == nil && !recent {
		return refund.AfterStepUp, nil
	}
	return refund.WithinSettings, err
}

// Sees returns a refund as the caller may see it. The link lets anyone claim the refund, so only
// callers who manage refunds see it. The link of an automatic refund is worth its money at once:
// it also needs the permission to make such refunds.
func (k Key) Sees(r refund.Refunded) refund.Refunded {
	if !k.Permissions.Covers(permission.ManagePullPayments) || r.Automatic && !k.Permissions.Covers(permission.CreatePullPayments) {
		r.Link = nil
	}
	return r
}
