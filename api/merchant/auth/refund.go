package auth

import (
	"context"

	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/scopedkey"
	"github.com/durapay/durapay/internal/staff"
)

// RefundLeave says whether a refund that the caller makes may need no approval. A key has
// to cover the permission for it, which the account's own keys do. The merchant's session
// at the desk has to have given the password just now. How much a person of the staff may
// refund is judged with the refund.
func (g *Guard) RefundLeave(ctx context.Context, k Key) (refund.Leave, error) {
	switch {
	case !k.Permissions.Covers(scopedkey.CreatePullPayments):
		return refund.NoLeave, nil
	case k.by == nil || k.by.Role != staff.Merchant || !g.stepUp:
		return refund.WithinSettings, nil
	}
	recent, err := g.isRecent(ctx, k.session)
	if err == nil && !recent {
		return refund.AfterStepUp, nil
	}
	return refund.WithinSettings, err
}

// Sees is a refund as the caller may see it: with its link, with which anybody can claim it,
// for who manages refunds. The link of a refund that needs no approval is as good as its
// money: a key that makes none such is shown none.
func (k Key) Sees(r refund.Refunded) refund.Refunded {
	if !k.Permissions.Covers(scopedkey.ManagePullPayments) || r.Automatic && !k.Permissions.Covers(scopedkey.CreatePullPayments) {
		r.Link = nil
	}
	return r
}
