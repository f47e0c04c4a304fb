package secret

import (
	"slices"
	"strconv"
	"strings"
)

// Place is a column in which data is sealed, as table.column. Its text must never change,
// because data that was sealed there could not be opened any more.
type Place string

// The places whose rows are identified by a text.
const (
	// EmailPlace to AutoSwapPlace are of a merchant.
	EmailPlace    Place = "merchants.email"
	TOTPPlace     Place = "merchants.totp_secret"
	PayoutPlace   Place = "merchants.payout_address"
	AutoSwapPlace Place = "merchants.auto_swap_address"
	// VerificationEmailPlace is of the address that is being verified, VerificationTokenPlace
	// of the token in the link.
	VerificationEmailPlace Place = "email_verifications.email"
	VerificationTokenPlace Place = "email_verifications.token" //nolint:gosec // a column
	// NoticePlace is of the address to which a notice goes.
	NoticePlace Place = "account_notices.email"
	// ResetPlace is of the token of a password reset.
	ResetPlace Place = "password_resets.token"
	// WebhookPlace is of the secret of a merchant's webhook.
	WebhookPlace Place = "webhooks.secret"
	// SweepAddressPlace is of the address to which a payout pays, SweepSwapPlace of the one to
	// which its swap pays.
	SweepAddressPlace Place = "payouts.address"
	SweepSwapPlace    Place = "payouts.swap_address"
	// RefundTokenPlace is of the secret of a refund's link.
	RefundTokenPlace Place = "refunds.token"
	// ClaimAddressPlace is of the address to which a claim pays, ClaimProofPlace of the proof
	// of its payment.
	ClaimAddressPlace Place = "refund_claims.address"
	ClaimProofPlace   Place = "refund_claims.proof"
	// OwnClaimPlace is of the address to which a shop pays a claim from its own wallet.
	OwnClaimPlace Place = "refund_claims.own_address"
	// SwapAddressPlace is of the address to which a merchant's swap pays, SwapRefundPlace of
	// the one that gets its deposit back.
	SwapAddressPlace Place = "swaps.address"
	SwapRefundPlace  Place = "swaps.refund"
	// ViewKeyPlace is of the private view key of a shop's own wallet.
	ViewKeyPlace Place = "wallets.view_key"
	// PartnerPlace is of the secret of a partner's key.
	PartnerPlace Place = "swap_keys.secret"
	// TradePlace is of the details of a trade.
	TradePlace Place = "trades.details"
	// ResponsePlace is of the answer to an idempotency key.
	ResponsePlace Place = "idempotency_keys.response"
)

// The other places. Those of links and quotes bind a text that is in no column to its use.
const (
	proofPlace     Place = "outgoing_transactions.proof"
	originsPlace   Place = "received_payments.origins"
	noticeOffPlace Place = "notice_links.off"
	endPlace       Place = "notice_links.end"
	quotePlace     Place = "swap_quotes.offer"
)

// In returns the place of a column, without the _sealed at the end of its name.
func In(table, column string) Place { return Place(table + "." + column) }

// Of returns the place in one row.
func (p Place) Of(id string) AD {
	table, column, _ := strings.Cut(string(p), ".")
	return AD{Table: table, Column: column, ID: id}
}

// NoticeOffPlace binds the tokens of links that turn notices off to their use.
func NoticeOffPlace() AD { return noticeOffPlace.Of("v1") }

// EndPlace binds the tokens of links that end the access which a password reset kept to
// their use.
func EndPlace() AD { return endPlace.Of("v1") }

// QuotePlace binds the ciphertext of a swap's quote to its use, so the ciphertext of a
// column is never accepted as a quote.
func QuotePlace() AD { return quotePlace.Of("v1") }

// ProofPlace is the place of the proof of a transaction's payments.
func ProofPlace(transactionID int64) AD { return proofPlace.Of(strconv.FormatInt(transactionID, 10)) }

// OriginsPlace is the place of the addresses from which a deposit was spent.
func OriginsPlace(walletID, txHash, address string) AD {
	return originsPlace.Of(walletID + "/" + txHash + "/" + address)
}

// KindOf returns the kind of the data that is stored at a place, and false for a
// place that is not in the list.
func KindOf(ad AD) (Kind, bool) {
	for kind, places := range map[Kind][]Place{
		Accounts:  {EmailPlace, VerificationEmailPlace, VerificationTokenPlace, NoticePlace, ResetPlace, noticeOffPlace, endPlace},
		Sessions:  {TOTPPlace, RefundTokenPlace, quotePlace},
		Addresses: {PayoutPlace, AutoSwapPlace, SwapAddressPlace, SwapRefundPlace, ClaimProofPlace, OwnClaimPlace},
		Webhooks:  {WebhookPlace},
		Payouts:   {SweepAddressPlace, SweepSwapPlace, proofPlace, ClaimAddressPlace, originsPlace},
		Partners:  {PartnerPlace},
		Trades:    {TradePlace, ResponsePlace},
		ViewKeys:  {ViewKeyPlace},
	} {
		if slices.Contains(places, In(ad.Table, ad.Column)) {
			return kind, true
		}
	}
	return "", false
}
