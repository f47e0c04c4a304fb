package operator

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/wire"
)

// Payout is a sweep as operators see it.
type Payout struct {
	PayoutID      string         `json:"payout_id" example:"po_0123456789abcdef01234567"`
	MerchantID    string         `json:"merchant_id" example:"0123456789abcdef0123456789abcdef"`
	WalletID      string         `json:"wallet_id" example:"live"`
	Status        payout.Status  `json:"status" enum:"building,broadcast,confirmed,failed"`
	Address       string         `json:"address" doc:"First and last characters of where it goes"`
	GrossXMR      money.Piconero `json:"gross_xmr" doc:"Sum of its payments"`
	AmountXMR     money.Piconero `json:"amount_xmr" doc:"What arrives at the merchant"`
	FeeXMR        money.Piconero `json:"fee_xmr" doc:"What the operator keeps"`
	NetworkFeeXMR money.Piconero `json:"network_fee_xmr" doc:"What miners get"`
	FeeRate       money.Decimal  `json:"fee_rate" doc:"Share of gross_xmr that the operator keeps" example:"0.005"`
	Charges       int32          `json:"charge_count"`
	Outputs       int32          `json:"outputs"`
	TxHash        *string        `json:"tx_hash" doc:"Transaction; null before it is built"`
	Height        *int64         `json:"height" doc:"Block that holds it; null: none"`
	Error         *string        `json:"error" doc:"Why it failed; null: it did not"`
	CreatedAt     wire.Time      `json:"created_at"`
	BuiltAt       *wire.Time     `json:"built_at"`
	SentAt        *wire.Time     `json:"sent_at"`
	ConfirmedAt   *wire.Time     `json:"confirmed_at"`
}

// Payouts is a page of payouts.
type Payouts struct {
	Payouts    []Payout `json:"payouts" doc:"Newest first"`
	NextCursor *string  `json:"next_cursor" doc:"Cursor of the next page; null on the last" example:"1795253400123456.po_0123456789abcdef01234567"`
}

// PayoutPayment is a payment that a payout spends.
type PayoutPayment struct {
	ChargeID  *string        `json:"charge_id"`
	TxHash    string         `json:"tx_hash"`
	AmountXMR money.Piconero `json:"amount_xmr"`
	Outputs   int32          `json:"outputs"`
}

// WholePayout is a payout with what it spends.
type WholePayout struct {
	Payout

	ClaimID      *string         `json:"claim_id" doc:"Claim of a refund that the transaction pays too; null: none"`
	SwapID       *string         `json:"swap_id" doc:"Swap whose deposit the transaction pays; null: none"`
	KeyImages    []string        `json:"key_images" doc:"Of the outputs that the transaction spends; empty before it is built"`
	Payments     []PayoutPayment `json:"payments" doc:"Payments that it pays out"`
	RefusedSince *wire.Time      `json:"refused_since" doc:"Since when the network refuses the transaction; null: it does not"`
	// TxKey is empty before the transaction is built, and where it was found on the chain.
	TxKey    string  `json:"tx_key,omitempty" doc:"Proves what the transaction paid to which address. Only on the command line, whose keys open it"`
	Alerts   []Alert `json:"alerts" doc:"Open alerts about it"`
	Timeline []Step  `json:"timeline" doc:"The oldest first"`
}

func payoutStatuses() []string {
	return []string{string(payout.Building), string(payout.Broadcast), string(payout.Confirmed), string(payout.Failed)}
}

// Payouts lists the newest payouts.
func (d *Admin) Payouts(ctx context.Context, f Filter, p TimePage) (Payouts, error) {
	before, id, err := p.before()
	if err != nil {
		return Payouts{}, err
	}
	statuses, err := f.statuses(payoutStatuses())
	if err != nil {
		return Payouts{}, err
	}
	var rows []db.Payout
	if f.MerchantID != "" {
		rows, err = d.Store.NewestPayoutsOfMerchant(ctx, db.NewestPayoutsOfMerchantParams{MerchantID: f.MerchantID, Before: before, BeforeID: id, MaxRows: p.Limit})
	} else {
		rows, err = d.Store.NewestPayouts(ctx, db.NewestPayoutsParams{Statuses: statuses, Before: before, BeforeID: id, MaxRows: p.Limit})
	}
	return Payouts{each(rows, payoutOf), after(p, rows, func(r db.Payout) (time.Time, string) { return r.CreatedAt, r.ID })}, err
}

// Payout shows one payout; postgres.ErrNotFound when there is none.
func (d *Admin) Payout(ctx context.Context, id string) (WholePayout, error) {
	row, err := d.Store.GetPayout(ctx, id)
	if err != nil {
		return WholePayout{}, missing(err)
	}
	whole := WholePayout{Payout: payoutOf(row), ClaimID: row.ClaimID, SwapID: row.SwapID}
	tx, err := d.Store.OutgoingOfPayout(ctx, id)
	if err != nil && !postgres.IsNotFound(err) {
		return whole, err
	}
	whole.KeyImages = append([]string{}, tx.Inputs...)
	if tx.ProofSealed != nil && d.AllKeys {
		key, err := d.Box.Unseal(tx.ProofSealed, secret.ProofPlace(tx.ID))
		if err != nil {
			return whole, err
		}
		whole.TxKey = string(key)
	}
	payments, err := d.Store.PayoutPayments(ctx, id)
	if err != nil {
		return whole, err
	}
	whole.Payments = each(payments, func(p db.PayoutPaymentsRow) PayoutPayment {
		return PayoutPayment{p.ChargeID, p.TxHash, p.Amount, p.Outputs}
	})
	steps := timeline{}
	addPayout(&steps, row)
	if err := d.addEvents(ctx, &steps, id); err != nil {
		return whole, err
	}
	whole.Timeline = steps.sorted()
	whole.Alerts, err = d.alertsAbout(ctx, id, alert.PayoutStuck, alert.PaymentSpent)
	for _, a := range whole.Alerts {
		if a.Kind == alert.PayoutStuck {
			whole.RefusedSince = &a.OpenedAt
		}
	}
	return whole, err
}

func payoutOf(r db.Payout) Payout {
	return Payout{
		PayoutID: r.ID, MerchantID: r.MerchantID, WalletID: r.WalletID, Status: payout.Status(r.Status), Address: r.AddressMasked,
		GrossXMR: r.Gross, AmountXMR: r.Amount, FeeXMR: r.Fee, NetworkFeeXMR: r.NetworkFee, FeeRate: r.FeeRate, Charges: r.ChargesPaid,
		Outputs: r.Outputs, TxHash: r.TxHash, Height: r.Height, Error: r.Error, CreatedAt: wire.TimeOf(r.CreatedAt),
		BuiltAt: wire.TimeOrNil(r.BuiltAt), SentAt: wire.TimeOrNil(r.SentAt), ConfirmedAt: wire.TimeOrNil(r.ConfirmedAt),
	}
}
