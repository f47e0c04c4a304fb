// Package alert names what an operator must look at. An alert is a row of the
// table alerts. It is open until its cause is gone or an operator has dealt
// with it. A kind and subject has at most one open row.
package alert

import "fmt"

// Kinds of alerts.
const (
	// ChargeUnbacked: the money of a confirmed charge left the chain. The subject
	// is the charge; it closes by itself.
	ChargeUnbacked = "charge_unbacked"
	// PaymentUnmatched: money belongs to no charge. The subject is PaymentSubject.
	PaymentUnmatched = "payment_unmatched"
	// WalletOlder: the file of a wallet that finds payments by itself knew fewer addresses
	// than were handed out, so the wallet scans the chain again. The subject is the wallet.
	WalletOlder = "wallet_older"
	// SignalUndelivered: for an hour Temporal has not taken the wakeup of a changed row. The
	// subject is the kind of the row, a slash and its ID; it closes by itself.
	SignalUndelivered = "signal_undelivered"
	// AddressMismatch: a wallet hands out addresses that are not its own. The
	// subject is the wallet.
	AddressMismatch = "address_mismatch"
	// WrongChain: a wallet's daemon is on another network than the wallet, so the
	// service does not use the wallet. The subject is the wallet; it closes by itself.
	WrongChain = "wrong_chain"
	// ChainUnknown: a wallet's daemon shows a block or transaction of an unknown form, or
	// bytes that do not have their hash. No payment after it is seen. The subject is the
	// wallet; it closes by itself.
	ChainUnknown = "chain_unknown"
	// KeyRepeated: transactions in blocks pay a Monero wallet with the same one-time key, so
	// only one of them can ever be spent, and one is counted. The subject is the key, in hex.
	KeyRepeated = "key_repeated"
	// PayoutStuck: a reorg dropped a payout and the daemon refuses it now, or
	// another transaction has spent what it pays with. The subject is the payout;
	// it closes by itself.
	PayoutStuck = "payout_stuck"
	// OwedToDeletedAccount: money came to a charge whose merchant has deleted the
	// account. The subject is the charge.
	OwedToDeletedAccount = "owed_to_deleted_account"
	// TradeFailed: a trade of the exchange ended in a state that an operator must
	// resolve. The subject is the trade, as of TradeUnbacked and DepositBlocked.
	TradeFailed = "trade_failed"
	// TradeUnbacked: a deposit left the chain after it was settled.
	TradeUnbacked = "trade_unbacked"
	// DepositBlocked: a deposit came from a listed address, or from too many
	// transactions to be screened. The exchange keeps it.
	DepositBlocked = "deposit_blocked"
	// DepositUnscreened: the origin of a deposit cannot be read, so its trade does
	// not proceed. The subject is the trade and the number of the deposit; it closes
	// by itself.
	DepositUnscreened = "deposit_unscreened"
	// OrderUnclear: the provider that fills a trade does not answer, or its answer
	// is not understood. The subject is the trade; it closes by itself.
	OrderUnclear = "order_unclear"
	// SwapUnclear: the provider of a merchant's swap does not answer, its answer is
	// not understood, or it keeps the money that was sent. The subject is the swap;
	// it closes by itself unless the swap was given up.
	SwapUnclear = "swap_unclear"
	// DepositOrphaned: money came to a deposit address that no trade uses: before
	// the trade was made, or after it was pruned. The subject is the transaction
	// and the address.
	DepositOrphaned = "deposit_orphaned"
	// TradePaymentFailed: a payout or refund of a trade could not be made. The subject
	// is the trade and the number of the payment, as of TradePaymentStuck.
	TradePaymentFailed = "trade_payment_failed"
	// TradePaymentStuck: the daemon refuses a transaction that it had, or the wallet
	// does not make it, because it lacks money or no worker serves it. It closes by
	// itself. A subject without a payment number means that a wallet of the trade is
	// not configured.
	TradePaymentStuck = "trade_payment_stuck"
	// PaymentSpent: a transaction that is not of this service spent payments of a
	// merchant. The subject is the payout that would have spent them.
	PaymentSpent = "payment_spent"
	// SendUnmatched: a transaction of a wallet paid something that this database does
	// not know, or its purpose cannot be found out. The subject is the transaction.
	SendUnmatched = "send_unmatched"
	// SendDropped: a payout, refund or consolidation that was confirmed left its
	// block, by a reorganization that is deeper than its confirmations. The subject
	// is the transaction; it closes once it is confirmed again, or given up.
	SendDropped = "send_dropped"
	// SafeMode: the database is behind its witness, or may be. The subject is the
	// wallet; recovering the wallet closes it.
	SafeMode = "safe_mode"
	// Overdue: something should have moved and has not. The subject is a kind of
	// things, see outbox.Kind; it closes by itself.
	Overdue = "overdue"
	// ViewKeyClosed: the view key of a shop's own wallet cannot be opened, so no payment to it is
	// seen. The subject is the wallet; it closes by itself.
	ViewKeyClosed = "view_key_closed"
	// NetworkFork: Monero's network is to change to a version that our daemon does not know.
	// The subject is the version, and its block where that is known; it closes by itself.
	NetworkFork = "network_fork"
	// NodeStalled: a wallet's daemon answers, but its newest block is old, so no payment is
	// seen. The subject is the ID of the wallet; it closes by itself.
	NodeStalled = "node_stalled"
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
