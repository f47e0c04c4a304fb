// Package refusals holds the reasons for which a request cannot be done, and a
// retry cannot help. A refusal travels from an activity through its workflow to the
// API, as the type of an application error that Temporal does not retry. Every
// other error is a fault: the requested change may have happened.
package refusals

import (
	"errors"

	"go.temporal.io/sdk/temporal"
)

// The codes.
const (
	Merchant  = "merchant_unknown"
	NoAddress = "no_receiving_address"
	Amount    = "amount_out_of_range"
	NoPrice   = "no_price"
	// NoWallet: money goes to shops' own wallets alone, and the shop has given none.
	NoWallet   = "no_own_wallet"
	TooMany    = "too_many_pending"
	Request    = "payment_request_gone"
	Missing    = "missing"
	NoPayout   = "no_payout_address"
	NoUnpaid   = "no_unpaid_charges"
	Locked     = "unpaid_charges_locked"
	Held       = "payouts_held"
	InProgress = "payout_in_progress"
	TooSmall   = "below_fees"
	Broadcast  = "broadcast_failed"
	Delivery   = "delivery_pending"
	Suspended  = "merchant_suspended"
	Accept     = "nothing_to_accept"
	Webhook    = "webhook_unknown"
	// Refund: a refund, or a claim of one, cannot be made or changed like this.
	Refund = "refund_refused"
	// StepUp: the session has to give the password again first.
	StepUp = "step_up"
	// Waits: the payment of a claim waits; the claim's row has the reason.
	Waits = "refund_waits"
	// SafeMode: the wallet is in safe mode. Nothing is promised before an operator has recovered it.
	SafeMode = "safe_mode"
	// Pair and those below are of the swap exchange.
	Pair    = "pair_not_supported"
	Limits  = "amount_outside_limits"
	Route   = "route_unavailable"
	Blocked = "address_blocked"
	// Order and those below are of merchants' swaps.
	Order     = "order_refused"
	Rate      = "rate_changed"
	Uncertain = "order_uncertain"
	Used      = "quote_used"
	Waiting   = "too_many_waiting"
	// Swap: a payout cannot be swapped.
	Swap = "payout_not_swappable"
	// TradePayment is for operators: the transaction stays as it is.
	TradePayment = "trade_payment_not_retryable"
	// Release is for operators: the payout stays as it is.
	Release = "payout_not_released"
)

// New makes the error of a refusal. The text is shown to clients. Details travel
// with it.
func New(code, text string, details ...any) error {
	return temporal.NewNonRetryableApplicationError(text, code, nil, details...)
}

// Of is the code of a refusal, and false for any other error. To Temporal every
// error of an activity is an application error, and the type of a fault is that
// of the Go error: only a refusal must not be retried.
func Of(err error) (code string, ok bool) {
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	if !ok || !app.NonRetryable() {
		return "", false
	}
	return app.Type(), true
}

// Is reports whether an error is the refusal with this code.
func Is(err error, code string) bool {
	found, ok := Of(err)
	return ok && found == code
}

// Text is what a refusal tells clients; empty for any other error.
func Text(err error) string {
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok && app.NonRetryable() {
		return app.Message()
	}
	return ""
}
