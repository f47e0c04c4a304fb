package secret

import "strconv"

// This file lists every place where data is sealed. The bytes of a place must never
// change, because data that was sealed there could not be opened any more. KindOf
// determines the keys of a place.

// EmailPlace is the place of a merchant's email address.
func EmailPlace(merchantID string) AD {
	return AD{Table: "merchants", Column: "email", ID: merchantID}
}

// TOTPPlace is the place of a merchant's TOTP secret.
func TOTPPlace(merchantID string) AD {
	return AD{Table: "merchants", Column: "totp_secret", ID: merchantID}
}

// PayoutPlace is the place of a merchant's payout address.
func PayoutPlace(merchantID string) AD {
	return AD{Table: "merchants", Column: "payout_address", ID: merchantID}
}

// AutoSwapPlace is the place of the address to which a merchant's automatic conversion
// pays.
func AutoSwapPlace(merchantID string) AD {
	return AD{Table: "merchants", Column: "auto_swap_address", ID: merchantID}
}

// VerificationEmailPlace is the place of the email address that is being verified.
func VerificationEmailPlace(verificationID string) AD {
	return AD{Table: "email_verifications", Column: "email", ID: verificationID}
}

// VerificationTokenPlace is the place of the token in a verification's link.
func VerificationTokenPlace(verificationID string) AD {
	return AD{Table: "email_verifications", Column: "token", ID: verificationID}
}

// NoticePlace is the place of the email address to which a notice goes.
func NoticePlace(noticeID string) AD {
	return AD{Table: "account_notices", Column: "email", ID: noticeID}
}

// NoticeOffPlace binds the tokens of links that turn notices off to their use. They are
// only in mails, not in a column.
func NoticeOffPlace() AD { return AD{Table: "notice_links", Column: "off", ID: "v1"} }

// EndPlace binds the tokens of links that end the access which a password reset kept to
// their use. They are only in mails, not in a column.
func EndPlace() AD { return AD{Table: "notice_links", Column: "end", ID: "v1"} }

// ResetPlace is the place of the token of a password reset.
func ResetPlace(resetID string) AD {
	return AD{Table: "password_resets", Column: "token", ID: resetID}
}

// WebhookPlace is the place of the secret of a merchant's webhook.
func WebhookPlace(webhookID string) AD {
	return AD{Table: "webhooks", Column: "secret", ID: webhookID}
}

// SweepAddressPlace is the place of the address to which a payout pays.
func SweepAddressPlace(payoutID string) AD {
	return AD{Table: "payouts", Column: "address", ID: payoutID}
}

// SweepSwapPlace is the place of the address to which the swap of a payout pays.
func SweepSwapPlace(payoutID string) AD {
	return AD{Table: "payouts", Column: "swap_address", ID: payoutID}
}

// RefundTokenPlace is the place of the secret of a refund's link.
func RefundTokenPlace(refundID string) AD {
	return AD{Table: "refunds", Column: "token", ID: refundID}
}

// ClaimAddressPlace is the place of the address to which a refund claim pays.
func ClaimAddressPlace(claimID string) AD {
	return AD{Table: "refund_claims", Column: "address", ID: claimID}
}

// ClaimProofPlace is the place of the proof of a claim's payment.
func ClaimProofPlace(claimID string) AD {
	return AD{Table: "refund_claims", Column: "proof", ID: claimID}
}

// ProofPlace is the place of the proof of a transaction's payments.
func ProofPlace(transactionID int64) AD {
	return AD{Table: "outgoing_transactions", Column: "proof", ID: strconv.FormatInt(transactionID, 10)}
}

// SwapAddressPlace is the place of the address to which a merchant's swap pays.
func SwapAddressPlace(swapID string) AD {
	return AD{Table: "swaps", Column: "address", ID: swapID}
}

// SwapRefundPlace is the place of the address that gets a swap's deposit back.
func SwapRefundPlace(swapID string) AD {
	return AD{Table: "swaps", Column: "refund", ID: swapID}
}

// QuotePlace binds the ciphertext of a swap's quote to its use, so the ciphertext of a
// column is never accepted as a quote.
func QuotePlace() AD { return AD{Table: "swap_quotes", Column: "offer", ID: "v1"} }

// PartnerPlace is the place of the secret of a partner's key.
func PartnerPlace(keyID string) AD {
	return AD{Table: "swap_keys", Column: "secret", ID: keyID}
}

// TradePlace is the place of the details of a trade.
func TradePlace(tradeID string) AD {
	return AD{Table: "trades", Column: "details", ID: tradeID}
}

// OriginsPlace is the place of the addresses from which a deposit was spent.
func OriginsPlace(walletID, txHash, address string) AD {
	return AD{Table: "trade_deposits", Column: "origins", ID: walletID + "/" + txHash + "/" + address}
}

// ResponsePlace is the place of the answer to an idempotency key.
func ResponsePlace(tradeID string) AD {
	return AD{Table: "idempotency_keys", Column: "response", ID: tradeID}
}
