package greenfield

import (
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/refund"
)

// pullPayment is a refund in the dialect's format.
type pullPayment struct {
	ID                string         `json:"id" doc:"Pull payment: the refund's identifier, a dash, and the secret of its link. Whoever knows it can claim. A key that does not manage pull payments sees those of others without the secret" example:"rf_0123456789abcdef01234567-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"`
	Name              string         `json:"name" doc:"Shown to the buyer"`
	Description       string         `json:"description" doc:"Shown to the buyer"`
	Currency          money.Currency `json:"currency" enum:"USD,EUR,XMR" doc:"Currency of amount. What is paid in XMR was fixed when it was made"`
	Amount            Amount         `json:"amount" doc:"The whole refund, in currency" example:"49.9"`
	StartsAt          Seconds        `json:"startsAt" doc:"Creation"`
	ExpiresAt         Seconds        `json:"expiresAt" doc:"Until when it can be claimed"`
	Period            *int64         `json:"period" nullable:"true" doc:"Always null: it is claimed once"`
	BOLT11Expiration  int            `json:"BOLT11Expiration" doc:"Always 30, and of no effect: there is no Lightning"`
	AutoApproveClaims bool           `json:"autoApproveClaims" doc:"Claims need no approval"`
	Archived          bool           `json:"archived" doc:"It was cancelled"`
	PaymentMethods    []string       `json:"paymentMethods" doc:"Always XMR-CHAIN"`
	PayoutMethods     []string       `json:"payoutMethods" doc:"The same in BTCPay 2.x"`
	ViewLink          string         `json:"viewLink" doc:"The buyer's page; empty where the identifier comes without its secret"`
}

// payout is a claim in the dialect's format, with the names of BTCPay 1.x and 2.x.
type payout struct {
	ID                  string         `json:"id" doc:"Payout: the claim's identifier" example:"rc_0123456789abcdef01234567"`
	Revision            int            `json:"revision" doc:"Always 0: its amount in XMR is fixed"`
	PullPaymentID       string         `json:"pullPaymentId" doc:"Pull payment"`
	Date                Seconds        `json:"date" doc:"Creation"`
	Destination         string         `json:"destination" doc:"First and last six characters of the address"`
	OriginalCurrency    money.Currency `json:"originalCurrency" doc:"Currency of the pull payment"`
	OriginalAmount      Amount         `json:"originalAmount" doc:"What was claimed, in that; of fiat rounded to two decimals"`
	Amount              Amount         `json:"amount" doc:"The same in BTCPay 1.x"`
	PayoutCurrency      money.Currency `json:"payoutCurrency" doc:"Always XMR"`
	PayoutAmount        Amount         `json:"payoutAmount" doc:"What arrives, in XMR"`
	PaymentMethodAmount Amount         `json:"paymentMethodAmount" doc:"The same in BTCPay 1.x"`
	PayoutMethodID      string         `json:"payoutMethodId" doc:"Always XMR-CHAIN"`
	PaymentMethod       string         `json:"paymentMethod" doc:"The same in BTCPay 1.x"`
	CryptoCode          string         `json:"cryptoCode" doc:"Always XMR"`
	State               string         `json:"state" enum:"AwaitingApproval,AwaitingPayment,InProgress,Completed,Cancelled" doc:"Where it stands"`
	WaitsFor            *string        `json:"waitsFor" nullable:"true" doc:"What its payment waits for, in words; null for nothing"`
	PaymentProof        *proof         `json:"paymentProof"`
}

// proof proves that a claim was paid; nil before it was sent.
type proof struct {
	ProofType string  `json:"proofType" doc:"Always MoneroTransaction"`
	ID        string  `json:"id" doc:"Transaction hash"`
	TxKey     *string `json:"txKey" nullable:"true" doc:"Secret key of the transaction: with the address it proves the payment (monero-wallet-cli: check_tx_key). Null in lists of a store"`
	TxProof   *string `json:"txProof" nullable:"true" doc:"Proof of the payment to the address (OutProofV2, without a message; monero-wallet-cli: check_tx_proof). Null as txKey is"`
}

// Schema marks the object as nullable. A reference to a schema cannot be nullable, so the
// schema is inlined.
func (proof) Schema(r huma.Registry) *huma.Schema {
	type fields proof
	s := huma.SchemaFromType(r, reflect.TypeFor[fields]())
	s.Nullable, s.AdditionalProperties = true, nil
	return s
}

// boltDays is the lifetime of a Lightning invoice in days. BTCPay always shows it.
const boltDays = 30

func pullOf(r refund.Refunded) pullPayment {
	p := pullPayment{
		ID: linked(r), Name: r.Name, Description: r.Description, StartsAt: At(time.Time(r.CreatedAt)), ExpiresAt: At(time.Time(r.ExpiresAt)),
		BOLT11Expiration: boltDays, AutoApproveClaims: r.Automatic, Archived: r.CancelledAt != nil,
		PaymentMethods: []string{invoice.MethodXMR}, PayoutMethods: []string{invoice.MethodXMR},
	}
	p.Currency, p.Amount = original(r, r.AmountXMR)
	if r.Link != nil {
		p.ViewLink = *r.Link
	}
	return p
}

func payoutOf(r refund.Refunded, c refund.ClaimState) payout {
	p := payout{
		ID: c.ID, PullPaymentID: linked(r), Date: At(time.Time(c.CreatedAt)), Destination: c.Address, PayoutCurrency: money.XMR,
		PayoutAmount: XMR(c.AmountXMR), PaymentMethodAmount: XMR(c.AmountXMR), PayoutMethodID: invoice.MethodXMR,
		PaymentMethod: invoice.MethodXMR, CryptoCode: invoice.LegacyXMR, State: stateOf(c.Status), WaitsFor: c.WaitsText,
	}
	p.OriginalCurrency, p.OriginalAmount = original(r, c.AmountXMR)
	p.Amount = p.OriginalAmount
	if c.TxHash != nil {
		p.PaymentProof = &proof{ProofType: "MoneroTransaction", ID: *c.TxHash, TxKey: c.TxKey, TxProof: c.TxProof}
	}
	return p
}

// payoutsOf returns the claims of a refund, oldest first.
func payoutsOf(r refund.Refunded, cancelled bool) []payout {
	list := make([]payout, 0, len(r.Claims))
	for _, c := range r.Claims {
		if cancelled || c.Status != refund.Cancelled {
			list = append(list, payoutOf(r, c))
		}
	}
	return list
}

func stateOf(s refund.Status) string {
	switch s {
	case refund.AwaitingApproval:
		return "AwaitingApproval"
	case refund.AwaitingPayment:
		return "AwaitingPayment"
	case refund.InProgress:
		return "InProgress"
	case refund.Completed:
		return "Completed"
	case refund.Cancelled, refund.Open, refund.Expired: // a claim never has one of the last two
		return "Cancelled"
	default:
		return "Cancelled"
	}
}
