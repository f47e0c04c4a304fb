package event

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/businessnotice"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/internal/wire"
)

// payoutSent is the data of the event payout.sent.
type payoutSent struct {
	ID            string         `json:"id"`
	PayoutID      string         `json:"payout_id"`
	AmountXMR     money.Piconero `json:"amount_xmr"`
	FeeXMR        money.Piconero `json:"fee_xmr"`
	NetworkFeeXMR money.Piconero `json:"network_fee_xmr"`
	TxHash        string         `json:"tx_hash"`
	ChargeCount   int32          `json:"charge_count"`
	SwapID        *string        `json:"swap_id"`
	SentAt        wire.Time      `json:"sent_at"`
}

// RecordPayoutSent records that a payout, which is built, was sent at a moment, and
// that the merchant may want to be mailed.
func RecordPayoutSent(ctx context.Context, q *db.Queries, p db.Payout, at time.Time) error {
	err := businessnotice.Put(ctx, q, businessnotice.Notice{
		MerchantID: p.MerchantID, Kind: businessnotice.PayoutSent, ResourceID: p.ID, Amount: &p.Amount, At: at,
	})
	if err != nil {
		return err
	}
	_, err = Record(ctx, q, Event{
		MerchantID: p.MerchantID, Mode: config.Live, Type: webhook.EventPayoutSent, ResourceID: p.ID, At: at,
		Data: payoutSent{
			ID: p.ID, PayoutID: p.ID, AmountXMR: p.Amount, FeeXMR: p.Fee, NetworkFeeXMR: p.NetworkFee,
			TxHash: *p.TxHash, ChargeCount: p.ChargesPaid, SwapID: p.SwapID, SentAt: wire.TimeOf(at),
		},
	})
	return err
}
