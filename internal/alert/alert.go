// Package alert names what an operator must look at. An alert is a row of the
// table alerts, open until its cause is gone or somebody has dealt with it; one
// kind and subject has at most one open row.
package alert

import "fmt"

// Kinds of alerts.
const (
	// ChargeUnbacked: the money of a confirmed charge left the chain. The subject
	// is the charge; it closes by itself.
	ChargeUnbacked = "charge_unbacked"
	// PaymentUnmatched: money belongs to no charge. The subject is PaymentSubject.
	PaymentUnmatched = "payment_unmatched"
	// AddressMismatch: a wallet hands out addresses that are not its own. The
	// subject is the wallet.
	AddressMismatch = "address_mismatch"
	// PayoutStuck: a reorg dropped a payout and the daemon refuses it now. The
	// subject is the payout; it closes by itself.
	PayoutStuck = "payout_stuck"
	// OwedToDeletedAccount: money came to a charge whose merchant has deleted the
	// account. The subject is the charge.
	OwedToDeletedAccount = "owed_to_deleted_account"
)

// PaymentSubject is the subject of an alert about one payment.
func PaymentSubject(txHash string, subaddressIndex int32) string {
	return fmt.Sprintf("%s:%d", txHash, subaddressIndex)
}
