package workflows

import (
	"errors"

	"go.temporal.io/sdk/temporal"

	"github.com/durapay/durapay/activities"
)

// Refusals are the types of the application errors by which an update tells
// why it cannot be done. The message of such an error is meant for clients.
const (
	RefusedMerchant     = activities.RefusedMerchant
	RefusedNoAddress    = activities.RefusedNoAddress
	RefusedAmount       = activities.RefusedAmount
	RefusedNoPrice      = activities.RefusedNoPrice
	RefusedTooMany      = activities.RefusedTooMany
	RefusedRequest      = activities.RefusedRequest
	RefusedMissing      = activities.RefusedMissing
	RefusedNoPayout     = activities.RefusedNoPayout
	RefusedNoUnpaid     = activities.RefusedNoUnpaid
	RefusedLocked       = activities.RefusedLocked
	RefusedHeld         = activities.RefusedHeld
	RefusedInProgress   = activities.RefusedInProgress
	RefusedTooSmall     = activities.RefusedTooSmall
	RefusedBroadcast    = activities.RefusedBroadcast
	RefusedDelivery     = activities.RefusedDelivery
	RefusedSuspended    = activities.RefusedSuspended
	RefusedAccept       = activities.RefusedAccept
	RefusedWebhook      = activities.RefusedWebhook
	RefusedSafeMode     = activities.RefusedSafeMode
	RefusedPair         = activities.RefusedPair
	RefusedLimits       = activities.RefusedLimits
	RefusedStale        = activities.RefusedStale
	RefusedRoute        = activities.RefusedRoute
	RefusedBlocked      = activities.RefusedBlocked
	RefusedTradePayment = activities.RefusedTradePayment
	RefusedOrder        = activities.RefusedOrder
	RefusedRate         = activities.RefusedRate
	RefusedUncertain    = activities.RefusedUncertain
	RefusedUsed         = activities.RefusedUsed
	RefusedWaiting      = activities.RefusedWaiting
	RefusedSwap         = activities.RefusedSwap
)

// refusal is the reason of a refusal, or empty for any other error but a fault
// with a type of its own: compare it with reasons, or ask isRefusal.
func refusal(err error) string {
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		return app.Type()
	}
	return ""
}

// isRefusal tells a refusal, after which nothing was made, from a fault. To
// Temporal every error of an activity is an application error, and the type
// of a fault is that of the Go error.
func isRefusal(err error) bool {
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	return ok && app.NonRetryable()
}
