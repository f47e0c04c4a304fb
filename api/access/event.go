package access

import (
	"strings"

	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/webhook"
)

// MayView reports whether a key may read the content of an event of a type. A key that manages
// webhooks sees that the event happened. The content of charge and refund events needs the
// permission to view charges or refunds. The content of payout events is only for the account's
// own keys.
func (k Key) MayView(eventType string) bool { return k.Permissions.Covers(permissionOf(eventType)) }

func permissionOf(eventType string) permission.Permission {
	switch {
	case eventType == webhook.EventPing:
		return ""
	case strings.HasPrefix(eventType, "charge."), webhook.IsBTCPayEvent(eventType):
		return permission.ViewInvoices
	case strings.HasPrefix(eventType, "refund."):
		return permission.ViewPullPayments
	default:
		return permission.MoveMoney
	}
}
