package operator

import (
	"context"

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
	PayoutID      string         `json:"payout_id"`
	MerchantID    string         `json:"merchant_id"`
	WalletID      string         `json:"wallet_id"`
	Status        payout.Status  `json:"status"`
	Address       string         `json:"address"`
	GrossXMR      money.Piconero `json:"gross_xmr"`
	AmountXMR     money.Piconero `json:"amount_xmr"`
	FeeXMR        money.Piconero `json:"fee_xmr"`
	NetworkFeeXMR money.Piconero `json:"network_fee_xmr"`
	FeeRate       money.Decimal  `json:"fee_rate"`
	Charges       int32          `json:"charge_count"`
	Outputs       int32          `json:"outputs"`
	TxHash        *string        `json:"tx_hash"`
	Height        *int64         `json:"height"`
	Error         *string        `json:"error"`
	CreatedAt     wire.Time      `json:"created_at"`
	BuiltAt       *wire.Time     `json:"built_at"`
	SentAt        *wire.Time     `json:"sent_at"`
	ConfirmedAt   *wire.Time     `json:"confirmed_at"`
}

// Payouts is a list of payouts.
type Payouts struct {
	Payouts []Payout `json:"payouts"`
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

	KeyImages []string        `json:"key_images"`
	Payments  []PayoutPayment `json:"payments"`
	// RefusedSince is when the network began to refuse the transaction; null when it does not.
	RefusedSince *wire.Time `json:"refused_since"`
	// TxKey proves to third parties what the transaction paid to which address; empty
	// before it is built, and where the transaction was found on the chain.
	TxKey string `json:"tx_key"`
}

// Payouts lists the newest payouts, of one status when it is given.
func (d *Admin) Payouts(ctx context.Context, status *string, limit int32) (Payouts, error) {
	rows, err := d.newestPayouts(ctx, status, limit)
	return Payouts{each(rows, payoutOf)}, err
}

func (d *Admin) newestPayouts(ctx context.Context, status *string, limit int32) ([]db.Payout, error) {
	if status == nil {
		return d.Store.ListAllPayouts(ctx, limit)
	}
	return d.Store.ListPayoutsOfStatus(ctx, db.ListPayoutsOfStatusParams{Status: *status, MaxRows: limit})
}

// Payout shows one payout; postgres.ErrNotFound when there is none.
func (d *Admin) Payout(ctx context.Context, id string) (WholePayout, error) {
	row, err := d.Store.GetPayout(ctx, id)
	if err != nil {
		return WholePayout{}, missing(err)
	}
	whole := WholePayout{Payout: payoutOf(row), Payments: []PayoutPayment{}}
	tx, err := d.Store.OutgoingOfPayout(ctx, id)
	if err != nil && !postgres.IsNotFound(err) {
		return whole, err
	}
	whole.KeyImages = tx.Inputs
	if tx.ProofSealed != nil {
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
	notice, err := d.Store.OpenAlertAbout(ctx, db.OpenAlertAboutParams{Kind: alert.PayoutStuck, Subject: id})
	if postgres.IsNotFound(err) {
		return whole, nil
	}
	whole.RefusedSince = wire.TimeOrNil(&notice.OpenedAt)
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
