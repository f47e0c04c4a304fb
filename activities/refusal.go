package activities

import (
	"errors"

	"go.temporal.io/sdk/temporal"

	"github.com/durapay/durapay/internal/alert"
)

// Refusals are the reasons for which a request cannot be done and trying the
// same again cannot help. They travel as the type of an application error.
const (
	RefusedMerchant   = "merchant_unknown"
	RefusedNoAddress  = "no_receiving_address"
	RefusedAmount     = "amount_out_of_range"
	RefusedNoPrice    = "no_price"
	RefusedTooMany    = "too_many_pending"
	RefusedRequest    = "payment_request_gone"
	RefusedMissing    = "missing"
	RefusedNoPayout   = "no_payout_address"
	RefusedNoUnpaid   = "no_unpaid_charges"
	RefusedLocked     = "unpaid_charges_locked"
	RefusedHeld       = "payouts_held"
	RefusedInProgress = "payout_in_progress"
	RefusedTooSmall   = "below_fees"
	RefusedBroadcast  = "broadcast_failed"
	RefusedDelivery   = "delivery_pending"
	RefusedSuspended  = "merchant_suspended"
	RefusedAccept     = "nothing_to_accept"
	RefusedWebhook    = "webhook_unknown"
	// RefusedSafeMode says that the wallet is in safe mode: nothing is promised
	// before an operator has recovered it.
	RefusedSafeMode = "safe_mode"
	// RefusedPair and those below are of the swap exchange.
	RefusedPair    = "pair_not_supported"
	RefusedLimits  = "amount_outside_limits"
	RefusedStale   = "pricing_stale"
	RefusedRoute   = "route_unavailable"
	RefusedBlocked = "address_blocked"
	// RefusedOrder and those below are of merchants' swaps.
	RefusedOrder     = "order_refused"
	RefusedRate      = "rate_changed"
	RefusedUncertain = "order_uncertain"
	RefusedUsed      = "quote_used"
	RefusedWaiting   = "too_many_waiting"
	// RefusedSwap says that a payout cannot be swapped.
	RefusedSwap = "payout_not_swappable"
	// RefusedTradePayment is for operators: the transaction stays as it is.
	RefusedTradePayment = "trade_payment_not_retryable"
	// RefusedRelease is for operators: the payout stays as it is.
	RefusedRelease = "payout_not_released"
)

// Alert kinds that operators see.
const (
	AlertUnbacked           = alert.ChargeUnbacked
	AlertUnmatched          = alert.PaymentUnmatched
	AlertWalletOlder        = alert.WalletOlder
	AlertUndelivered        = alert.SignalUndelivered
	AlertAddressMismatch    = alert.AddressMismatch
	AlertPayoutStuck        = alert.PayoutStuck
	AlertOwed               = alert.OwedToDeletedAccount
	AlertTradeFailed        = alert.TradeFailed
	AlertTradeUnbacked      = alert.TradeUnbacked
	AlertTradePaymentFailed = alert.TradePaymentFailed
	AlertTradePaymentStuck  = alert.TradePaymentStuck
	AlertDepositBlocked     = alert.DepositBlocked
	AlertOrderUnclear       = alert.OrderUnclear
	AlertDepositOrphaned    = alert.DepositOrphaned
	AlertSwapUnclear        = alert.SwapUnclear
	AlertSafeMode           = alert.SafeMode
)

// refuse makes the error of a refusal: workflows do not retry it, and the API
// tells the client why. The text is shown to clients.
func refuse(reason, text string) error {
	return temporal.NewNonRetryableApplicationError(text, reason, nil)
}

// refusedBy is the reason of a refusal, or empty for any other error.
func refusedBy(err error) string {
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		return app.Type()
	}
	return ""
}

// refusalText is what a refusal tells clients.
func refusalText(err error) string {
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		return app.Message()
	}
	return ""
}
