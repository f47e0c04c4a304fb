package workflows

import "github.com/durapay/durapay/activities"

// Refusals are the types of the application errors by which an update tells
// why it cannot be done. The message of such an error is meant for clients.
const (
	RefusedMerchant   = activities.RefusedMerchant
	RefusedNoAddress  = activities.RefusedNoAddress
	RefusedAmount     = activities.RefusedAmount
	RefusedNoPrice    = activities.RefusedNoPrice
	RefusedTooMany    = activities.RefusedTooMany
	RefusedRequest    = activities.RefusedRequest
	RefusedGone       = activities.RefusedGone
	RefusedNoPayout   = activities.RefusedNoPayout
	RefusedNoUnpaid   = activities.RefusedNoUnpaid
	RefusedLocked     = activities.RefusedLocked
	RefusedInProgress = activities.RefusedInProgress
	RefusedTooSmall   = activities.RefusedTooSmall
	RefusedBroadcast  = activities.RefusedBroadcast
	RefusedDelivery   = activities.RefusedDelivery
	RefusedSuspended  = activities.RefusedSuspended
	RefusedAccept     = activities.RefusedAccept
	RefusedWebhook    = activities.RefusedWebhook
	RefusedPair       = activities.RefusedPair
	RefusedLimits     = activities.RefusedLimits
	RefusedStale      = activities.RefusedStale
	RefusedRoute      = activities.RefusedRoute
	RefusedBlocked    = activities.RefusedBlocked
	RefusedTransfer   = activities.RefusedTransfer
	RefusedOrder      = activities.RefusedOrder
	RefusedRate       = activities.RefusedRate
	RefusedUncertain  = activities.RefusedUncertain
	RefusedUsed       = activities.RefusedUsed
	RefusedWaiting    = activities.RefusedWaiting
	RefusedSwap       = activities.RefusedSwap
)
