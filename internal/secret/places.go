package secret

import "strconv"

// Every place where something is sealed stands here and nowhere else. Its bytes never
// change: what was sealed there would not open any more. KindOf says whose keys it has.

// EmailPlace is where a merchant's address is stored.
func EmailPlace(merchantID string) AD {
	return AD{Table: "merchants", Column: "email", ID: merchantID}
}

// TOTPPlace is where a merchant's TOTP secret is stored.
func TOTPPlace(merchantID string) AD {
	return AD{Table: "merchants", Column: "totp_secret", ID: merchantID}
}

// PayoutPlace is where a merchant's payout address is stored.
func PayoutPlace(merchantID string) AD {
	return AD{Table: "merchants", Column: "payout_address", ID: merchantID}
}

// AutoSwapPlace is where the address is stored that a merchant's automatic
// conversion pays.
func AutoSwapPlace(merchantID string) AD {
	return AD{Table: "merchants", Column: "auto_swap_address", ID: merchantID}
}

// VerificationEmailPlace is where the address is stored that a verification is of.
func VerificationEmailPlace(verificationID string) AD {
	return AD{Table: "email_verifications", Column: "email", ID: verificationID}
}

// VerificationTokenPlace is where the token of a verification's link is stored.
func VerificationTokenPlace(verificationID string) AD {
	return AD{Table: "email_verifications", Column: "token", ID: verificationID}
}

// NoticePlace is where the address is stored that a notice goes to.
func NoticePlace(noticeID string) AD {
	return AD{Table: "account_notices", Column: "email", ID: noticeID}
}

// NoticeOffPlace binds the tokens of links that turn notices off to their use: they are
// in mails, no column has them.
func NoticeOffPlace() AD { return AD{Table: "notice_links", Column: "off", ID: "v1"} }

// EndPlace binds the tokens of links that end what a reset of the password left to their
// use: they are in mails, no column has them.
func EndPlace() AD { return AD{Table: "notice_links", Column: "end", ID: "v1"} }

// ResetPlace is where the token of a reset is stored.
func ResetPlace(resetID string) AD {
	return AD{Table: "password_resets", Column: "token", ID: resetID}
}

// WebhookPlace is where the secret of a merchant's webhook is stored.
func WebhookPlace(webhookID string) AD {
	return AD{Table: "webhooks", Column: "secret", ID: webhookID}
}

// SweepAddressPlace is where the address is stored that a payout pays.
func SweepAddressPlace(payoutID string) AD {
	return AD{Table: "payouts", Column: "address", ID: payoutID}
}

// SweepSwapPlace is where the address is stored that the swap of a payout pays.
func SweepSwapPlace(payoutID string) AD {
	return AD{Table: "payouts", Column: "swap_address", ID: payoutID}
}

// RefundTokenPlace is where the secret of a refund's link is stored.
func RefundTokenPlace(refundID string) AD {
	return AD{Table: "refunds", Column: "token", ID: refundID}
}

// ClaimAddressPlace is where the address is stored that a claim of a refund pays.
func ClaimAddressPlace(claimID string) AD {
	return AD{Table: "refund_claims", Column: "address", ID: claimID}
}

// ClaimProofPlace is where the proof of a claim's payment is stored.
func ClaimProofPlace(claimID string) AD {
	return AD{Table: "refund_claims", Column: "proof", ID: claimID}
}

// ProofPlace is where the proof of a transaction's payments is stored.
func ProofPlace(transactionID int64) AD {
	return AD{Table: "outgoing_transactions", Column: "proof", ID: strconv.FormatInt(transactionID, 10)}
}

// SwapAddressPlace is where the address is stored that a merchant's swap pays.
func SwapAddressPlace(swapID string) AD {
	return AD{Table: "swaps", Column: "address", ID: swapID}
}

// SwapRefundPlace is where the address is stored that gets a swap's deposit back.
func SwapRefundPlace(swapID string) AD {
	return AD{Table: "swaps", Column: "refund", ID: swapID}
}

// QuotePlace binds the ciphertext of a swap's quote to its use: no column's is ever
// taken for a quote.
func QuotePlace() AD { return AD{Table: "swap_quotes", Column: "offer", ID: "v1"} }

// PartnerPlace is where the secret of a partner's key is stored.
func PartnerPlace(keyID string) AD {
	return AD{Table: "swap_keys", Column: "secret", ID: keyID}
}

// TradePlace is where the details of a trade are stored.
func TradePlace(tradeID string) AD {
	return AD{Table: "trades", Column: "details", ID: tradeID}
}

// OriginsPlace is where it is stored which addresses a deposit was spent from.
func OriginsPlace(walletID, txHash, address string) AD {
	return AD{Table: "trade_deposits", Column: "origins", ID: walletID + "/" + txHash + "/" + address}
}

// ResponsePlace is where the answer to an idempotency key is stored.
func ResponsePlace(tradeID string) AD {
	return AD{Table: "idempotency_keys", Column: "response", ID: tradeID}
}
