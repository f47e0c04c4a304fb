package auth

import (
	"strings"

	"github.com/durapay/durapay/internal/scopedkey"
	"github.com/durapay/durapay/internal/webhook"
)

// MayView says whether a key may read what an event of a type carries. Who may manage
// webhooks sees that there was one; what it tells of a charge or a refund is for who
// may view those, and what it tells of a payout is for the account's own keys.
func (k Key) MayView(eventType string) bool { return k.Permissions.Covers(permissionOf(eventType)) }

func permissionOf(eventType string) scopedkey.Permission {
	switch {
	case eventType == webhook.EventPing:
		return ""
	case strings.HasPrefix(eventType, "charge."), webhook.IsBTCPayEvent(eventType):
		return scopedkey.ViewInvoices
	case strings.HasPrefix(eventType, "refund."):
		return scopedkey.ViewPullPayments
	default:
		return scopedkey.MoveMoney
	}
}
