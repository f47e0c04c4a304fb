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
	// WalletOlder: a watching wallet's file was older than the addresses that were
	// handed out, and reads the chain anew. The subject is the wallet.
	WalletOlder = "wallet_older"
	// SignalUndelivered: the workflow of a charge or a trade cannot be told what
	// the chain shows. The subject is the charge or the trade; it closes by itself.
	SignalUndelivered = "signal_undelivered"
	// AddressMismatch: a wallet hands out addresses that are not its own. The
	// subject is the wallet.
	AddressMismatch = "address_mismatch"
	// WrongChain: a wallet's daemon is on another network than the wallet, so nothing
	// is done with the wallet. The subject is the wallet; it closes by itself.
	WrongChain = "wrong_chain"
	// PayoutStuck: a reorg dropped a payout and the daemon refuses it now, or
	// another transaction has spent what it pays with. The subject is the payout;
	// it closes by itself.
	PayoutStuck = "payout_stuck"
	// OwedToDeletedAccount: money came to a charge whose merchant has deleted the
	// account. The subject is the charge.
	OwedToDeletedAccount = "owed_to_deleted_account"
	// TradeFailed: a trade of the exchange ended where a person must decide. The
	// subject is the trade, as of TradeUnbacked and DepositBlocked.
	TradeFailed = "trade_failed"
	// TradeUnbacked: the chain took a deposit back after it was settled.
	TradeUnbacked = "trade_unbacked"
	// DepositBlocked: a deposit came from a listed address, or from too many
	// transactions to be screened, and is kept.
	DepositBlocked = "deposit_blocked"
	// DepositUnscreened: nobody can read where a deposit comes from, so nothing is
	// done for it. The subject is the trade and the number of the deposit; it closes
	// by itself.
	DepositUnscreened = "deposit_unscreened"
	// OrderUnclear: the provider that fills a trade does not answer, or says what
	// is not understood. The subject is the trade; it closes by itself.
	OrderUnclear = "order_unclear"
	// SwapUnclear: the provider of a merchant's swap does not answer, says what is
	// not understood, or keeps what was sent. The subject is the swap; it closes by
	// itself unless the swap was given up.
	SwapUnclear = "swap_unclear"
	// DepositOrphaned: money came to a deposit address that is no trade's: before
	// the trade was made, or after it was pruned. The subject is the transaction
	// and the address.
	DepositOrphaned = "deposit_orphaned"
	// TradePaymentFailed: a payout or refund of a trade could not be made. The subject
	// is the trade and the number of the payment, as of TradePaymentStuck.
	TradePaymentFailed = "trade_payment_failed"
	// TradePaymentStuck: the daemon refuses a transaction that it had, or its wallet
	// does not make it, for want of money or because nobody serves it. It closes by
	// itself. Without a number it says that a wallet of the trade is not configured.
	TradePaymentStuck = "trade_payment_stuck"
	// PaymentSpent: payments of a merchant were spent by a transaction that is not of this
	// service. The subject is the payout that would have spent them.
	PaymentSpent = "payment_spent"
	// SendUnmatched: a transaction of a wallet paid what this database does not
	// know, or nobody knows what. The subject is the transaction.
	SendUnmatched = "send_unmatched"
	// SendDropped: a payout, refund or consolidation that was confirmed left its
	// block, by a reorganization that is deeper than what confirms. The subject is
	// the transaction; it closes once it is confirmed again, or given up.
	SendDropped = "send_dropped"
	// SafeMode: the database is behind what is known outside of it, or nobody can
	// tell. The subject is the wallet; recovering it closes it.
	SafeMode = "safe_mode"
	// Overdue: something should have moved and has not. The subject is a kind of
	// things, see overdue.Kind; it closes by itself.
	Overdue = "overdue"
	// NetworkFork: Monero's network is to change to a version that our daemon does not know.
	// The subject is the version, and its block where that is known; it closes by itself.
	NetworkFork = "network_fork"
	// SanctionsRefused: a sanctions list waits for acceptance. The subject is
	// SanctionsSubject; it closes by itself.
	SanctionsRefused = "sanctions_refused"
	// SanctionsStale: the sanctions list in force is too old, or there is none.
	// The subject is SanctionsSubject; it closes by itself.
	SanctionsStale = "sanctions_stale"
)

// SanctionsSubject is the subject of alerts about the sanctions list: there is one.
const SanctionsSubject = "ofac"

// PaymentSubject is the subject of an alert about one payment.
func PaymentSubject(txHash string, subaddressIndex int32) string {
	return fmt.Sprintf("%s:%d", txHash, subaddressIndex)
}
