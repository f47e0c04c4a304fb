package refund

// Waits is what the payment of a claim waits for.
type Waits string

// What there is to wait for. All come to an end by themselves, or by something that
// the merchant or the operator does.
const (
	// ForMoney: the merchant's unpaid payments do not cover the claim and the chain's fee.
	ForMoney Waits = "money"
	// ForUnlock: the money is there, and still locked by the chain.
	ForUnlock Waits = "unlock"
	// ForPayout: another payout of the merchant is being sent.
	ForPayout Waits = "payout"
	// ForAddress: the merchant has no payout address for the rest.
	ForAddress Waits = "payout_address"
	// ForHold: where payouts go was changed lately.
	ForHold Waits = "hold"
	// ForSafeMode: the wallet pays nothing before operators have looked at it.
	ForSafeMode Waits = "safe_mode"
	// ForCharge: the money of the charge has left the chain.
	ForCharge Waits = "charge"
	// ForSuspension: the merchant's account is suspended.
	ForSuspension Waits = "suspension"
	// ForScreening: the address cannot be checked, or must not be paid.
	ForScreening Waits = "screening"
	// ForPieces: the balance covers the claim, and lies in more payments than one
	// transaction can spend.
	ForPieces Waits = "pieces"
	// ForRetry: the transaction could not be built or sent, and is tried again.
	ForRetry Waits = "retry"
	// ForChain: the claim is cancelled, and a transaction of it that was given up may
	// still be mined. Its amount is free once that cannot be.
	ForChain Waits = "chain"
)

// Text says to people what it waits for.
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
