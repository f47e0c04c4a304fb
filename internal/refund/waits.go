package refund

// Waits is the reason for which the payment of a claim waits.
type Waits string

// The reasons. Each ends by itself, or by an action of the merchant or the operator.
const (
	// ForMoney: the merchant's unpaid payments do not cover the claim and the chain's fee.
	ForMoney Waits = "money"
	// ForUnlock: the chain still locks the money.
	ForUnlock Waits = "unlock"
	// ForPayout: another payout of the merchant is being sent.
	ForPayout Waits = "payout"
	// ForAddress: the merchant has no payout address for the remainder.
	ForAddress Waits = "payout_address"
	// ForHold: the payout destination was changed recently.
	ForHold Waits = "hold"
	// ForSafeMode: the wallet pays nothing until operators have checked it.
	ForSafeMode Waits = "safe_mode"
	// ForCharge: the chain no longer has the money of the charge.
	ForCharge Waits = "charge"
	// ForSuspension: the merchant's account is suspended.
	ForSuspension Waits = "suspension"
	// ForScreening: the address cannot be checked, or must not be paid.
	ForScreening Waits = "screening"
	// ForPieces: the balance covers the claim, but consists of more payments than one
	// transaction can spend.
	ForPieces Waits = "pieces"
	// ForRetry: the transaction could not be built or sent; the worker retries it.
	ForRetry Waits = "retry"
	// ForChain: the claim is cancelled, but an abandoned transaction of it may still be
	// mined. Its amount is free once that is impossible.
	ForChain Waits = "chain"
)

// Text returns the reason in words for merchants and buyers.
func (w Waits) Text() string {
	return map[Waits]string{
		ForMoney:      "the shop's balance does not cover the refund and the chain's fee yet",
		ForUnlock:     "the shop's money is still locked by the chain",
		ForPayout:     "another payout of the shop is being sent",
		ForAddress:    "the shop has to set a payout address",
		ForHold:       "the shop's payouts wait because where they go was changed",
		ForSafeMode:   "payments wait until the operator has checked the wallet",
		ForCharge:     "the payment that is refunded has left the chain",
		ForSuspension: "the shop's account is suspended",
		ForScreening:  "the address cannot be paid now",
		ForPieces:     "the shop's money lies in too many small pieces for one payment: claim it in smaller parts, or wait for larger ones",
		ForRetry:      "the transaction could not be sent and is tried again",
		ForChain:      "an earlier transaction may still arrive: the amount can be claimed again once it cannot",
	}[w]
}
