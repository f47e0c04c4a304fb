package refund

import (
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/wire"
)

// ClaimState is a claim as its merchant and its buyer see it.
type ClaimState struct {
	ID          string         `json:"id" doc:"Claim identifier" example:"rc_0123456789abcdef01234567"`
	Status      Status         `json:"status" enum:"awaiting_approval,awaiting_payment,in_progress,completed,cancelled" doc:"State of the claim"`
	AmountXMR   money.Piconero `json:"amount_xmr" doc:"Amount that arrives"`
	Address     string         `json:"address" doc:"First and last six characters of where it goes; empty where that is not known any more"`
	WaitsFor    *Waits         `json:"waits_for" doc:"What its payment waits for: money, unlock, payout, payout_address, hold, safe_mode, charge, suspension, screening, pieces (its balance lies in more payments than one transaction can spend), retry, or chain: a cancelled claim holds its amount while an earlier transaction of it may arrive; null for nothing"`
	WaitsText   *string        `json:"waits_text" doc:"The same in words; null as waits_for is"`
	PayoutID    *string        `json:"payout_id" doc:"The payout that pays it beside the merchant; null before" example:"po_0123456789abcdef01234567"`
	TxHash      *string        `json:"tx_hash" doc:"Transaction; null before it was sent"`
	TxKey       *string        `json:"tx_key" doc:"Secret key of the transaction: with the address it proves the payment (monero-wallet-cli: check_tx_key), and shows the rest of it to who knows the shop's address. Null before it was sent, and in lists and events"`
	TxProof     *string        `json:"tx_proof" doc:"Proof of the payment to the address (OutProofV2, without a message; monero-wallet-cli: check_tx_proof), which shows nothing else of the transaction. Null as tx_key is"`
	CreatedAt   wire.Time      `json:"created_at"`
	ApprovedAt  *wire.Time     `json:"approved_at"`
	SentAt      *wire.Time     `json:"sent_at"`
	ConfirmedAt *wire.Time     `json:"confirmed_at" doc:"When it was 10 blocks deep; null before"`
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
	Link         *string         `json:"link" doc:"Where the buyer claims it; whoever has it can claim. Null in lists and events"`
	CreatedAt    wire.Time       `json:"created_at"`
	ExpiresAt    wire.Time       `json:"expires_at" doc:"Until when it can be claimed"`
	CancelledAt  *wire.Time      `json:"cancelled_at"`
	Claims       []ClaimState    `json:"claims" doc:"The oldest first"`
}
