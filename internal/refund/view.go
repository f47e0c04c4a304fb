package refund

import (
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/wire"
)

// ClaimState is a claim as its merchant and its buyer see it.
type ClaimState struct {
	ID             string         `json:"id" doc:"Claim identifier" example:"rc_0123456789abcdef01234567"`
	Status         Status         `json:"status" enum:"awaiting_approval,awaiting_payment,in_progress,completed,cancelled" doc:"State of the claim"`
	AmountXMR      money.Piconero `json:"amount_xmr" doc:"Amount that arrives"`
	Address        string         `json:"address" doc:"First and last six characters of where it goes; empty where that is not known any more"`
	WaitsFor       *Waits         `json:"waits_for" doc:"What its payment waits for: money, unlock, payout, payout_address, hold, safe_mode, charge, suspension, screening, pieces (its balance lies in more payments than one transaction can spend), retry, shop_payment (the shop pays it from its own wallet), or chain: a cancelled claim holds its amount while an earlier transaction of it may arrive; null for nothing. Who has only the link sees shop instead of payout_address, hold, safe_mode, charge and suspension"`
	WaitsText      *string        `json:"waits_text" doc:"The same in words; null as waits_for is"`
	PaymentAddress *string        `json:"payment_address" doc:"Where you pay it from your own wallet; null where a payout pays it, in lists and events, and for buyers" example:"48DCHZHFQ2vd1VWZMzvbymBKcPUXYv9vwcgJY7fwe9ouPeuJuXuHKZjd5G5DaqbaHNRzek3wtCvrGM79AcCQF5QGG3FaS4u"`
	PaymentURI     *string        `json:"payment_uri" doc:"monero: URI with that address and the amount; null as payment_address is"`
	PayoutID       *string        `json:"payout_id" doc:"The payout that pays it beside the merchant; null before, and where the shop pays it from its own wallet" example:"po_0123456789abcdef01234567"`
	TxHash         *string        `json:"tx_hash" doc:"Transaction; null before it was sent"`
	TxKey          *string        `json:"tx_key" doc:"Secret keys of the transaction, as wallets show them: with the address it proves the payment (monero-wallet-cli: check_tx_key), and shows the rest of it to who knows the shop's address. Null before it was sent, and in lists and events"`
	TxProof        *string        `json:"tx_proof" doc:"Proof of the payment to the address (OutProofV2, without a message; monero-wallet-cli: check_tx_proof), which shows nothing else of the transaction. Null as tx_key is"`
	CreatedAt      wire.Time      `json:"created_at"`
	ApprovedAt     *wire.Time     `json:"approved_at"`
	SentAt         *wire.Time     `json:"sent_at"`
	ConfirmedAt    *wire.Time     `json:"confirmed_at" doc:"When it was 10 blocks deep; null before"`
}

// ForBuyer returns the claim as a person who has only the link sees it: reasons that concern
// the merchant's account or the service are ForShop.
func (c ClaimState) ForBuyer() ClaimState {
	if c.WaitsFor == nil {
		return c
	}
	switch *c.WaitsFor {
	case ForAddress, ForHold, ForSafeMode, ForCharge, ForSuspension:
		c.WaitsFor, c.WaitsText = new(ForShop), new(ForShop.Text())
	case ForMoney, ForUnlock, ForPayout, ForScreening, ForPieces, ForRetry, ForShop, ForShopPayment, ForChain:
	}
	return c
}

// PublicRefund is a refund as a person who has its link sees it.
type PublicRefund struct {
	ID           string          `json:"id" doc:"Refund identifier" example:"rf_0123456789abcdef01234567"`
	Status       Status          `json:"status" enum:"open,awaiting_approval,awaiting_payment,in_progress,completed,cancelled,expired" doc:"State of the refund"`
	Shop         string          `json:"shop" doc:"Name of the shop"`
	Name         string          `json:"name" doc:"As the merchant wrote it; may be empty"`
	Description  string          `json:"description" doc:"As the merchant wrote it; may be empty"`
	AmountXMR    money.Piconero  `json:"amount_xmr" doc:"The whole refund"`
	LeftXMR      money.Piconero  `json:"left_xmr" doc:"What can still be claimed"`
	FiatAmount   *money.Decimal  `json:"fiat_amount" doc:"What it was reckoned from, in fiat_currency; null: it was reckoned in XMR"`
	FiatCurrency *money.Currency `json:"fiat_currency" doc:"USD or EUR; null as fiat_amount is"`
	ExpiresAt    wire.Time       `json:"expires_at" doc:"Until when it can be claimed"`
	Claims       []ClaimState    `json:"claims" doc:"The oldest first"`
	// Contact is how buyers reach the shop, as the merchant wrote it; may be empty.
	Contact string `json:"-"`
}

// Refunded is a refund as its merchant sees it and as webhooks carry it.
type Refunded struct {
	ID           string          `json:"id" doc:"Refund identifier" example:"rf_0123456789abcdef01234567"`
	ChargeID     string          `json:"charge_id" doc:"The charge; empty where an application asked for a refund of none" example:"ch_0123456789abcdef01234567"`
	Status       Status          `json:"status" enum:"open,awaiting_approval,awaiting_payment,in_progress,completed,cancelled,expired" doc:"State of the refund"`
	Variant      Variant         `json:"variant" enum:"RateThen,CurrentRate,OverpaidAmount,Fiat,Custom" doc:"How the amount was found"`
	AmountXMR    money.Piconero  `json:"amount_xmr" doc:"The whole refund, fixed when it was made"`
	ClaimedXMR   money.Piconero  `json:"claimed_xmr" doc:"What was claimed and not cancelled"`
	LeftXMR      money.Piconero  `json:"left_xmr" doc:"What can still be claimed"`
	FeeRate      money.Decimal   `json:"fee_rate" doc:"The operator's share as it was in force when the refund was made: 0.005 is half a percent. Each payout takes the share of its own moment" example:"0.005"`
	FeeXMR       money.Piconero  `json:"fee_xmr" doc:"The operator's share of amount_xmr at fee_rate. It is yours to pay, beside the refund: a payout's share is of all that it takes, what is refunded of it included" example:"0.001449516878"`
	FiatAmount   *money.Decimal  `json:"fiat_amount" doc:"What it was reckoned from, in fiat_currency; null: it was reckoned in XMR"`
	FiatCurrency *money.Currency `json:"fiat_currency" doc:"USD or EUR; null as fiat_amount is"`
	Name         string          `json:"name" doc:"Shown to the buyer; may be empty"`
	Description  string          `json:"description" doc:"Shown to the buyer; may be empty"`
	Automatic    bool            `json:"automatic" doc:"Claims need no approval"`
	Custody      Custody         `json:"custody" enum:"hosted,own" doc:"hosted: payouts of the service pay its claims. own: its charge was paid to your own wallet, and you pay its claims from there"`
	Link         *string         `json:"link" doc:"Where the buyer claims it; whoever has it can claim. Null in lists and events"`
	CreatedAt    wire.Time       `json:"created_at"`
	ExpiresAt    wire.Time       `json:"expires_at" doc:"Until when it can be claimed"`
	CancelledAt  *wire.Time      `json:"cancelled_at"`
	Claims       []ClaimState    `json:"claims" doc:"The oldest first"`
}

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
	// ForShop stands for a reason that concerns the merchant's account or the service. People
	// who have only the link see it instead, see ForBuyer.
	ForShop Waits = "shop"
	// ForShopPayment: the shop pays the claim from its own wallet.
	ForShopPayment Waits = "shop_payment"
	// ForChain: the claim is cancelled, but an abandoned transaction of it may still be
	// mined. Its amount is free once that is impossible.
	ForChain Waits = "chain"
)

// Text returns the reason in words for merchants and buyers.
func (w Waits) Text() string {
	return map[Waits]string{
		ForMoney:       "the shop's balance does not cover the refund and the chain's fee yet",
		ForUnlock:      "the shop's money is still locked by the chain",
		ForPayout:      "another payout of the shop is being sent",
		ForAddress:     "the shop has to set a payout address",
		ForHold:        "the shop's payouts wait because where they go was changed",
		ForSafeMode:    "payments wait until the operator has checked the wallet",
		ForCharge:      "the payment that is refunded has left the chain",
		ForSuspension:  "the shop's account is suspended",
		ForScreening:   "the address cannot be paid now",
		ForPieces:      "the shop's money lies in too many small pieces for one payment: claim it in smaller parts, or wait for larger ones",
		ForRetry:       "the transaction could not be sent and is tried again",
		ForShop:        "it waits for the shop, or for the operator of this service",
		ForShopPayment: "the shop pays it from its own wallet",
		ForChain:       "an earlier transaction may still arrive: the amount can be claimed again once it cannot",
	}[w]
}
